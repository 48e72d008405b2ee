//! Numbers by the rules of JSON Schema: the mathematical value counts, not how it is stored.

use std::{
    cmp::Ordering,
    fmt::{self, Write},
};

use serde_json::Number;

/// The value of a JSON number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Num {
    Int(i128),
    Float(f64),
}

impl Num {
    pub(super) fn of(number: &Number) -> Self {
        if let Some(int) = number.as_i64() {
            Self::Int(int.into())
        } else if let Some(int) = number.as_u64() {
            Self::Int(int.into())
        } else {
            // Only a number that no float can hold has neither form; it then compares with nothing.
            Self::Float(number.as_f64().unwrap_or(f64::NAN))
        }
    }

    /// Exact, also between a whole number and a float that cannot be converted without loss.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(&right)),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(&right),
            (Self::Int(left), Self::Float(right)) => compare_int_with_float(left, right),
            (Self::Float(left), Self::Int(right)) => {
                compare_int_with_float(right, left).map(Ordering::reverse)
            }
        }
    }

    pub(super) fn is_positive(self) -> bool {
        self.compare(Self::Int(0)) == Some(Ordering::Greater)
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => int.fmt(f),
            // As it would be written in JSON, not with 300 digits.
            Self::Float(float) if float.abs() >= 1e17 || (*float != 0.0 && float.abs() < 1e-7) => {
                write!(f, "{float:e}")
            }
            Self::Float(float) => float.fmt(f),
        }
    }
}

fn compare_int_with_float(int: i128, float: f64) -> Option<Ordering> {
    if let Ok(small) = i32::try_from(int) {
        // A float holds it as it is.
        return f64::from(small).partial_cmp(&float);
    }
    if float.is_nan() {
        return None;
    }
    let whole = float.trunc();
    // Every whole number of JSON that is stored as one lies well within ±2^65.
    if whole.abs() >= 2f64.powi(65) {
        return Some(if whole > 0.0 {
            Ordering::Less
        } else {
            Ordering::Greater
        });
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^65")]
    let by_whole = int.cmp(&(whole as i128));
    Some(by_whole.then_with(|| {
        // `whole` and `float` differ by the fraction, which has the sign of the float.
        whole.partial_cmp(&float).unwrap_or(Ordering::Equal)
    }))
}

/// The number that `multipleOf` asks to divide by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    pub(super) value: Num,
    decimal: Decimal,
}

impl Divisor {
    /// `None` unless the number is positive.
    pub(super) fn new(number: &Number) -> Option<Self> {
        let value = Num::of(number);
        let decimal = Decimal::of(value)?;
        value.is_positive().then_some(Self { value, decimal })
    }

    pub(super) fn divides(&self, number: Num) -> bool {
        if let (Num::Int(dividend), Num::Int(divisor)) = (number, self.value) {
            return dividend % divisor == 0;
        }
        Decimal::of(number).is_some_and(|dividend| dividend.is_multiple_of(self.decimal))
    }
}

/// `digits × 10^exponent`: the number as its shortest decimal form says it, so that 0.0075 is a multiple of 0.0001
/// although the nearest floats are not multiples of each other.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    fn of(number: Num) -> Option<Self> {
        let float = match number {
            Num::Int(int) => {
                return Some(Self {
                    digits: int.unsigned_abs(),
                    exponent: 0,
                });
            }
            Num::Float(float) => float,
        };
        let mut text = ShortText::default();
        write!(text, "{:e}", float.abs()).ok()?;
        let (mantissa, exponent) = text.as_str()?.split_once('e')?;
        let mut exponent: i32 = exponent.parse().ok()?;
        let mut digits: u128 = 0;
        let mut in_fraction = false;
        for letter in mantissa.chars() {
            if letter == '.' {
                in_fraction = true;
                continue;
            }
            digits = digits * 10 + u128::from(letter.to_digit(10)?);
            exponent -= i32::from(in_fraction);
        }
        Some(Self { digits, exponent })
    }

    fn is_multiple_of(self, divisor: Self) -> bool {
        let shift = self.exponent - divisor.exponent;
        let by = shift.unsigned_abs();
        if shift >= 0 {
            // digits × 10^by mod divisor, without ever leaving the 128 bits: divisors have at most 64.
            let modulus = divisor.digits;
            (0..by).fold(self.digits % modulus, |rest, _| rest * 10 % modulus) == 0
        } else {
            // A divisor beyond 128 bits is larger than any dividend.
            match 10u128
                .checked_pow(by)
                .and_then(|scale| scale.checked_mul(divisor.digits))
            {
                Some(divisor) => self.digits.is_multiple_of(divisor),
                None => self.digits == 0,
            }
        }
    }
}

/// Room for one float in scientific form, so that the valid path need not allocate.
#[derive(Default)]
struct ShortText {
    bytes: [u8; 32],
    length: usize,
}

impl ShortText {
    fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes.get(..self.length)?).ok()
    }
}

impl Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes
            .get_mut(self.length..end)
            .ok_or(fmt::Error)?
            .copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn num(value: &Value) -> Num {
        Num::of(value.as_number().expect("a number"))
    }

    fn is_multiple(value: &Value, of: &Value) -> bool {
        Divisor::new(of.as_number().expect("a number"))
            .expect("positive")
            .divides(num(value))
    }

    #[test]
    fn whole_numbers_and_floats_compare_by_value() {
        let ordered = [
            json!(-1e300),
            json!(i64::MIN),
            json!(-2.5),
            json!(-2),
            json!(0.5),
            json!(1),
            json!(9_007_199_254_740_992.0),
            json!(9_007_199_254_740_993_u64),
            json!(u64::MAX),
            json!(18_446_744_073_709_551_616.0),
            json!(1e300),
        ];
        for (i, left) in ordered.iter().enumerate() {
            for (j, right) in ordered.iter().enumerate() {
                assert_eq!(
                    num(left).compare(num(right)),
                    Some(i.cmp(&j)),
                    "{left} {right}"
                );
            }
        }
        assert_eq!(
            num(&json!(2)).compare(num(&json!(2.0))),
            Some(Ordering::Equal)
        );
        assert_eq!(
            num(&json!(0)).compare(num(&json!(-0.0))),
            Some(Ordering::Equal)
        );
    }

    #[test]
    fn multiples_are_judged_in_decimals() {
        for (value, of) in [
            (json!(0), json!(0.3)),
            (json!(0.3), json!(0.1)),
            (json!(0.0075), json!(0.0001)),
            (json!(-21), json!(7)),
            (json!(19.5), json!(1.5)),
            (json!(1e308), json!(0.5)),
            (json!(12_391_239_123_u64), json!(1e-8)),
            (json!(4.0), json!(2)),
        ] {
            assert!(is_multiple(&value, &of), "{value} {of}");
        }
        for (value, of) in [
            (json!(0.35), json!(0.1)),
            (json!(0.00751), json!(0.0001)),
            (json!(22), json!(7)),
            (json!(1e308), json!(0.123_456_789)),
            (json!(1e-300), json!(1e300)),
            (json!(4.5), json!(2)),
        ] {
            assert!(!is_multiple(&value, &of), "{value} {of}");
        }
    }

    #[test]
    fn only_a_positive_number_divides() {
        for number in [json!(0), json!(-2), json!(-0.5), json!(0.0)] {
            assert!(Divisor::new(number.as_number().expect("a number")).is_none());
        }
    }
}
