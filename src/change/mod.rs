//! The change folder.
