//! What may follow what, in one place for every ledger that keeps whole rows.

use tinytools::ToolReplay;

use super::{LedgerError, ToolEffect, ToolEffectSettle, ToolEffectStart, ToolEffectStatus};

impl ToolEffect {
    /// Hands the row over to a new claim; `false`, and no change, where it is taken.
    ///
    /// This is the rule of [`ToolEffectLedger::started`](super::ToolEffectLedger::started), for ledgers that keep rows.
    #[must_use]
    pub fn reclaim(&mut self, start: &ToolEffectStart) -> bool {
        let is_over = matches!(
            self.status,
            ToolEffectStatus::Interrupted | ToolEffectStatus::Failed
        );
        let is_safe = self.replay == ToolReplay::Safe && start.replay == ToolReplay::Safe;
        if !(is_over && is_safe) {
            return false;
        }
        *self = Self {
            claim: self.claim + 1,
            attempts: self.attempts.saturating_add(1),
            ..Self::new(start.clone())
        };
        true
    }

    /// Settles the row; `false` where that changes nothing.
    ///
    /// This is the rule of [`ToolEffectLedger::settled`](super::ToolEffectLedger::settled), for ledgers that keep rows.
    ///
    /// # Errors
    /// As there.
    pub fn settle(&mut self, settle: ToolEffectSettle) -> Result<bool, LedgerError> {
        self.check_claim(settle.claim)?;
        if settle.status == ToolEffectStatus::Started {
            return Err(LedgerError::NoSettlement);
        }
        if settle.status == self.status {
            return Ok(false);
        }
        if self.status.is_final() {
            return Err(self.already_settled());
        }
        self.status = settle.status;
        self.answer = settle.answer;
        let more = settle.attempts.saturating_sub(1);
        self.attempts = self.attempts.saturating_add(more);
        Ok(true)
    }

    /// Whether the row may be forgotten: the rule of
    /// [`ToolEffectLedger::withdrawn`](super::ToolEffectLedger::withdrawn), for ledgers that keep rows.
    ///
    /// # Errors
    /// As there.
    pub fn check_withdrawal(&self, claim: u64) -> Result<(), LedgerError> {
        self.check_claim(claim)?;
        match self.status {
            ToolEffectStatus::Started => Ok(()),
            _ => Err(self.already_settled()),
        }
    }

    fn check_claim(&self, claim: u64) -> Result<(), LedgerError> {
        if claim == self.claim {
            return Ok(());
        }
        Err(LedgerError::Superseded {
            tool_name: self.tool_name.clone(),
            claim,
            newest: self.claim,
        })
    }

    fn already_settled(&self) -> LedgerError {
        LedgerError::AlreadySettled {
            tool_name: self.tool_name.clone(),
            status: self.status,
        }
    }
}
