//! Rules for `#[arg(default = ..)]`: it keeps to the bounds.

use syn::{Expr, ExprLit, Lit};

use super::bounds::{limits, size};
use super::pattern::is_match;
use crate::args::{Number, NumberValue};
use crate::docs::ungroup;
use crate::errors::Errors;
use crate::input::ParamInput;

/// What a model gets without choosing, it could have chosen. Only literals can be looked into here.
pub(super) fn check(param: &ParamInput, errors: &mut Errors) {
    let Some(default) = param.args.default.value() else {
        return;
    };
    check_default_choice(param, default, errors);
    if let Some(number) = Number::of(default) {
        check_default_number(param, &number, errors);
    } else if let Some(text) = text_of(default) {
        check_default_text(param, default, &text, errors);
    }
}

fn check_default_number(param: &ParamInput, default: &Number, errors: &mut Errors) {
    let (lower, upper) = limits(param);
    let (low, high) = (lower.into_iter(), upper.into_iter());
    let limits = low
        .map(|limit| (limit, true))
        .chain(high.map(|limit| (limit, false)));
    for ((slot, excludes), is_lower) in limits {
        let Some(bound) = slot.get() else { continue };
        let number = bound.value.value;
        let (beyond, relation) = if is_lower {
            (default.value.less_than(number), "less than")
        } else {
            (number.less_than(default.value), "greater than")
        };
        let equal = !default.value.less_than(number) && !number.less_than(default.value);
        let relation = match (beyond, equal && excludes) {
            (true, _) => relation,
            (false, true) => "not beyond",
            (false, false) => continue,
        };
        let message = format!(
            "the default {default} is {relation} the `{}` {}",
            bound.key, bound.value
        );
        errors.at(&default.tokens, message);
    }
    if let (NumberValue::Int(value), Some(step)) = (default.value, param.args.multiple_of.value())
        && let NumberValue::Int(divisor) = step.value
        && divisor > 0
        && value % divisor != 0
    {
        let message = format!("the default {default} is no multiple of {step}");
        errors.at(&default.tokens, message);
    }
}

fn check_default_text(param: &ParamInput, default: &Expr, text: &str, errors: &mut Errors) {
    let length = u64::try_from(text.chars().count()).ok();
    let args = &param.args;
    if let Some(min) = args.min_length.get()
        && length < size(&min.value)
    {
        let message = format!("the default is shorter than the `min_length` {}", min.value);
        errors.at(default, message);
    }
    if let Some(max) = args.max_length.get()
        && length > size(&max.value)
    {
        let message = format!("the default is longer than the `max_length` {}", max.value);
        errors.at(default, message);
    }
    if let Some(pattern) = args.pattern.value()
        && let Ok(parsed) = regex_syntax::parse(&pattern.value())
        && is_match(&parsed, text) == Some(false)
    {
        let message = format!(
            "the default does not match the `pattern` {}",
            pattern.token()
        );
        errors.at(default, message);
    }
}

fn check_default_choice(param: &ParamInput, default: &Expr, errors: &mut Errors) {
    let Some(choices) = param.args.choices.value() else {
        return;
    };
    let is_literal = |expr: &Expr| Number::of(expr).is_some() || text_of(expr).is_some();
    let spelt = |expr: &Expr| quote::quote!(#expr).to_string();
    if is_literal(default)
        && choices.iter().all(is_literal)
        && !choices.iter().any(|choice| spelt(choice) == spelt(default))
    {
        let message = format!("the default {} is none of the `choices`", spelt(default));
        errors.at(default, message);
    }
}

/// The text of a string literal.
fn text_of(expr: &Expr) -> Option<String> {
    match ungroup(expr) {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}
