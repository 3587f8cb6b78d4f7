//! The integration tests, in one binary: each area is a module.

mod cli;
mod engine;
mod lsp;
mod mcp;
mod ranking;
mod serve;
mod support;
