//! Reading a model's text, whole and byte by byte: each doubling of the text may double the time and no more.
//!
//! As an indication, 50 MB/s whole and 20 MB/s byte by byte. The sizes of the `PType` catalogue and of the JSON schemas are
//! printed first.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dialect_support::{schemas, texts};
use tinyagents::dialect::{Dialect, StreamScrubber, parse_calls, render_catalogue};

#[allow(missing_docs, unreachable_pub)]
mod dialect_support;

const SIZES: [usize; 3] = [256 << 10, 512 << 10, 1 << 20];

fn parsing(criterion: &mut Criterion) {
    let schemas = schemas();
    let signatures = render_catalogue(Dialect::PType, &schemas).len();
    let json = render_catalogue(Dialect::Json, &schemas).len();
    println!(
        "catalogue: {signatures} bytes as signatures, {json} as JSON, {} %",
        signatures * 100 / json
    );
    for (name, text) in texts() {
        let mut group = criterion.benchmark_group(format!("dialect/{name}"));
        group.sample_size(10);
        for size in SIZES {
            let text = text(size);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::new("whole", size), &text, |bencher, text| {
                bencher.iter(|| black_box(parse_calls(text, &schemas)));
            });
            group.bench_with_input(
                BenchmarkId::new("bytewise", size),
                &text,
                |bencher, text| {
                    bencher.iter(|| {
                        let mut scrubber = StreamScrubber::new(schemas.clone());
                        for byte in text.as_bytes().chunks(1) {
                            black_box(scrubber.push_bytes(byte));
                        }
                        black_box(scrubber.finish())
                    });
                },
            );
        }
        group.finish();
    }
}

criterion_group!(benches, parsing);
criterion_main!(benches);
