use std::any::Any;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::OnceLock;

use serde_json::Value;

use super::bounds::{Bounds, Pattern, is_same};
use super::fault::{Mismatch, shortened};
use super::normalize::normalized;
use super::param::Param;
use super::schema;
use crate::ToolError;

/// The visible parameters of one tool.
///
/// They are listed by a function, since a table in a constant would be evaluated by the compiler at each check, which
/// takes it longer than all that is in the table. Everything that can be worked out once is, when it is first asked
/// for: the list, the schema, the patterns, the choices.
pub struct Input {
    params: fn() -> Vec<Param>,
    compiled: OnceLock<Compiled>,
}

struct Compiled {
    params: Vec<Param>,
    schema: Value,
    /// Of each parameter, in order.
    checks: Vec<Check>,
}

struct Check {
    pattern: Option<Pattern>,
    choices: Vec<Value>,
    /// Whether the type is all that a value is held to.
    free: bool,
    required: bool,
    /// Why the default is no value that the parameter may have; a default that is no literal shows it only here.
    default_fault: Option<String>,
}

impl Input {
    /// The given parameters, in the order of their declaration.
    #[must_use]
    pub const fn new(params: fn() -> Vec<Param>) -> Self {
        Self {
            params,
            compiled: OnceLock::new(),
        }
    }

    /// JSON Schema of the arguments object.
    pub fn schema(&self) -> Value {
        self.compiled().schema.clone()
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let params = (self.params)();
            Compiled {
                schema: schema::of_arguments(&params),
                checks: params.iter().map(Check::of).collect(),
                params,
            }
        })
    }

    /// Looks at the arguments of one call, which stay where they are.
    ///
    /// # Errors
    /// Where the arguments are not an object, or hold one that the tool doesn't have. The error then tells of all that
    /// is wrong with the call.
    pub fn open<'a>(&'a self, args: &'a Value) -> anyhow::Result<Args<'a>> {
        let compiled = self.compiled();
        let mut args = Args {
            params: &compiled.params,
            checks: &compiled.checks,
            values: normalized(&compiled.schema, args),
            in_order: true,
            taken: 0,
            faults: String::new(),
        };
        if !matches!(*args.values, Value::Object(_) | Value::Null) {
            let message = "invalid arguments: expected a JSON object";
            return Err(ToolError::retry(message).into());
        }
        args.refuse_unknown();
        if args.faults.is_empty() {
            Ok(args)
        } else {
            Err(args.all_faults())
        }
    }
}

impl Check {
    fn of(param: &Param) -> Self {
        let mut check = Self {
            pattern: param.bounds.pattern.map(Pattern::new),
            choices: param.choices.map(|choices| choices()).unwrap_or_default(),
            free: param.choices.is_none() && param.bounds == Bounds::NONE,
            required: param.is_required(),
            default_fault: None,
        };
        check.default_fault = param
            .default
            .as_ref()
            .and_then(|default| check_value(param, &check, &default.json()).err())
            .map(|mismatch| mismatch.problem().to_string());
        check
    }
}

/// The arguments of one call while they are read.
pub struct Args<'a> {
    params: &'a [Param],
    checks: &'a [Check],
    /// What came, as the schema asks for it; `null` for nothing.
    values: Cow<'a, Value>,
    /// Each is at the place of its parameter.
    in_order: bool,
    /// How many arguments have been taken.
    taken: usize,
    /// One line for each fault found.
    faults: String,
}

impl Args<'_> {
    /// The argument of the next parameter.
    ///
    /// # Errors
    /// Where this argument or one before it is wrong. The error then tells of all that is wrong with the call.
    pub(super) fn take<T: 'static>(&mut self) -> anyhow::Result<T> {
        let mut slot: Option<T> = None;
        self.read_next(&mut slot);
        match slot {
            Some(value) if self.faults.is_empty() => Ok(value),
            _ => Err(self.all_faults()),
        }
    }

    fn read_next(&mut self, slot: &mut dyn Any) {
        let index = self.taken;
        self.taken += 1;
        if let Err(mismatch) = self.read(index, slot) {
            note(&mut self.faults, self.params[index].name, &mismatch);
        }
    }

    fn read(&self, index: usize, slot: &mut dyn Any) -> Result<(), Mismatch> {
        let (param, check) = (&self.params[index], &self.checks[index]);
        let read = match self.value(index) {
            Some(value @ Value::Null) if !check.required && param.default.is_some() => {
                // The type may have a use for `null`; where it has none, `null` means that the argument is missing.
                (param.read)(value, slot).or_else(|_| read_absent(param, slot))
            }
            Some(value) => {
                check_value(param, check, value).and_then(|()| (param.read)(value, slot))
            }
            None => match &check.default_fault {
                None => read_absent(param, slot),
                Some(fault) => Err(Mismatch::faulty_default(fault)),
            },
        };
        read.map_err(|mismatch| {
            if param.redacted {
                mismatch.redact()
            } else {
                mismatch
            }
        })
    }

    fn all_faults(&mut self) -> anyhow::Error {
        while self.taken < self.params.len() {
            self.read_next(&mut ());
        }
        ToolError::retry(format!("invalid arguments:{}", self.faults)).into()
    }

    /// What came for a parameter. Most calls have a handful of arguments, in order, which are found by looking sooner than
    /// by hashing.
    fn value(&self, index: usize) -> Option<&Value> {
        const FEW: usize = 8;
        let Value::Object(fields) = &*self.values else {
            return None;
        };
        if self.in_order {
            return fields.values().nth(index);
        }
        let name = self.params[index].name;
        if fields.len() > FEW {
            return fields.get(name);
        }
        fields
            .iter()
            .find_map(|(field, value)| (field == name).then_some(value))
    }

    fn refuse_unknown(&mut self) {
        let Value::Object(fields) = &*self.values else {
            return;
        };
        for (index, name) in fields.keys().enumerate() {
            let is_meant = |param: &Param| param.name == name;
            if self.params.get(index).is_some_and(is_meant) {
                continue;
            }
            self.in_order = false;
            if !self.params.iter().any(is_meant) {
                let mismatch = Mismatch::unknown(self.params.iter().map(|param| param.name));
                note(&mut self.faults, &shortened(name), &mismatch);
            }
        }
    }
}

fn note(faults: &mut String, name: &str, mismatch: &Mismatch) {
    let path = mismatch.path_below(name);
    let problem = mismatch.problem();
    // Writing to a `String` can't fail.
    let _ = write!(faults, "\n- `{path}`: {problem}");
}

fn read_absent(param: &Param, slot: &mut dyn Any) -> Result<(), Mismatch> {
    if let Some(default) = &param.default {
        default.fill(slot);
        Ok(())
    } else if (param.absent)(slot) {
        Ok(())
    } else {
        Err(Mismatch::missing())
    }
}

fn check_value(param: &Param, check: &Check, value: &Value) -> Result<(), Mismatch> {
    if check.free || value.is_null() {
        return Ok(());
    }
    if !check.choices.is_empty() && !check.choices.iter().any(|choice| is_same(choice, value)) {
        let choices: Vec<String> = check.choices.iter().map(ToString::to_string).collect();
        return Err(Mismatch::wrong(
            format!("one of {}", choices.join(", ")),
            shortened(&value.to_string()),
        ));
    }
    param.bounds.check(value, check.pattern.as_ref())
}
