//! `impact` through the program, against real repositories (change.md 8).
#![cfg(unix)]

mod ci;
mod invocation;
mod repo;
mod repositories;
mod scenarios;
