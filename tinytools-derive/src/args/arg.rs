//! The keys of `#[arg(..)]` on a parameter.

use syn::parse::ParseStream;
use syn::{Expr, LitInt, LitStr};

use super::keys::ReadKey;
use super::number::Number;
use super::slot::{Key, Slot};
use super::value::{count, expr, exprs, number, string};

/// The keys of `#[arg(..)]`, as written.
#[derive(Default)]
pub(crate) struct ArgArgs {
    pub(crate) default: Slot<Expr>,
    pub(crate) rename: Slot<LitStr>,
    pub(crate) description: Slot<Expr>,
    pub(crate) examples: Slot<Vec<Expr>>,
    pub(crate) choices: Slot<Vec<Expr>>,
    pub(crate) pattern: Slot<LitStr>,
    pub(crate) minimum: Slot<Number>,
    pub(crate) maximum: Slot<Number>,
    pub(crate) exclusive_minimum: Slot<Number>,
    pub(crate) exclusive_maximum: Slot<Number>,
    pub(crate) multiple_of: Slot<Number>,
    pub(crate) min_length: Slot<LitInt>,
    pub(crate) max_length: Slot<LitInt>,
    pub(crate) min_items: Slot<LitInt>,
    pub(crate) max_items: Slot<LitInt>,
}

impl ReadKey for ArgArgs {
    const ATTR: &'static str = "arg";

    fn known() -> Vec<&'static str> {
        vec![
            "default",
            "rename",
            "description",
            "examples",
            "choices",
            "pattern",
            "minimum",
            "maximum",
            "exclusive_minimum",
            "exclusive_maximum",
            "multiple_of",
            "min_length",
            "max_length",
            "min_items",
            "max_items",
        ]
    }

    fn read(&mut self, key: &Key, input: ParseStream) -> Option<syn::Result<()>> {
        let size = |key: &Key, input: ParseStream<'_>| count(key, input, u64::MAX);
        Some(match key.name.as_str() {
            "default" => self.default.read(key, input, expr),
            "rename" => self.rename.read(key, input, string),
            "description" => self.description.read(key, input, expr),
            "examples" => self.examples.read(key, input, exprs),
            "choices" => self.choices.read(key, input, exprs),
            "pattern" => self.pattern.read(key, input, string),
            "min_length" => self.min_length.read(key, input, size),
            "max_length" => self.max_length.read(key, input, size),
            "min_items" => self.min_items.read(key, input, size),
            "max_items" => self.max_items.read(key, input, size),
            name => {
                let slot = match name {
                    "minimum" => &mut self.minimum,
                    "maximum" => &mut self.maximum,
                    "exclusive_minimum" => &mut self.exclusive_minimum,
                    "exclusive_maximum" => &mut self.exclusive_maximum,
                    "multiple_of" => &mut self.multiple_of,
                    _ => return None,
                };
                slot.read(key, input, number)
            }
        })
    }
}
