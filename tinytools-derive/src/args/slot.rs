//! A key that may be written once.

use proc_macro2::Ident;
use syn::Error;
use syn::parse::ParseStream;

/// A key in an argument list, and the attribute it is an argument of.
pub(crate) struct Key {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) attr: &'static str,
}

/// A key with its value, as written. Both keep their spans.
#[derive(Clone)]
pub(crate) struct Written<T> {
    pub(crate) key: Ident,
    pub(crate) value: T,
    /// Written on the toolbox, as a default of its methods.
    pub(crate) inherited: bool,
}

/// Where the value of one key goes; reports a second one.
pub(crate) struct Slot<T> {
    written: Option<Written<T>>,
    /// The key is there, with something else than a value of this kind. That is reported.
    is_wrong: bool,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self {
            written: None,
            is_wrong: false,
        }
    }
}

impl<T> Slot<T> {
    /// Reads the value of `key` by `parse`. It is read even where the key is a duplicate, so that reading goes on
    /// behind it.
    pub(crate) fn read(
        &mut self,
        key: &Key,
        input: ParseStream,
        parse: impl FnOnce(&Key, ParseStream) -> syn::Result<T>,
    ) -> syn::Result<()> {
        let value = parse(key, input).inspect_err(|_| self.is_wrong = true)?;
        if self.written.is_some() {
            let message = format!("duplicate `{}` argument `{}`", key.attr, key.name);
            return Err(Error::new(key.ident.span(), message));
        }
        self.written = Some(Written {
            key: key.ident.clone(),
            value,
            inherited: false,
        });
        Ok(())
    }

    /// The key and its value, if written.
    pub(crate) fn get(&self) -> Option<&Written<T>> {
        self.written.as_ref()
    }

    /// Whether the key is there, whatever is wrong with its value.
    pub(crate) fn is_there(&self) -> bool {
        self.is_wrong || self.written.is_some()
    }

    /// Empties the slot if what it holds is only a default.
    pub(crate) fn drop_inherited(&mut self) {
        if self.get().is_some_and(|written| written.inherited) {
            self.written = None;
        }
    }

    /// The value, if written.
    pub(crate) fn value(&self) -> Option<&T> {
        self.get().map(|written| &written.value)
    }
}

impl<T: Clone> Slot<T> {
    /// This slot, or the default of the toolbox if this one is empty.
    pub(crate) fn or(&self, default: &Self) -> Self {
        let inherited = default.written.clone().map(|written| Written {
            inherited: true,
            ..written
        });
        Self {
            written: self.written.clone().or(inherited),
            is_wrong: self.is_wrong,
        }
    }
}

impl Slot<bool> {
    /// The key, if it is written and switched on.
    pub(crate) fn on(&self) -> Option<&Written<bool>> {
        self.get().filter(|written| written.value)
    }

    /// What is written, else what is implied.
    pub(crate) fn unwrap_or(&self, implied: bool) -> bool {
        self.value().copied().unwrap_or(implied)
    }

    /// What is written, else what follows from other keys.
    pub(crate) fn unwrap_or_else(&self, implied: impl FnOnce() -> bool) -> bool {
        self.value().copied().unwrap_or_else(implied)
    }
}
