//! STATE.md: where a project stands, in its front matter and its body (state.md).

pub mod line;
