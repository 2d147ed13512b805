//! Takes the measuring script, which the page serves too.

fn main() {
    build::run(|workspace| Ok(vec![("measure.py", workspace.read("static/measure.py")?.text)]));
}
