#!/usr/bin/env python3
"""Compares the table in Behaviours.md with the tests: each entry has a test or a reason, each test names entries that exist.

    Tests/Acceptance/behaviours.py           compares
    Tests/Acceptance/behaviours.py --list    shows the tests of each entry as well
"""
import collections
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
table = (here / "Behaviours.md").read_text()
entries = re.findall(r"^\| (\d+|[A-Z]+\d+) \|", table, re.MULTILINE)
untested = dict(re.findall(r"^- (\d+|[A-Z]+\d+): (.+)", table, re.MULTILINE))

tests = collections.defaultdict(list)
for file in sorted(here.parent.rglob("*.swift")):
    if ".build" in file.parts:
        continue
    for trait, arguments in re.findall(r"\.(behaviors|defects|examples(?=\(\")|faults)\(([^)]*)\)", file.read_text()):
        for name in re.findall(r"[A-Z]*\d+", arguments):
            tests[{"faults": "F", "examples": "E"}.get(trait, "") + name].append(str(file.relative_to(here.parent)))

flaws = [f"{name} is in the table {count} times" for name, count in collections.Counter(entries).items() if count > 1]
flaws += [f"{tests[name][0]} names {name}, which is not in the table" for name in tests if name not in entries]
flaws += [f"{name} has a test, and a reason why it has none" for name in untested if name in tests]
flaws += [f"{name} has no test: tag one, or give the reason at the end of Behaviours.md"
          for name in entries if name not in tests and name not in untested]
if "--list" in sys.argv:
    for name in entries:
        print(name, ", ".join(sorted(set(tests[name]))) or untested.get(name, ""))
for flaw in flaws:
    print(flaw)
print(f"{len(entries)} entries, {len(untested)} without a test for a reason")
sys.exit(bool(flaws) or not entries)
