#!/usr/bin/env python3
"""Lists the public API, one declaration a line, and compares the list with the one in the repository.

    swift build && .ci/api.py            compares, and shows what differs
    swift build && .ci/api.py --update   writes the lists in .ci/api

The list is made of the symbol graphs of the last debug build. A declaration that disappears or changes breaks programs
that use it: the version number and CHANGELOG.md must say so. Declarations whose names begin with an underscore are listed
as well, since they are part of the binary and source interface.
"""
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

MODULES = [
    "HalyardHTTP", "Halyard", "HalyardCodable", "HalyardFutures", "HalyardAsync", "HalyardEndpoints", "HalyardTesting",
    "HalyardCurl", "HalyardURLSession",
]
root = pathlib.Path(__file__).resolve().parent.parent
lists = root / ".ci/api"


def output(*command):
    return subprocess.check_output([str(word) for word in command], text=True, cwd=root)


def declarations(module, built, target, folder):
    """The lines of one module: the declarations in the order of their names."""
    tool = pathlib.Path(output("bash", "-c", "readlink -f $(command -v swift)").strip()).parent / "swift-symbolgraph-extract"
    output(tool, "-module-name", module, "-minimum-access-level", "public", "-skip-synthesized-members", "-target", target,
           "-I", built / "Modules", "-I", built / "CHalyardCurl.build", "-output-dir", folder)
    lines = set()
    for file in pathlib.Path(folder).glob(f"{module}*.symbols.json"):
        extended = file.name.removesuffix(".symbols.json").partition("@")[2]
        for symbol in json.loads(file.read_text())["symbols"]:
            text = "".join(part["spelling"] for part in symbol["declarationFragments"])
            path = ".".join(symbol["pathComponents"][:-1])
            owner = f"{extended}.{path}" if extended and path else path
            lines.add(f"{owner + ': ' if owner else ''}{' '.join(text.split())}")
    return sorted(lines)


def main():
    built = pathlib.Path(output("swift", "build", "--show-bin-path").strip())
    target = json.loads(output("swift", "-print-target-info"))["target"]["triple"]
    changed = 0
    for module in MODULES:
        with tempfile.TemporaryDirectory() as folder:
            lines = declarations(module, built, target, folder)
        if not lines:
            sys.exit(f"no public declaration of {module} was found: build first")
        file = lists / f"{module}.txt"
        if "--update" in sys.argv:
            lists.mkdir(exist_ok=True)
            file.write_text("\n".join(lines) + "\n")
            continue
        known = file.read_text().splitlines() if file.exists() else []
        for line in difflib.unified_diff(known, lines, f"{module}, as listed", f"{module}, as built", lineterm="", n=0):
            changed += 1
            print(line)
    if changed:
        sys.exit("the public API differs from .ci/api: if that is meant, run .ci/api.py --update and name it in CHANGELOG.md")
    print(f"the public API of {len(MODULES)} modules is as listed")


main()
