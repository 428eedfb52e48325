#!/usr/bin/env python3
"""Compares the tables of the article "How a request travels" with the code: each function is in the file that is named."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
article = root / "Sources/Halyard/Halyard.docc/HowARequestTravels.md"
steps, failures, files = [], [], set()


def find(path):
    """The file that a path of the article means."""
    for folder in ["Sources/Halyard", "Sources", "Extensions"]:
        if (root / folder / path).is_file():
            return root / folder / path


for line in article.read_text().splitlines():
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    if not line.startswith("| ") or len(cells) != 4 or not re.fullmatch(r"\d+|–", cells[0].strip()):
        continue
    number, what, where = cells[0].strip(), cells[1], cells[2].strip("`")
    if number != "–":
        steps.append(int(number))
    if not where.endswith(".swift"):
        continue
    file = find(where)
    if file is None:
        failures.append(f"step {number}: there is no file {where}")
        continue
    if number != "–":
        files.add(where)
    name = re.match(r"`([^`]*)`", what)[1]
    text = file.read_text()
    match = re.fullmatch(r"(?:\w+\.)*(\w+)(\(.*\))?", name)
    word, parameters = match[1], match[2]
    if parameters is None:  # a stage
        found = re.search(rf"\b(struct|class|enum|actor) {word}\b|extension {word}\b", text)
    else:
        labels = [label for label in parameters[1:-1].split(":") if label]
        declaration = "init" if word == "init" else f"func {word}"
        pattern = rf"\b{declaration}(<[^(]*>)?\(\s*" + r"[^{]*?".join(rf"\b{label}\b" if label != "_" else r"_ " for label in labels)
        found = re.search(pattern, text)
    if not found:
        failures.append(f"step {number}: {where} has no {name}")

if steps != list(range(1, len(steps) + 1)) or len(steps) < 25:
    failures.append(f"the steps are not numbered in order: {steps}")
if f"in {len(files)} files" not in article.read_text().replace("\n", " "):
    failures.append(f"the steps are in {len(files)} files, and the article has another number")
print("\n".join(failures) or f"{len(steps)} steps in {len(files)} files are where the article says")
sys.exit(bool(failures))
