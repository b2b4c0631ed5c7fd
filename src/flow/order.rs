//! The order of nodes while a flow is worked on: a chain for each subflow, so that an overlay of many operations takes
//! no longer for each of them than a short one. Nodes are numbers here.

use super::Anchor;

/// Where a node is put.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Behind the last node of a subflow.
    End(usize),
    After(usize),
    Before(usize),
}

impl Place {
    /// The place next to the node that `anchor` names.
    pub(super) const fn next_to(node: usize, anchor: &Anchor) -> Self {
        match anchor {
            Anchor::After(_) => Self::After(node),
            Anchor::Before(_) => Self::Before(node),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Order {
    chains: Vec<Chain>,
    links: Vec<Link>,
}

/// The first and the last node of a subflow.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    first: Option<usize>,
    last: Option<usize>,
}

/// A node between its neighbours.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    home: usize,
    before: Option<usize>,
    after: Option<usize>,
}

impl Order {
    /// Makes room for one more subflow; returns its number.
    pub(super) fn add_subflow(&mut self) -> usize {
        self.chains.push(Chain::default());
        self.chains.len() - 1
    }

    /// Puts in the node with the next number.
    pub(super) fn add(&mut self, place: Place) {
        self.links.push(Link::default());
        self.put(self.links.len() - 1, place);
    }

    /// Moves a node; it is no anchor of its own.
    pub(super) fn move_to(&mut self, node: usize, place: Place) {
        let Link { home, before, after } = self.links[node];
        *self.forward(home, before) = after;
        *self.backward(home, after) = before;
        self.put(node, place);
    }

    fn put(&mut self, node: usize, place: Place) {
        let link = match place {
            Place::End(home) => Link {
                home,
                before: self.chains[home].last,
                after: None,
            },
            Place::After(anchor) => Link {
                before: Some(anchor),
                ..self.links[anchor]
            },
            Place::Before(anchor) => Link {
                after: Some(anchor),
                ..self.links[anchor]
            },
        };
        self.links[node] = link;
        *self.forward(link.home, link.before) = Some(node);
        *self.backward(link.home, link.after) = Some(node);
    }

    /// The way forward from a node; without one, from the beginning of a subflow.
    fn forward(&mut self, home: usize, from: Option<usize>) -> &mut Option<usize> {
        match from {
            Some(node) => &mut self.links[node].after,
            None => &mut self.chains[home].first,
        }
    }

    fn backward(&mut self, home: usize, from: Option<usize>) -> &mut Option<usize> {
        match from {
            Some(node) => &mut self.links[node].before,
            None => &mut self.chains[home].last,
        }
    }

    /// The nodes of a subflow in order.
    pub(super) fn of(&self, home: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.chains[home].first, |node| self.links[*node].after)
    }

    /// All nodes in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.chains.len()).flat_map(|home| self.of(home))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_put_and_moved_next_to_any_other() {
        let mut order = Order::default();
        let (one, two) = (order.add_subflow(), order.add_subflow());
        for place in [
            Place::End(one),
            Place::End(one),
            Place::Before(0),
            Place::After(0),
            Place::End(two),
        ] {
            order.add(place);
        }
        let all = |order: &Order| [one, two].map(|home| order.of(home).collect::<Vec<_>>());
        assert_eq!(all(&order), [vec![2, 0, 3, 1], vec![4]]);
        order.move_to(4, Place::Before(2));
        assert_eq!(all(&order), [vec![4, 2, 0, 3, 1], vec![]]);
        order.move_to(4, Place::After(1));
        order.move_to(0, Place::Before(1));
        order.move_to(2, Place::Before(3));
        assert_eq!(order.iter().collect::<Vec<_>>(), [2, 3, 0, 1, 4]);
        order.move_to(3, Place::End(two));
        assert_eq!(all(&order), [vec![2, 0, 1, 4], vec![3]]);
    }
}
