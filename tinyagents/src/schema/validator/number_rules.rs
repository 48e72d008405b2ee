//! `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`.

use std::cmp::Ordering;

use serde_json::Number;

use super::{
    keywords::Keywords,
    number::{Divisor, Num},
};
use crate::schema::SchemaError;

/// What a schema asks of a number.
#[derive(Debug)]
pub(super) struct NumberRules {
    pub(super) low: Option<Bound>,
    pub(super) high: Option<Bound>,
    pub(super) multiple_of: Option<Divisor>,
}

/// One end of a range of numbers.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) value: Num,
    pub(super) exclusive: bool,
    /// What to do about a number beyond it; put into words once, as writing a number is slow.
    fix: Box<str>,
}

impl NumberRules {
    pub(super) fn read(keywords: &Keywords<'_, '_>) -> Result<Option<Self>, SchemaError> {
        let multiple_of = match keywords.number("multipleOf")? {
            None => None,
            Some(number) => Some(
                Divisor::new(number)
                    .ok_or_else(|| keywords.invalid("multipleOf", "a number greater than 0"))?,
            ),
        };
        let bound = |keyword, exclusive, words| {
            let number = keywords.number(keyword)?;
            Ok(number.map(|number| Bound::new(number, exclusive, words)))
        };
        let low = tighter(
            bound("minimum", false, "at least")?,
            bound("exclusiveMinimum", true, "more than")?,
            Ordering::Greater,
        );
        let high = tighter(
            bound("maximum", false, "at most")?,
            bound("exclusiveMaximum", true, "less than")?,
            Ordering::Less,
        );
        let silent = low.is_none() && high.is_none() && multiple_of.is_none();
        Ok((!silent).then_some(Self {
            low,
            high,
            multiple_of,
        }))
    }

    /// The whole numbers that are known to be accepted, from the first to the last.
    pub(super) fn plain_ints(&self) -> (i64, i64) {
        plain_ints(
            self.low.as_ref(),
            self.high.as_ref(),
            self.multiple_of.is_some(),
        )
    }

    /// Between these, every float is accepted; the ends may be as well.
    pub(super) fn plain_floats(&self) -> (f64, f64) {
        plain_floats(
            self.low.as_ref(),
            self.high.as_ref(),
            self.multiple_of.is_some(),
        )
    }

    pub(super) fn accept(&self, number: &Number) -> bool {
        let number = Num::of(number);
        self.broken_bound(number).is_none() && self.broken_divisor(number).is_none()
    }

    /// What to do about the number; `None` for one that is accepted.
    pub(super) fn fix(&self, number: &Number) -> Option<String> {
        let number = Num::of(number);
        if let Some(bound) = self.broken_bound(number) {
            return Some(String::from(&*bound.fix));
        }
        let divisor = self.broken_divisor(number)?;
        Some(format!("send a multiple of {}", divisor.value))
    }

    /// The bound that the number is beyond.
    #[inline]
    fn broken_bound(&self, number: Num) -> Option<&Bound> {
        let low = self.low.as_ref();
        let low = low.filter(|low| !low.admits(number, Ordering::Greater));
        low.or_else(|| {
            let high = self.high.as_ref();
            high.filter(|high| !high.admits(number, Ordering::Less))
        })
    }

    fn broken_divisor(&self, number: Num) -> Option<&Divisor> {
        let divisor = self.multiple_of.as_ref();
        divisor.filter(|divisor| !divisor.divides(number))
    }
}

/// The whole numbers from `low` to `high`; none where that would take more than a comparison to say.
fn plain_ints(low: Option<&Bound>, high: Option<&Bound>, divided: bool) -> (i64, i64) {
    const NONE: (i64, i64) = (1, 0);
    let end = |bound: Option<&Bound>, open: i64, step: i64| match bound {
        None => Some(open),
        Some(bound) => match bound.value {
            Num::Int(int) => {
                i64::try_from(int)
                    .ok()?
                    .checked_add(if bound.exclusive { step } else { 0 })
            }
            Num::Float(_) => None,
        },
    };
    match (end(low, i64::MIN, 1), end(high, i64::MAX, -1)) {
        (Some(first), Some(last)) if !divided => (first, last),
        _ => NONE,
    }
}

/// The same for floats. Only bounds that a float holds as they are can be compared so.
fn plain_floats(low: Option<&Bound>, high: Option<&Bound>, divided: bool) -> (f64, f64) {
    const NONE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);
    let end = |bound: Option<&Bound>, open: f64| match bound.map(|bound| bound.value) {
        None => Some(open),
        Some(Num::Float(float)) => Some(float),
        Some(Num::Int(int)) => i32::try_from(int).ok().map(f64::from),
    };
    match (end(low, f64::NEG_INFINITY), end(high, f64::INFINITY)) {
        (Some(low), Some(high)) if !divided => (low, high),
        _ => NONE,
    }
}

impl Bound {
    fn new(number: &Number, exclusive: bool, words: &str) -> Self {
        let value = Num::of(number);
        Self {
            value,
            exclusive,
            fix: format!("send {words} {value}").into(),
        }
    }

    fn admits(&self, number: Num, side: Ordering) -> bool {
        number
            .compare(self.value)
            .is_some_and(|order| order == side || (order == Ordering::Equal && !self.exclusive))
    }
}

/// The bound that leaves less. Of two equal ones that is the exclusive one.
fn tighter(inclusive: Option<Bound>, exclusive: Option<Bound>, side: Ordering) -> Option<Bound> {
    match (inclusive, exclusive) {
        (Some(inclusive), Some(exclusive)) => {
            if inclusive.value.compare(exclusive.value) == Some(side) {
                Some(inclusive)
            } else {
                Some(exclusive)
            }
        }
        (inclusive, exclusive) => inclusive.or(exclusive),
    }
}
