use tinytools::tool;

/// Set the volume.
#[tool]
fn set_volume(#[arg(exclusive_minimum = 1.0, exclusive_maximum = 1.0)] volume: f64) -> f64 {
    volume
}

fn main() {}
