#!/usr/bin/env python3
"""Checks that each public function, initializer and subscript documents its parameters, its result and its errors.

Operators, literals and requirements of Hashable, Codable and AsyncSequence need no such lines, and neither do declarations
that are unavailable or do nothing. A comment may refer to another one: "See ... for the parameters", "Each parameter sets
...". A summary that begins with "Returns" documents the result.
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


def parts(signature):
    """The parameters, and the text between them and the body."""
    depth, start = 0, signature.find("(", re.search(r"\b(func|init|subscript)\b", signature).start())
    for end in range(start, len(signature)):
        depth += {"(": 1, ")": -1}.get(signature[end], 0)
        if depth == 0:
            return signature[start + 1:end].strip(), signature[end + 1:].split("{")[0]
    return "", ""


for folder in ["Sources", "Extensions"]:
    for file in sorted((root / folder).rglob("*.swift")):
        for number, signature, isUnavailable, comment in declarations(file.read_text().split("\n")):
            if isUnavailable or EXEMPT.search(signature) or comment.strip() == "Does nothing.":
                continue
            total += 1
            parameters, rest = parts(signature)
            missing = []
            refers = re.search(r"[Ee]ach parameter|for the parameters", comment)
            if parameters and not refers and not re.search(r"- Parameters?\b", comment):
                missing.append("parameters")
            # A subscript is described like a property.
            if "->" in rest and "func" in signature and not re.search(r"^ Returns|- Returns", comment):
                missing.append("result")
            if re.search(r"\bthrows\b", rest) and "- Throws" not in comment:
                missing.append("errors")
            if missing or not comment:
                name = re.search(r"(func \S+?|init\S*?|subscript)[(<]", signature)
                flaws.append(f"{file.relative_to(root)}:{number}: {name[1] if name else signature.strip()}: "
                             + ("no comment" if not comment else "no " + ", no ".join(missing)))
print("\n".join(flaws) or f"{total} public functions document their parameters, results and errors")
sys.exit(bool(flaws) or total < 400)
