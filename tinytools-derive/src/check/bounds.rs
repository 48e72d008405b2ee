//! Rules for the bounds of `#[arg(..)]`: they fit the type, one another, and the default. A type that is not known by
//! its name is taken to fit.

use syn::LitInt;

use crate::args::{Number, NumberValue, Slot, Written};
use crate::errors::Errors;
use crate::input::ParamInput;
use crate::model::property_name;
use crate::shape::{Kind, option_of, spelling};

pub(super) fn check(param: &ParamInput, errors: &mut Errors) {
    let kind = Kind::of(&param.ty);
    check_fits_type(param, kind, errors);
    check_number_range(param, errors);
    check_within_type(param, kind, errors);
    check_multiple_of(param, errors);
    check_sizes(param, errors);
    check_pattern(param, errors);
    check_choices(param, errors);
}

/// The lower and the upper bounds that are written, each with whether it excludes its own value.
pub(super) fn limits(param: &ParamInput) -> ([Limit<'_>; 2], [Limit<'_>; 2]) {
    let args = &param.args;
    (
        [(&args.minimum, false), (&args.exclusive_minimum, true)],
        [(&args.maximum, false), (&args.exclusive_maximum, true)],
    )
}

pub(super) type Limit<'a> = (&'a Slot<Number>, bool);

/// A bound says something of one kind of value.
fn check_fits_type(param: &ParamInput, kind: Kind, errors: &mut Errors) {
    let args = &param.args;
    let ty = option_of(&param.ty).unwrap_or(&param.ty);
    let mut refuse = |key: &syn::Ident, wanted: &str| {
        let name = property_name(param).value();
        let spelt = spelling(ty);
        errors.at(
            key,
            format!("`{key}` is for {wanted}, and `{name}` is a `{spelt}`"),
        );
    };
    if !kind.may_be_number() {
        let numbers = [
            &args.minimum,
            &args.maximum,
            &args.exclusive_minimum,
            &args.exclusive_maximum,
            &args.multiple_of,
        ];
        for bound in numbers.into_iter().filter_map(Slot::get) {
            refuse(&bound.key, "numbers");
        }
    }
    if !kind.may_be_text() {
        for bound in [&args.min_length, &args.max_length]
            .into_iter()
            .filter_map(Slot::get)
        {
            refuse(&bound.key, "strings");
        }
        if let Some(pattern) = args.pattern.get() {
            refuse(&pattern.key, "strings");
        }
    }
    if !kind.may_be_list() {
        for bound in [&args.min_items, &args.max_items]
            .into_iter()
            .filter_map(Slot::get)
        {
            refuse(&bound.key, "lists");
        }
    }
}

/// Some number must be left between the bounds.
fn check_number_range(param: &ParamInput, errors: &mut Errors) {
    let (lower, upper) = limits(param);
    for (low, excludes_low) in lower {
        for (high, excludes_high) in upper {
            let (Some(low), Some(high)) = (low.get(), high.get()) else {
                continue;
            };
            let (least, most) = (&low.value, &high.value);
            let relation = if most.value.less_than(least.value) {
                "is greater than"
            } else if !least.value.less_than(most.value) && (excludes_low || excludes_high) {
                "leaves nothing up to"
            } else {
                continue;
            };
            let message = format!(
                "the `{}` {least} {relation} the `{}` {most}",
                low.key, high.key
            );
            errors.at(&least.tokens, message);
        }
    }
}

/// A bound that no value of the type can reach is a mistake, not a bound.
fn check_within_type(param: &ParamInput, kind: Kind, errors: &mut Errors) {
    let Kind::Integer(smallest, largest) = kind else {
        return;
    };
    let spelt = spelling(option_of(&param.ty).unwrap_or(&param.ty));
    let (lower, upper) = limits(param);
    for bound in lower
        .into_iter()
        .chain(upper)
        .filter_map(|(slot, _)| slot.get())
    {
        let Written { key, value, .. } = bound;
        let number = value.value;
        let message = if number.less_than(NumberValue::Int(smallest)) {
            format!("the `{key}` {value} is less than the smallest `{spelt}`")
        } else if largest.is_some_and(|largest| NumberValue::Int(largest).less_than(number)) {
            format!("the `{key}` {value} is greater than the largest `{spelt}`")
        } else if matches!(number, NumberValue::Float(float) if float.fract() != 0.0) {
            format!("the `{key}` {value} is no `{spelt}`; write an integer")
        } else {
            continue;
        };
        errors.at(&value.tokens, message);
    }
}

/// JSON Schema asks for a step above zero.
fn check_multiple_of(param: &ParamInput, errors: &mut Errors) {
    if let Some(step) = param.args.multiple_of.value()
        && !NumberValue::Int(0).less_than(step.value)
    {
        errors.at(&step.tokens, "the `multiple_of` must be greater than 0");
    }
}

/// Some length must be left between the bounds.
fn check_sizes(param: &ParamInput, errors: &mut Errors) {
    let args = &param.args;
    for (min, max) in [
        (&args.min_length, &args.max_length),
        (&args.min_items, &args.max_items),
    ] {
        if let (Some(min), Some(max)) = (min.get(), max.get())
            && size(&min.value) > size(&max.value)
        {
            let message = format!(
                "the `{}` {} is greater than the `{}` {}",
                min.key, min.value, max.key, max.value
            );
            errors.at(&min.value, message);
        }
    }
}

/// The pattern is compiled here, so that it can't fail in a call. The parser is the one that runs it.
fn check_pattern(param: &ParamInput, errors: &mut Errors) {
    let Some(pattern) = param.args.pattern.value() else {
        return;
    };
    let problem = match regex_syntax::parse(&pattern.value()) {
        Ok(_) => return,
        Err(regex_syntax::Error::Parse(error)) => error.kind().to_string(),
        Err(regex_syntax::Error::Translate(error)) => error.kind().to_string(),
        Err(error) => error.to_string(),
    };
    errors.at(
        pattern,
        format!("the `pattern` is not a regular expression: {problem}"),
    );
}

/// Choices are there, and each once.
fn check_choices(param: &ParamInput, errors: &mut Errors) {
    let Some(choices) = param.args.choices.get() else {
        return;
    };
    if choices.value.is_empty() {
        errors.at(&choices.key, "`choices` cannot be empty");
    }
    let mut seen: Vec<String> = Vec::new();
    for choice in &choices.value {
        let spelt = quote::quote!(#choice).to_string();
        if seen.contains(&spelt) {
            errors.at(choice, format!("duplicate choice `{spelt}`"));
        }
        seen.push(spelt);
    }
}

/// The reader of the key has seen that the number fits.
pub(super) fn size(number: &LitInt) -> Option<u64> {
    number.base10_parse().ok()
}
