#!/usr/bin/env python3
"""Writes the package of the tutorial as a reader makes it, from the article's blocks: .ci/tutorial.py FOLDER

Halyard's URL is replaced by this folder.
"""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
folder = Path(sys.argv[1])
article = (root / "Sources/Halyard/Halyard.docc/Tutorial.md").read_text()
blocks = re.findall(r"```swift\n(.*?)```", article, re.S)
manifest, api, call, tests, upload = blocks
url = re.compile(r'\.package\(url: "https://example\.com/halyard\.git", from: "0\.1\.0"\)')
assert len(url.findall(manifest)) == 1
for path, text in {
    "Package.swift": url.sub(f'.package(name: "halyard", path: "{root}")', manifest),
    "Sources/Songs/Songs.swift": "\n".join([api, call, upload]),
    "Tests/SongsTests/SongsTests.swift": tests,
}.items():
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)
