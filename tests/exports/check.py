"""Holds the settings under target/exports against the parsers of the frameworks themselves.

`cargo xtask test --exports` installs requirements.txt, writes the settings (examples/settings) and runs this file, which prints a
line a framework and, with --document, writes the table of docs/book/settings.md. Nothing here needs a GPU: see `stub_gpu` for the
three questions about one that are answered in its place.
"""

import argparse
import importlib.metadata
import json
import os
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
warnings.filterwarnings("ignore")

import frameworks  # noqa: E402

MARKER = "<!-- checked -->"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="what examples/settings wrote")
    parser.add_argument("--document", type=Path, help="the page whose table is written anew")
    parser.add_argument("--only", help="one framework")
    parser.add_argument("--scenario", help="scenarios whose name or folder holds this")
    parser.add_argument("--verbose", action="store_true", help="tracebacks")
    options = parser.parse_args()
    scenarios = json.loads((options.folder / "scenarios.json").read_text())
    if options.scenario:
        scenarios = [s for s in scenarios if options.scenario in s["name"] or options.scenario == s["folder"]]
    frameworks.stub_gpu()
    rows, failed = [], 0
    for name, (package, file, check) in frameworks.ALL.items():
        if options.only and options.only.lower() not in name.lower():
            continue
        passed, noted, refused = 0, 0, []
        for scenario in scenarios:
            path = options.folder / scenario["folder"] / file
            try:
                with frameworks.quiet(not options.verbose):
                    check(path, scenario)
                passed += 1
            except Exception as error:
                if any("refuse" in note for note in scenario["notes"][name]):
                    noted += 1
                    continue
                refused.append((scenario, error))
                if options.verbose:
                    traceback.print_exc()
        version = importlib.metadata.version(package)
        print(f"{name} ({package} {version}): {passed} of {len(scenarios)} accepted, {noted} refused as noted", flush=True)
        for scenario, error in refused:
            text = " ".join(str(error).split())
            print(f"    {scenario['folder']} {scenario['name']}: {type(error).__name__}: {text[:300]}")
        failed += len(refused)
        rows.append((name, package, version, passed, noted, len(scenarios)))
    if options.document:
        write(options.document, rows)
    print(f"test result: {'ok' if failed == 0 else 'FAILED'}. {sum(r[3] for r in rows)} passed; {failed} failed; 0 ignored")
    return failed > 0


def write(document, rows):
    """The table between the page's markers."""
    before, _, after = document.read_text().split(MARKER)
    lines = ["| Framework | Read by | Accepted | Refused, as noted |", "|---|---|---:|---:|"]
    for name, package, version, passed, noted, everything in rows:
        lines.append(f"| {name} | {frameworks.READ_BY[name]} of {package} {version} | {passed} of {everything} | {noted} |")
    document.write_text(before + MARKER + "\n" + "\n".join(lines) + "\n" + MARKER + after)


if __name__ == "__main__":
    sys.exit(main())
