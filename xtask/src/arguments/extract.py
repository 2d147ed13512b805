"""Lists the arguments that a package defines, by its syntax tree: nothing of the package runs.

    python3 extract.py PACKAGE PATTERN...

PACKAGE is a wheel, a source archive or a folder. A PATTERN is a path in it, in which `*` stands for
any characters; `path:Name` takes one class or function of the file, `path:Class.function` a method.
Every class has its annotated fields (dataclasses, pydantic), every file its options of argparse and
click; a function that is named has its parameters. Written are rows of CSV: name, default, choices,
where.

A default is its literal; empty where the argument is required; `...` where the code computes it.
Choices are the literals that the argument takes, with `|` between them, if the code lists them.
"""

import ast
import csv
import fnmatch
import pathlib
import sys
import tarfile
import zipfile

# What the code computes, as opposed to what it states.
COMPUTED = "..."
# Longest default that is written.
LONGEST = 80
# Functions that declare an option of a command, and those that describe a field.
OPTIONS = {"add_argument", "option"}
FIELDS = {"field", "Field", "HfArg", "PrivateAttr"}


def files(package):
    """Returns the texts of the Python files of a package by path, read as they are asked for."""
    path = pathlib.Path(package)
    if path.is_dir():
        return {file.relative_to(path).as_posix(): file.read_bytes for file in sorted(path.rglob("*.py"))}
    if path.suffix == ".whl":
        archive = zipfile.ZipFile(path)
        names = (name for name in archive.namelist() if name.endswith(".py"))
        # `name.data/purelib` is the root for a part of the files of some wheels.
        return {name.split(".data/purelib/")[-1]: lambda name=name: archive.read(name) for name in names}
    archive = tarfile.open(path)
    names = (name for name in archive.getnames() if name.endswith(".py"))
    # All stands in one folder, `name-version`.
    return {name.split("/", 1)[-1]: lambda name=name: archive.extractfile(name).read() for name in names}


def called(node):
    """Returns the name of the function that a call calls, without its module."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", ""))


def default(node):
    """Returns a default as text."""
    if node is None:
        return ""
    try:
        text = repr(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError):
        # A constant by its name, such as a member of an enumeration.
        parts = ast.unparse(node)
        text = parts if parts.replace(".", "").replace("_", "").isalnum() else COMPUTED
    return text if len(text) <= LONGEST and text.isprintable() else COMPUTED


def literals(nodes):
    """Returns choices as text: those that are texts or numbers."""
    values = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, (str, int))]
    return "|".join(sorted({str(value) for value in values}))


def choices(annotation):
    """Returns the choices in an annotation: those of every `Literal`."""
    found = []
    for node in ast.walk(annotation) if annotation else ():
        if isinstance(node, ast.Subscript) and getattr(node.value, "attr", getattr(node.value, "id", "")) == "Literal":
            found += node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return literals(found)


def field_default(node):
    """Returns the default of a field of a class."""
    if called(node) not in FIELDS:
        return default(node)
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    if "default_factory" in keywords:
        made = keywords["default_factory"]
        empty = {"list": "[]", "dict": "{}", "set": "set()", "tuple": "()"}
        return empty.get(getattr(made, "id", ""), COMPUTED)
    given = keywords.get("default", node.args[0] if node.args else None)
    is_required = isinstance(given, ast.Constant) and given.value is Ellipsis
    return "" if is_required else default(given)


def fields(node):
    """Yields name, default and choices of the annotated fields of a class."""
    for item in node.body:
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        name = item.target.id
        if not name.startswith("_") and "ClassVar" not in ast.unparse(item.annotation):
            yield name, field_default(item.value), choices(item.annotation)


def parameters(node):
    """Yields name, default and choices of the parameters of a function."""
    taken = node.args.posonlyargs + node.args.args
    missing = [None] * (len(taken) - len(node.args.defaults))
    pairs = list(zip(taken, missing + node.args.defaults)) + list(zip(node.args.kwonlyargs, node.args.kw_defaults))
    for parameter, value in pairs:
        if parameter.arg not in ("self", "cls"):
            yield parameter.arg, default(value), choices(parameter.annotation)


def options(tree):
    """Yields name, default and choices of the options of argparse and click."""
    for node in ast.walk(tree):
        if called(node) not in OPTIONS:
            continue
        names = [item.value for item in node.args if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        # Of several spellings the long ones count; click has `--on/--off` in one.
        names = [name for name in names if name.startswith("--")] or [name for name in names if name[:1] != "-"]
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        value = default(keywords.get("default"))
        if "default" not in keywords and isinstance(keywords.get("action"), ast.Constant):
            value = {"store_true": "False", "store_false": "True"}.get(keywords["action"].value, "")
        # argparse's `choices`, or click's type `Choice`.
        listed = keywords.get("choices", keywords.get("type"))
        listed = listed.args[0] if called(listed) == "Choice" and listed.args else listed
        listed = literals(listed.elts) if isinstance(listed, (ast.List, ast.Tuple)) else ""
        for name in names:
            yield name.split("/")[0].lstrip("-"), value, listed


def named(tree, path):
    """Returns the class or function of a file by its path."""
    node = tree
    for name in path.split("."):
        node = next((item for item in node.body if getattr(item, "name", None) == name), None)
        if node is None:
            return None
    return node


def rows(tree, file, chosen):
    """Yields name, default, choices and place of the arguments of a file, or of what is chosen of it."""
    if chosen:
        node = named(tree, chosen)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from ((*row, chosen) for row in parameters(node))
        elif isinstance(node, ast.ClassDef):
            yield from ((*row, chosen) for row in fields(node))
        else:
            sys.exit(f"{file} has no class or function {chosen} any more: correct `arguments` in program.toml.")
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from ((*row, node.name) for row in fields(node))
    yield from ((*row, file) for row in options(tree))


def main(package, patterns):
    found, have = set(), files(package)
    for pattern in patterns:
        place, _, chosen = pattern.partition(":")
        names = fnmatch.filter(have, place)
        if not names:
            sys.exit(f"{pathlib.Path(package).name} has no file {place} any more: correct `arguments` in program.toml.")
        for name in names:
            try:
                tree = ast.parse(have[name]())
            except SyntaxError as error:
                version = ".".join(map(str, sys.version_info[:2]))
                sys.exit(f"Python {version} cannot parse {name} ({error}): install a newer Python.")
            found.update(rows(tree, name, chosen))
    csv.writer(sys.stdout, lineterminator="\n").writerows(sorted(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
