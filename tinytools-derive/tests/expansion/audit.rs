/// Audit the accounts.
#[tool(read_only)]
async fn audit(
    #[hidden] ledger: &Ledger,
    #[hidden] store: &dyn Store,
    #[hidden] clock: Arc<dyn Clock>,
    #[hidden] key: Key,
    #[hidden] limit: Option<&Limit>,
    #[hidden] region: Option<Region>,
    #[hidden] _: &Permit,
) {
    ledger.audit(store, clock, key, limit, region).await;
}
