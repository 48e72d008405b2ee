//! A tool of forty parameters of every kind: a table of forty rows, with no limit in sight.

#![allow(clippy::too_many_arguments)]

use std::collections::BTreeMap;

use tinytools::tool;

/// Fill in a form.
#[tool(read_only)]
pub async fn fill_in(
    p0_number: u32,
    #[arg(default = 0, maximum = 50)] p0_bounded: u8,
    p0_text: &str,
    p0_maybe: Option<String>,
    p1_number: u32,
    #[arg(default = 1, maximum = 50)] p1_bounded: u8,
    p1_text: &str,
    p1_list: &[String],
    p2_number: u32,
    #[arg(default = 2, maximum = 50)] p2_bounded: u8,
    p2_text: &str,
    p2_map: BTreeMap<String, bool>,
    p3_number: u32,
    #[arg(default = 3, maximum = 50)] p3_bounded: u8,
    p3_text: &str,
    p3_maybe: Option<String>,
    p4_number: u32,
    #[arg(default = 4, maximum = 50)] p4_bounded: u8,
    p4_text: &str,
    p4_list: &[String],
    p5_number: u32,
    #[arg(default = 5, maximum = 50)] p5_bounded: u8,
    p5_text: &str,
    p5_map: BTreeMap<String, bool>,
    p6_number: u32,
    #[arg(default = 6, maximum = 50)] p6_bounded: u8,
    p6_text: &str,
    p6_maybe: Option<String>,
    p7_number: u32,
    #[arg(default = 7, maximum = 50)] p7_bounded: u8,
    p7_text: &str,
    p7_list: &[String],
    p8_number: u32,
    #[arg(default = 8, maximum = 50)] p8_bounded: u8,
    p8_text: &str,
    p8_map: BTreeMap<String, bool>,
    p9_number: u32,
    #[arg(default = 9, maximum = 50)] p9_bounded: u8,
    p9_text: &str,
    p9_maybe: Option<String>,
) -> usize {
    let numbers = [
        p0_number, p1_number, p2_number, p3_number, p4_number, p5_number, p6_number, p7_number,
        p8_number, p9_number,
    ];
    let bounded = [
        p0_bounded, p1_bounded, p2_bounded, p3_bounded, p4_bounded, p5_bounded, p6_bounded,
        p7_bounded, p8_bounded, p9_bounded,
    ];
    let texts = [
        p0_text, p1_text, p2_text, p3_text, p4_text, p5_text, p6_text, p7_text, p8_text, p9_text,
    ];
    let sizes = [
        p0_maybe.map_or(0, |text| text.len()),
        p1_list.len(),
        p2_map.len(),
        p3_maybe.map_or(0, |text| text.len()),
        p4_list.len(),
        p5_map.len(),
        p6_maybe.map_or(0, |text| text.len()),
        p7_list.len(),
        p8_map.len(),
        p9_maybe.map_or(0, |text| text.len()),
    ];
    numbers.len() + bounded.len() + texts.concat().len() + sizes.iter().sum::<usize>()
}
