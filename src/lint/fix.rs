//! Rewrites anchors that have exactly one reading.
