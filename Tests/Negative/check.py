#!/usr/bin/env python3
"""Compiles wrong programs, each by itself, and compares the compiler's first error with the one that the case expects.

    swift build && Tests/Negative/check.py [BUILD-FOLDER]

A case is the preamble and one file, or a file of the folder `CoreOnly` by itself. It has `// error: MESSAGE` above the line
of its first error. The preamble alone must compile, without a warning and with no expression that takes 100 ms, so that no
case fails for another reason.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
build = Path(sys.argv[1] if len(sys.argv) > 1 else here.parent.parent / ".build/debug").resolve()
preamble = (here / "Preamble.swift").read_text()


def errors(text, folder, *options):
    """The compiler's errors: line and message. Compiled, not only type-checked: that would not look at isolation."""
    file = Path(folder) / "Case.swift"
    file.write_text(text)
    command = ["swiftc", "-c", "-swift-version", "6", "-parse-as-library", "-module-name", "Case", "-o", f"{folder}/case.o",
               "-I", build / "Modules", "-Xcc", f"-fmodule-map-file={build}/CHalyardCurl.build/module.modulemap",
               "-Xcc", f"-fmodule-map-file={build}/CHalyardTLS.build/module.modulemap",
               "-Xcc", f"-fmodule-map-file={build}/CHalyardZlib.build/module.modulemap", *options, file]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    found = re.findall(rf"^{re.escape(str(file))}:(\d+):\d+: error: (.*)$", done.stderr, re.MULTILINE)
    if done.returncode != 0 and not found:
        sys.exit(done.stderr)
    return [(int(line), message) for line, message in found]


with tempfile.TemporaryDirectory() as folder:
    quick = ["-Xfrontend", "-warn-long-expression-type-checking=100", "-warnings-as-errors"]
    if flaws := errors(preamble, folder, *quick):
        sys.exit(f"the preamble does not compile: {flaws[0][1]}")
    failures = 0
    cases = sorted(file for file in here.glob("*.swift") if file.name != "Preamble.swift")
    cases += sorted(here.glob("CoreOnly/*.swift"))
    for case in cases:
        text = ("" if case.parent.name == "CoreOnly" else preamble) + case.read_text()
        wanted = next(((index + 2, line.split("// error: ")[1]) for index, line in enumerate(text.splitlines())
                       if "// error: " in line), None)
        found = (errors(text, folder) or [None])[0]
        if wanted is None or found != wanted:
            failures += 1
            print(f"{case.stem}:\n    wanted {wanted}\n    found  {found}")
    print(f"{len(cases) - failures} of {len(cases)} are refused as they should be")
    sys.exit(failures > 0 or not cases)
