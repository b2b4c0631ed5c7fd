//! The block `progress`: what both sides did is added up, the percentage computed from it (git.md 6).

use super::GivenUp;
use super::choice::Choice;
use super::count::{count, number};
use super::front::take;
use super::version::Version;
use crate::state::phases::{fraction, percent as smaller};
use crate::text::lines;

const KEY: &str = "progress";
const NUMBERS: [&str; 5] = [
    "total_phases",
    "completed_phases",
    "total_plans",
    "completed_plans",
    "percent",
];
const TOTAL_PHASES: usize = 0;
const COMPLETED_PHASES: usize = 1;
const TOTAL_PLANS: usize = 2;
const COMPLETED_PLANS: usize = 3;
const PERCENT: usize = 4;

/// A block: its numbers, and its other lines.
struct Block {
    numbers: [Option<u64>; 5],
    others: Vec<u8>,
}

impl Block {
    /// None if a line is no number, where one belongs.
    fn of(text: &[u8]) -> Option<Self> {
        let mut block = Self {
            numbers: [None; 5],
            others: Vec::new(),
        };
        for (i, line) in lines(text).iter().enumerate() {
            let content = std::str::from_utf8(line.span.of(text)).ok()?;
            let (key, value) = content.split_once(':').unwrap_or((content, ""));
            let place = NUMBERS.iter().position(|name| *name == key.trim_start());
            match place {
                Some(at) if i > 0 && block.numbers[at].is_none() => {
                    block.numbers[at] = Some(number(value.trim())?);
                }
                Some(_) => return None,
                None if i == 0 && !value.trim().is_empty() => return None,
                None if i == 0 => {}
                None => block.others.extend_from_slice(&text[line.span.start..line.next]),
            }
        }
        Some(block)
    }
}

/// Settles the block. Returns the side that it is of, or the percentage that was computed.
pub(super) fn settle(
    versions: &mut [Version; 3],
    milestone: Choice,
    given_up: &mut GivenUp,
) -> (Choice, Option<u64>) {
    let texts = versions.each_ref().map(|version| version.lines(KEY));
    let choice = Choice::changed(&texts);
    let is_same = choice == Choice::Alike && texts[0] == texts[1];
    if is_same || choice.sides().is_some() {
        return (choice, None);
    }
    if milestone.sides().is_some() {
        // The numbers of one milestone and those of another are no sum.
        take(versions, KEY, milestone, given_up);
        return (milestone, None);
    }
    let [base, Some(ours), Some(theirs)] = &texts else {
        return (Choice::Open, None);
    };
    let base_block = base.as_deref().map_or_else(|| Block::of(b""), Block::of);
    let (Some(base_block), Some(our_block), Some(their_block)) =
        (base_block, Block::of(ours), Block::of(theirs))
    else {
        return (Choice::Open, None);
    };
    let others = [&base_block.others, &our_block.others, &their_block.others];
    let others = match Choice::changed(&others) {
        Choice::Alike | Choice::Ours => others[1],
        Choice::Theirs => others[2],
        Choice::Open => return (Choice::Open, None),
    };
    let numbers = sum([&base_block.numbers, &our_block.numbers, &their_block.numbers]);
    let mut text = format!("{KEY}:\n");
    for (name, number) in NUMBERS.iter().zip(numbers) {
        text.extend(number.map(|number| format!("  {name}: {number}\n")));
    }
    let mut text = text.into_bytes();
    text.extend_from_slice(others);
    for version in versions {
        let old = version.replace(KEY, &text);
        given_up.extend(old);
    }
    (Choice::Open, numbers[PERCENT])
}

fn sum([base, ours, theirs]: [&[Option<u64>; 5]; 3]) -> [Option<u64>; 5] {
    let mut sum: [Option<u64>; 5] = std::array::from_fn(|i| {
        let three = [base[i], ours[i], theirs[i]];
        let is_gone = match three {
            [Some(base), Some(kept), None] | [Some(base), None, Some(kept)] => base == kept,
            _ => false,
        };
        if is_gone { None } else { count(three) }
    });
    for (completed, total) in [(COMPLETED_PHASES, TOTAL_PHASES), (COMPLETED_PLANS, TOTAL_PLANS)] {
        if let (Some(done), Some(all)) = (sum[completed], sum[total]) {
            sum[completed] = Some(done.min(all));
        }
    }
    if let Some(percent) = sum[PERCENT] {
        let of = |completed: usize, total: usize| fraction(sum[completed]?, sum[total]?);
        let computed = smaller(
            of(COMPLETED_PLANS, TOTAL_PLANS),
            of(COMPLETED_PHASES, TOTAL_PHASES),
        );
        sum[PERCENT] = Some(computed.unwrap_or(percent).min(100));
    }
    sum
}
