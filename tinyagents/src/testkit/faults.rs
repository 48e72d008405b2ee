//! What a check finds wrong with a tool.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// One rule that a tool breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolFault {
    /// The rule.
    pub rule: &'static str,
    /// What was found instead.
    pub found: String,
}

impl fmt::Display for ToolFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.found)
    }
}

/// Everything that is wrong with one tool. `Debug` is the same text as `Display`, so that `unwrap` in a test can be read.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolFaults {
    tool: String,
    faults: Vec<ToolFault>,
    /// How many more calls show a fault, by its position.
    more: BTreeMap<usize, usize>,
}

impl ToolFaults {
    pub(super) fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            faults: Vec::new(),
            more: BTreeMap::new(),
        }
    }

    /// The faults, in the order of the rules.
    #[must_use]
    pub fn faults(&self) -> &[ToolFault] {
        &self.faults
    }

    /// The same fault shows at several places; it is told once.
    pub(super) fn add(&mut self, rule: &'static str, found: impl Into<String>) {
        let fault = ToolFault {
            rule,
            found: found.into(),
        };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The same for a call that shows it: the first one is told, and how many more there are.
    pub(super) fn add_call(&mut self, rule: &'static str, what: &'static str, arguments: &Value) {
        let is_known = |fault: &ToolFault| fault.rule == rule && fault.found.starts_with(what);
        match self.faults.iter().position(is_known) {
            Some(position) => *self.more.entry(position).or_default() += 1,
            None => self.add(rule, format!("{what} {arguments}")),
        }
    }

    pub(super) fn into_result(mut self) -> Result<(), Self> {
        for (position, more) in std::mem::take(&mut self.more) {
            let found = &mut self.faults[position].found;
            found.push_str(", and ");
            found.push_str(&more.to_string());
            found.push_str(" more like it");
        }
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(self)
        }
    }
}

impl fmt::Display for ToolFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tool `{}` breaks the rules:", self.tool)?;
        for fault in &self.faults {
            write!(f, "\n- {fault}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ToolFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ToolFaults {}
