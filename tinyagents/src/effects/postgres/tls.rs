//! TLS by rustls.

use std::sync::Arc;

use anyhow::Context as _;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres_rustls::MakeRustlsConnect;

/// A connector that trusts these authorities, or those of the operating system.
pub(super) fn connector(roots: Option<&[u8]>) -> anyhow::Result<MakeRustlsConnect> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS can't be used")?;
    let config = match roots {
        Some(pem) => config.with_root_certificates(store(pem)?),
        None => config.with_platform_verifier().context(
            "the system's certificates can't be used; give `root_certificates`, or `sslmode=disable`",
        )?,
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn store(pem: &[u8]) -> anyhow::Result<RootCertStore> {
    let unread = "the root certificates can't be read";
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate
            .map_err(|error| anyhow::anyhow!("{error}"))
            .context(unread)?;
        store.add(certificate).context(unread)?;
    }
    anyhow::ensure!(!store.is_empty(), "the root certificates are none");
    Ok(store)
}
