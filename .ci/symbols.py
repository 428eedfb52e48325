#!/usr/bin/env python3
"""Merges the symbol graphs of all modules into one graph of the module Halyard, for one DocC archive.

    .ci/symbols.py FOLDER OUTPUT

Symbols of different modules can then link to each other. A symbol of another module than Halyard says which one to import.
"""
import json
import sys
from pathlib import Path

folder, output = map(Path, sys.argv[1:])
# Modules whose symbols every program has that imports Halyard.
INCLUDED = {"Halyard", "HalyardHTTP"}
symbols, relationships, main = {}, [], None
for file in sorted(folder.glob("*.symbols.json")):
    graph = json.loads(file.read_text())
    module = file.name.split("@")[0].removesuffix(".symbols.json")
    if file.name == "Halyard.symbols.json":
        main = graph
    for symbol in graph["symbols"]:
        # A module that re-exports another one lists its symbols again.
        symbols.setdefault(symbol["identifier"]["precise"], (module, symbol))
    relationships += [each for each in graph["relationships"] if each not in relationships[-50:]]
for module, symbol in symbols.values():
    comment = symbol.get("docComment")
    # Members of a type are in the module of the type, unless an extension of another module declares them.
    isOuter = len(symbol["pathComponents"]) == 1 or "swiftExtension" in symbol
    if module not in INCLUDED and comment and isOuter:
        # The place of the text is that of the last line of the comment.
        place = comment["lines"][-1].get("range")
        for text in ["", f"- Note: `import {module}`"]:
            comment["lines"].append({"text": text, **({"range": place} if place else {})})
unique = {json.dumps(each, sort_keys=True): each for each in relationships}
main["symbols"] = [symbol for _, symbol in symbols.values()]
main["relationships"] = list(unique.values())
output.mkdir(parents=True, exist_ok=True)
(output / "Halyard.symbols.json").write_text(json.dumps(main))
print(f"{len(symbols)} symbols of {len({module for module, _ in symbols.values()})} modules")
