#!/usr/bin/env python3
"""Checks the comments of public functions, initializers and subscripts.

Each has a summary and names its errors. No line repeats the signature, such as "- Returns: The copy." and "- Parameter
error: The error.": a parameter is described where its name and type do not say what it is. Operators, literals and
requirements of Hashable, Codable and AsyncSequence need no such comment, and neither do declarations that are unavailable.
"""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
PUBLIC = re.compile(
    r"\s*(@\w+(\([^)]*\))? )*public( package\(set\))?( (static|convenience|mutating|nonisolated(\(\w+\))?|consuming|override|"
    r"final|required))* (func|init|subscript)\b")
REQUIREMENT = re.compile(r"    (static |mutating |nonisolated\(nonsending\) )*(func|init)\b")
EXEMPT = re.compile(
    r"func (==|<|!=|\+|~=|\|)|func hash\(|func encode\(to|init\(from decoder|Literal|appendInterpolation|"
    r"func makeAsyncIterator\(|mutating func next\(")
total, flaws = 0, []


def declarations(lines):
    """Yields the number of the line, the signature up to the body, and whether it is unavailable, with its comment."""
    isProtocol = False
    for index, line in enumerate(lines):
        if line.startswith("public protocol"):
            isProtocol = True
        elif line == "}":
            isProtocol = False
        if not PUBLIC.match(line) and not (isProtocol and REQUIREMENT.match(line)):
            continue
        signature, end = line, index
        while signature.count("(") > signature.count(")") or "(" not in signature:
            end += 1
            signature += " " + lines[end].strip()
        while "{" not in signature and end + 1 < len(lines) and re.match(r"\s*(\)|->|where|async|throws|\{)", lines[end + 1]):
            end += 1
            signature += " " + lines[end].strip()
        first = index
        while first and not lines[first - 1].strip().startswith("///") and lines[first - 1].strip() not in ("", "{", "}"):
            first -= 1
        attributes, comment = " ".join(lines[first:index]), []
        while first and lines[first - 1].strip().startswith("///"):
            first -= 1
            comment.insert(0, lines[first].strip()[3:])
        yield index + 1, signature, "unavailable" in attributes, "\n".join(comment)


for folder in ["Sources", "Extensions"]:
    for file in sorted((root / folder).rglob("*.swift")):
        for number, signature, isUnavailable, comment in declarations(file.read_text().split("\n")):
            if isUnavailable or EXEMPT.search(signature) or comment.strip() == "Does nothing.":
                continue
            total += 1
            missing = []
            throws = re.search(r"\)( async)? throws(\(HTTPError\))?( ->[^)]*)?\s*$", signature.split("{")[0])
            if throws and not re.search(r"[Tt]hrow|[Ee]rror|See ``|[Ff]ails", comment):
                missing.append("errors")
            if missing or not comment:
                name = re.search(r"(func \S+?|init\S*?|subscript)[(<]", signature)
                flaws.append(f"{file.relative_to(root)}:{number}: {name[1] if name else signature.strip()}: "
                             + ("no comment" if not comment else "no " + ", no ".join(missing)))
        for number, line in enumerate(file.read_text().split("\n"), 1):
            repeated = re.match(r"\s*///\s+- (Returns|Parameter (\w+)|(\w+)): (The|A|An) (\w+)\.$", line)
            name = repeated and (repeated[2] or repeated[3])
            if repeated and (name is None or repeated[5].lower() in name.lower()):
                flaws.append(f"{file.relative_to(root)}:{number}: repeats the signature: {line.strip()}")
print("\n".join(flaws) or f"{total} public functions have a summary and name their errors")
sys.exit(bool(flaws) or total < 400)
