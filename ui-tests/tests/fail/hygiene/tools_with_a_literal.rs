use tinytools::tools;

fn main() {
    println!("{}", tools!["search"].len());
}
