//! The kind of a type, as far as its name tells.

use syn::Type;

use super::{last_segment, option_of, ungroup};

/// What values a visible type has, as far as its name tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Integers between two bounds; the upper one is missing where it is beyond every literal.
    Integer(i128, Option<i128>),
    Float,
    Text,
    List,
    /// A known type that is none of these.
    Other,
    /// A type of the user's.
    Unknown,
}

impl Kind {
    /// The kind of a parameter's type; that of `T` for an `Option<T>`.
    pub(crate) fn of(ty: &Type) -> Self {
        let ty = ungroup(option_of(ty).unwrap_or(ty));
        match ty {
            Type::Reference(reference) => Self::of(&reference.elem),
            Type::Slice(_) | Type::Array(_) => Self::List,
            Type::Tuple(_) => Self::Other,
            _ => last_segment(ty).map_or(Self::Unknown, |segment| {
                Self::of_name(&segment.ident.to_string())
            }),
        }
    }

    fn of_name(name: &str) -> Self {
        match name {
            "u8" => Self::Integer(0, Some(u8::MAX.into())),
            "u16" => Self::Integer(0, Some(u16::MAX.into())),
            "u32" => Self::Integer(0, Some(u32::MAX.into())),
            "u64" | "usize" => Self::Integer(0, Some(u64::MAX.into())),
            "u128" => Self::Integer(0, None),
            "i8" => Self::Integer(i8::MIN.into(), Some(i8::MAX.into())),
            "i16" => Self::Integer(i16::MIN.into(), Some(i16::MAX.into())),
            "i32" => Self::Integer(i32::MIN.into(), Some(i32::MAX.into())),
            "i64" | "isize" => Self::Integer(i64::MIN.into(), Some(i64::MAX.into())),
            "i128" => Self::Integer(i128::MIN, None),
            "f32" | "f64" => Self::Float,
            "String" | "str" | "Path" | "PathBuf" | "char" => Self::Text,
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => Self::List,
            "bool" | "HashMap" | "BTreeMap" => Self::Other,
            _ => Self::Unknown,
        }
    }

    /// Whether the type is a number, or could be one.
    pub(crate) fn may_be_number(self) -> bool {
        matches!(self, Self::Integer(..) | Self::Float | Self::Unknown)
    }

    /// Whether the type is a string, or could be one.
    pub(crate) fn may_be_text(self) -> bool {
        matches!(self, Self::Text | Self::Unknown)
    }

    /// Whether the type is a list, or could be one.
    pub(crate) fn may_be_list(self) -> bool {
        matches!(self, Self::List | Self::Unknown)
    }
}
