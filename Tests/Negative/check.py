#!/usr/bin/env python3
"""Compiles wrong programs, each by itself, and compares the compiler's first error with the one that the case expects.

    swift build && Tests/Negative/check.py [BUILD-FOLDER]

A case is the preamble and one file, or a file of the folder `Alone` by itself. It has `// error: MESSAGE` above each line
with an error. A file that begins with `// options: ...` is compiled with these options. The preamble alone must compile,
without a warning and with no expression that takes 100 ms, so that no case fails for another reason.

Where only Halyard is imported, the error for a method of another module names the module. This checks that no method is
left out that the README or an article shows.
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
               "-I", build / "Modules", "-I", folder, "-Xcc", f"-fmodule-map-file={build}/CHalyardCurl.build/module.modulemap",
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
    # Another package.
    subprocess.run(["swiftc", "-emit-module", "-module-name", "Other", "-o", f"{folder}/Other.swiftmodule",
                    here / "Modules/Other.swift"], check=True)
    messages = ""
    cases = sorted(file for file in here.glob("*.swift") if file.name != "Preamble.swift")
    cases += sorted(here.glob("Alone/*.swift"))
    for case in cases:
        text = ("" if case.parent.name == "Alone" else preamble) + case.read_text()
        wanted = sorted((index + 2, line.split("// error: ")[1]) for index, line in enumerate(text.splitlines())
                  if "// error: " in line)
        messages += "".join(message + "\n" for _, message in wanted)
        options = re.match(r"// options: (.*)", text)
        found = errors(text, folder, *(options[1].split() if options else []))
        # A case alone shows all errors. With the preamble, an error may lead to others.
        found = sorted(set(found)) if case.parent.name == "Alone" else found[:1]
        if not wanted or found != wanted:
            failures += 1
            print(f"{case.stem}:\n    wanted {sorted(set(wanted) - set(found)) or wanted}\n"
                  f"    found  {sorted(set(found) - set(wanted)) or found}")
    print(f"{len(cases) - failures} of {len(cases)} are refused as they should be")


def shown():
    """The methods of other modules, on types of Halyard, that the README or an article shows: name and module."""
    root = here.parent.parent
    articles = [root / "README.md", *(root / "Sources/Halyard/Halyard.docc").glob("*.md")]
    code = "\n".join(block for article in articles for block in re.findall(r"```swift\n(.*?)```", article.read_text(), re.S))
    for listing in sorted((root / ".ci/api").glob("*.txt")):
        # What tests import has stubs, which are no use without it.
        if listing.stem in ["Halyard", "HalyardHTTP", "HalyardTesting"]:
            continue
        members = re.findall(r"^Halyard(?:HTTP)?\.(\w+): .*?\b(?:func|var) (\w+)", listing.read_text(), re.M)
        for owner, name in sorted(set(members)):
            if re.search(rf"\.{name}\b", code):
                yield owner, name, listing.stem


# What the compiler says, in the article on troubleshooting, is what a case shows.
table = (here.parent.parent / "Sources/Halyard/Halyard.docc/Troubleshooting.md").read_text()
table = re.search(r"^## The compiler says\n(.*?)^## ", table, re.S | re.M)[1]
for row in re.findall(r"^\| (\".*?) \|", table, re.M):
    for words in re.findall(r'"([^"]+)"', row):
        if words not in messages:
            failures += 1
            print(f"no case shows these words of the article on troubleshooting: {words}")

# They take or give values that only their module makes: "cannot find type 'Endpoint' in scope".
EXCEPT = {"HTTPProvider": "call send items elements events lines prepare request", "Route": "returning",
          "StubResponse": "value", "ObjectMapper": "merging", "JSON": "merging", "EventLog": "har",
          "HTTPResponse": "cacheStatus",
          # Only generated code calls these, and imports their module.
          "Parameters": "joined merging"}
names = (here.parent.parent / "Sources/Halyard/Request/MissingModules.swift").read_text()
for owner, name, module in shown():
    extension = "".join(re.findall(rf"extension {owner} \{{\n(.*?)^\}}", names, re.S | re.M))
    if name not in EXCEPT.get(owner, "").split() and not re.search(rf"\b(func|var) {name}\b", extension):
        failures += 1
        print(f"{owner}.{name} of {module} is not in MissingModules.swift")
sys.exit(failures > 0 or not cases)
