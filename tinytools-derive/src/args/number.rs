//! Number literals, which can be compared.

use std::fmt;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

use crate::docs::ungroup;

/// A number literal with an optional sign.
#[derive(Clone)]
pub(crate) struct Number {
    pub(crate) value: NumberValue,
    /// The literal and its sign, to underline.
    pub(crate) tokens: TokenStream,
}

/// The value of a [`Number`].
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum NumberValue {
    Int(i128),
    Float(f64),
}

impl NumberValue {
    /// The nearest float, to compare by.
    #[expect(
        clippy::cast_precision_loss,
        reason = "two integers are compared as integers"
    )]
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    /// Whether `self < other`.
    pub(crate) fn less_than(self, other: Self) -> bool {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => left < right,
            _ => self.as_f64() < other.as_f64(),
        }
    }
}

impl Number {
    /// The number that `expr` is, if it is nothing but a literal with an optional sign.
    pub(crate) fn of(expr: &Expr) -> Option<Self> {
        let (negative, literal) = match ungroup(expr) {
            Expr::Unary(ExprUnary {
                op: UnOp::Neg(_),
                expr,
                ..
            }) => (true, ungroup(expr)),
            literal => (false, literal),
        };
        let value = match literal {
            Expr::Lit(ExprLit {
                lit: Lit::Int(int), ..
            }) => {
                let magnitude: i128 = int.base10_parse().ok()?;
                NumberValue::Int(if negative { -magnitude } else { magnitude })
            }
            Expr::Lit(ExprLit {
                lit: Lit::Float(float),
                ..
            }) => {
                let magnitude: f64 = float.base10_parse().ok()?;
                NumberValue::Float(if negative { -magnitude } else { magnitude })
            }
            _ => return None,
        };
        Some(Self {
            value,
            tokens: expr.to_token_stream(),
        })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            NumberValue::Int(int) => int.fmt(f),
            NumberValue::Float(float) => float.fmt(f),
        }
    }
}
