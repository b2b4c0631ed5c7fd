//! The lines on the standard input of a hook: what is pushed, and what is received (git.md 3.1).

use bstr::{BStr, BString, ByteSlice};

use crate::files::ObjectId;

/// A line of `pre-push`. An id is none where git writes zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// What is pushed, in the words of who pushes.
    pub local_name: BString,
    pub local: Option<ObjectId>,
    /// The full name of what is moved there.
    pub reference: BString,
    pub remote: Option<ObjectId>,
}

/// A line of `pre-receive`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    pub old: Option<ObjectId>,
    pub new: Option<ObjectId>,
    pub reference: BString,
}

/// A line that has another form; lines are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub usize);

/// `<local ref> <local oid> <remote ref> <remote oid>` per line. The first may hold blanks: it is a revision as the user
/// wrote it.
pub fn pushed(input: &[u8]) -> Result<Vec<Pushed>, Malformed> {
    each(input, |line| {
        let mut parts = line.rsplitn(4, |byte| *byte == b' ');
        let remote = id(parts.next()?)?;
        let reference = reference(parts.next()?)?;
        let local = id(parts.next()?)?;
        let local_name = parts.next().filter(|name| !name.is_empty())?.into();
        Some(Pushed {
            local_name,
            local,
            reference,
            remote,
        })
    })
}

/// `<old oid> <new oid> <ref>` per line.
pub fn received(input: &[u8]) -> Result<Vec<Received>, Malformed> {
    each(input, |line| {
        let mut parts = line.splitn(3, |byte| *byte == b' ');
        Some(Received {
            old: id(parts.next()?)?,
            new: id(parts.next()?)?,
            reference: reference(parts.next()?)?,
        })
    })
}

/// The last line may lack its end.
fn each<T>(input: &[u8], read: impl Fn(&BStr) -> Option<T>) -> Result<Vec<T>, Malformed> {
    let lines = input.strip_suffix(b"\n").unwrap_or(input);
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let lines = lines.split(|byte| *byte == b'\n').enumerate();
    lines
        .map(|(at, line)| read(line.as_bstr()).ok_or(Malformed(at + 1)))
        .collect()
}

/// None in it for the id of no object.
fn id(word: &[u8]) -> Option<Option<ObjectId>> {
    let id = ObjectId::from_hex(word.to_str().ok()?)?;
    Some((!id.is_zeros()).then_some(id))
}

fn reference(name: &[u8]) -> Option<BString> {
    let is_plain = !name.is_empty() && !name.iter().any(|byte| byte.is_ascii_whitespace() || *byte == 0);
    is_plain.then(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_or_refused_by_number() {
        let (zeros, one) = ("0".repeat(40), "1".repeat(40));
        let lines =
            format!("HEAD@{{1 day ago}} {one} refs/heads/a {zeros}\n(delete) {zeros} refs/heads/b {one}");
        let read = pushed(lines.as_bytes()).expect("they have the form");
        assert_eq!((read.len(), read[0].remote, read[1].local), (2, None, None));
        assert_eq!(read[0].local_name, "HEAD@{1 day ago}");
        assert_eq!(pushed(b""), Ok(Vec::new()));
        let receive = format!("{zeros} {one} refs/heads/a\n{one} {one}");
        assert_eq!(received(receive.as_bytes()), Err(Malformed(2)));
        for bad in [
            "\n\n",
            "a b c d",
            &format!("{} {one} refs/heads/a", "A".repeat(40)),
            &format!("{one} {one} a b"),
        ] {
            assert_eq!(received(bad.as_bytes()), Err(Malformed(1)), "{bad}");
        }
    }
}
