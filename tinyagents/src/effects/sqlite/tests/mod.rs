//! What the ledger does in its own thread and in its callers', and beside other processes.

mod at_once;
mod busy;
