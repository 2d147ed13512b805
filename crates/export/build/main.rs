//! Takes the types of the JavaScript package, from which the JSON schemas are made.

fn main() {
    build::run(|workspace| Ok(vec![("index.d.ts", workspace.read("npm/js/index.d.ts")?.text)]));
}
