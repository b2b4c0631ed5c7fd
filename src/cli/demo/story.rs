//! The texts of the demonstration: one small project, two changes to one table.

pub(super) const DOCUMENT: &str = "logos/resources/test/core-01-test-cases.md";

pub(super) const TABLE: &str = "\
# Toll tests

## Unit cases

| ID | Title | Expected |
|----|-------|----------|
| UT-S01-01 | car | 5 |
| UT-S01-02 | lorry | 12 |
| UT-S01-03 | bicycle | 0 |
";

/// The delta of the first change, with a row left out by mistake.
pub(super) const CAR_FORGETFUL: &str = "\
## MODIFIED — Unit cases

| ID | Title | Expected |
|----|-------|----------|
| UT-S01-01 | car | 6 |
| UT-S01-02 | lorry | 12 |
";

pub(super) const CAR: &str = "\
## MODIFIED — Unit cases

| ID | Title | Expected |
|----|-------|----------|
| UT-S01-01 | car | 6 |
| UT-S01-02 | lorry | 12 |
| UT-S01-03 | bicycle | 0 |
";

/// The delta of the second change, written from the same table as the first.
pub(super) const LORRY: &str = "\
## MODIFIED — Unit cases

| ID | Title | Expected |
|----|-------|----------|
| UT-S01-01 | car | 5 |
| UT-S01-02 | lorry | 14 |
| UT-S01-03 | bicycle | 0 |

## ADDED — Night tariff

Between 22:00 and 6:00 lorries pay double.
";

pub(super) fn proposal(title: &str, why: &str) -> String {
    format!(
        "# Change Proposal: {title}\n\n> module: core\n\n## Reason\n\n{why}\n\n## Change Type\n\nDesign\n\n\
         ## Scope\n\n- {DOCUMENT}\n\n## Summary\n\n{title}\n"
    )
}

pub(super) const TASKS: &str = "\
# Implementation Tasks

## [delta] Documents

- [x] deltas/test/core-01-test-cases.md

## [code] Code

- [ ] Implement code changes
";
