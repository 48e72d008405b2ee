use tinytools::tools;

fn main() {
    println!("{}", tools![=].len());
}
