use tinytools::tool;

/// Set the volume.
#[tool]
fn set_volume(#[arg(default = 0.0, exclusive_minimum = 0)] volume: f64) -> f64 {
    volume
}

fn main() {}
