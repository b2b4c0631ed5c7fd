//! The choice of a range against made-up histories.

mod graph;
mod rows;
mod said;
mod told;
