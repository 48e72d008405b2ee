//! The user's own items have the names that generated code might have used carelessly.

#![allow(dead_code, unused_imports, unused_macros)]

mod tool;

pub mod core {}
pub mod std {}
pub mod serde {}
pub mod serde_json {}
pub mod schemars {}
pub mod anyhow {}

pub struct Result;
pub struct Option;
pub struct String;
pub struct Vec;
pub struct Some;
pub struct None;
pub struct Ok;
pub struct Err;
pub struct Box;
pub struct Arc;
pub struct Value;
pub struct Tool;
pub struct ToolPolicy;
pub struct ToolResult;
pub trait Send {}
pub trait Sync {}
pub trait Clone {}
pub trait Default {}
pub trait Debug {}
pub trait From {}
pub trait Into {}
pub trait Future {}

macro_rules! vec {
    () => {};
}

macro_rules! format {
    () => {};
}

pub(crate) use {format, vec};
