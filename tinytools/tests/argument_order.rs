//! Each parameter gets its own argument, whatever comes beside that and in which order.

use serde_json::{Map, Value, json};
use tinytools::{Tool, tool};

/// Show.
#[tool]
fn show(
    first: u8,
    #[arg(rename = "of")] second: Option<u8>,
    r#type: u8,
    #[arg(default = 40)] fourth: u8,
    fifth: Option<u8>,
) -> String {
    let third = r#type;
    format!("{first} {second:?} {third} {fourth} {fifth:?}")
}

fn shown(args: Value) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| error.to_string())?;
    let result = runtime.block_on(ShowTool.execute(args));
    result
        .map(|result| result.output())
        .map_err(|error| format!("{error:#}"))
}

/// Every order of every part of the list.
fn arrangements<T: Copy>(list: &[T]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for (at, first) in list.iter().enumerate() {
        let mut rest = list.to_vec();
        rest.remove(at);
        for mut arrangement in arrangements(&rest) {
            arrangement.insert(0, *first);
            all.push(arrangement);
        }
    }
    all
}

#[test]
fn each_parameter_gets_its_own_argument() {
    let some = [
        ("first", json!(1)),
        ("of", json!(2)),
        ("type", json!(3)),
        ("fourth", json!(4.0)),
        ("fifth", json!(null)),
    ];
    let other = [
        ("first", json!(1)),
        ("of", json!(null)),
        ("type", json!(3)),
        ("fourth", json!(null)),
        ("fifth", json!(5)),
    ];
    for fields in [some, other] {
        for given in arrangements(&fields.iter().collect::<Vec<_>>()) {
            let args: Map<String, Value> = given
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect();
            let number = |name: &str| args.get(name).and_then(Value::as_f64);
            let optional = |name: &str| match number(name) {
                Some(number) => format!("Some({number})"),
                None => "None".to_owned(),
            };
            let answer = shown(Value::Object(args.clone()));
            if let (Some(first), Some(third)) = (number("first"), number("type")) {
                let (second, fifth) = (optional("of"), optional("fifth"));
                let fourth = number("fourth").unwrap_or(40.0);
                let expected = format!("{first} {second} {third} {fourth} {fifth}");
                assert_eq!(answer, Ok(expected), "{args:?}");
            } else {
                let error = answer.err().unwrap_or_default();
                for name in ["first", "type"] {
                    let is_told = error.contains(&format!("`{name}`"));
                    assert_eq!(is_told, !args.contains_key(name), "{args:?}: {error}");
                }
            }
            let mut more = args.clone();
            more.insert("more".to_owned(), json!(9));
            let error = shown(Value::Object(more)).err().unwrap_or_default();
            assert!(error.contains("`more`"), "{args:?}: {error}");
        }
    }
}
