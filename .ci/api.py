#!/usr/bin/env python3
"""Lists the public API, one declaration or conformance a line, and compares the list with the one in the repository.

    swift build && .ci/api.py            compares, and shows what differs
    swift build && .ci/api.py --update   writes the lists in .ci/api

The list is made of the symbol graphs of the last debug build. A declaration or a conformance that disappears or changes
breaks programs that use it: the version number and CHANGELOG.md must say so. Declarations whose names begin with an
underscore are listed as well, since they are part of the binary and source interface. Symbol graphs omit them, so they are
read from the dump of swift-api-digester.
"""
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

MODULES = [
    "HalyardHTTP", "Halyard", "HalyardCodable", "HalyardFutures", "HalyardAsync", "HalyardEndpoints", "HalyardCache",
    "HalyardTracing", "HalyardHAR", "HalyardLimits", "HalyardWebSocket", "HalyardTesting", "HalyardTestingTraits",
    "HalyardCurl", "HalyardURLSession", "HalyardOpenAPI", "HalyardOAuth", "HalyardSigning",
]
# Conformances that nearly every type has, without a declaration.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
root = pathlib.Path(__file__).resolve().parent.parent
lists = root / ".ci/api"


def output(*command):
    return subprocess.check_output([str(word) for word in command], text=True, cwd=root)


def tool(name):
    return pathlib.Path(output("bash", "-c", "readlink -f $(command -v swift)").strip()).parent / name


def qualified(extended, path):
    return f"{extended}.{path}" if extended and path else path


def declarations(module, search, folder):
    """The lines of one module: the declarations and conformances that its symbol graphs have."""
    output(tool("swift-symbolgraph-extract"), "-module-name", module, "-minimum-access-level", "public",
           "-skip-synthesized-members", "-emit-extension-block-symbols", *search, "-output-dir", folder)
    graphs, names, lines = [], {}, set()
    for file in pathlib.Path(folder).glob(f"{module}*.symbols.json"):
        extended = file.name.removesuffix(".symbols.json").partition("@")[2]
        graph = json.loads(file.read_text())
        graphs.append((extended, graph))
        for symbol in graph["symbols"]:
            names[symbol["identifier"]["precise"]] = qualified(extended, ".".join(symbol["pathComponents"]))
            if symbol["kind"]["identifier"] == "swift.extension":
                continue
            text = "".join(part["spelling"] for part in symbol["declarationFragments"])
            owner = qualified(extended, ".".join(symbol["pathComponents"][:-1]))
            lines.add(f"{owner + ': ' if owner else ''}{' '.join(text.split())}")
    for extended, graph in graphs:
        for relation in graph["relationships"]:
            if relation["kind"] != "conformsTo" or relation["source"] not in names:
                continue
            target = names.get(relation["target"]) or relation["targetFallback"].removeprefix("Swift.")
            # A protocol of this module that inherits from Sendable gives it to the types of other modules again.
            if target not in IMPLIED and not (extended and target == "Sendable"):
                lines.add(f"{names[relation['source']]}: {target}{condition(relation)}")
    return lines


def condition(relation):
    """The `where` clause of a conformance."""
    signs = {"conformance": ":", "superclass": ":", "sameType": " =="}
    rules = [f"{rule['lhs']}{signs[rule['kind']]} {rule['rhs']}" for rule in relation.get("swiftConstraints", [])]
    return f" where {', '.join(rules)}" if rules else ""


def underscored(module, search, folder):
    """The lines of one module for names with an underscore: declarations, and conformances to protocols."""
    dump = pathlib.Path(folder) / "dump.json"
    output(tool("swift-api-digester"), "-dump-sdk", "-module", module, *search, "-o", dump)
    lines = set()

    def visit(node, path, isListed):
        for child in node.get("children", []):
            kind, name = child.get("declKind"), child.get("printedName", "")
            if kind is None or kind == "Import":
                continue
            isNamed = name.startswith("_") and not name.startswith("__")  # two are the compiler's
            if not path and child.get("moduleName") != module:
                name = f"{child['moduleName']}.{name}"
            if isNamed or isListed and kind not in {"Accessor", "AssociatedType"}:
                result = "" if kind not in {"Var", "Func"} else f": {child['children'][0]['printedName']}"
                owner = ".".join(path)
                lines.add(f"{owner + ': ' if owner else ''}{kind.lower()} {name}{result}")
            for conformance in child.get("conformances", []):
                protocol = conformance["printedName"]
                isOwn = conformance["usr"].startswith(f"s:{len(module)}{module}")
                if protocol not in IMPLIED and (isNamed or isOwn and protocol.startswith("_")):
                    lines.add(f"{'.'.join([*path, name])}: {protocol}")
            visit(child, [*path, name], isNamed)

    visit(json.loads(dump.read_text())["ABIRoot"], [], False)
    return lines


def main():
    built = pathlib.Path(output("swift", "build", "--show-bin-path").strip())
    target = json.loads(output("swift", "-print-target-info"))["target"]["triple"]
    search = ["-target", target, "-I", built / "Modules", "-I", built / "CHalyardCurl.build",
              "-I", built / "CHalyardTLS.build", "-I", built / "CHalyardZlib.build"]
    changed = 0
    for module in MODULES:
        with tempfile.TemporaryDirectory() as folder:
            lines = sorted(declarations(module, search, folder) | underscored(module, search, folder))
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
