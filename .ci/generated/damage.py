#!/usr/bin/env python3
"""Writes documents that are damaged at a few random places each, always the same ones.

    damage.py FIRST COUNT FOLDER DOCUMENT...
"""

import copy
import json
import random
import sys
from pathlib import Path

first, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
documents = [json.loads(Path(name).read_text()) for name in sys.argv[4:]]
texts = ["", "object", "array", "self", "Type", "init", "default", "a b", "é\u2028\"\\#(x)", "*/", "1", "binary", "date-time"]
schemas = [
    {"type": ["string", "null", "integer"]}, {"enum": [1, "a", None, {}]}, {"enum": ["x", "X", "x y", "_"]},
    {"type": "array", "items": {"enum": [1, 2]}}, {"additionalProperties": {"type": "object"}},
    {"oneOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}, {"type": "null"}]},
    {"allOf": [{"properties": {"a": {"type": "string"}}}, {"oneOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}]}]},
    {"type": "object", "properties": {"Type": {"type": "object", "properties": {"Type": {"enum": ["Type"]}}}}},
    {"type": "string", "format": "binary"}, {"type": "object"}, {},
]


def places(value):
    """Every object and array within a value."""
    if isinstance(value, dict):
        return [value] + [place for item in value.values() for place in places(item)]
    if isinstance(value, list):
        return [value] + [place for item in value for place in places(item)]
    return []


for number in range(first, first + count):
    chosen = random.Random(number)
    document = copy.deepcopy(documents[number % len(documents)])
    references = [{"$ref": f"#/components/schemas/{name}"} for name in document.get("components", {}).get("schemas", {})]
    for _ in range(chosen.randint(1, 4)):
        place = chosen.choice([place for place in places(document) if place])
        new = copy.deepcopy(chosen.choice(schemas + references + [chosen.choice(texts), None, True, -1, [], {}]))
        if isinstance(place, list):
            place[chosen.randrange(len(place))] = new
            continue
        key = chosen.choice(list(place))
        match chosen.randrange(4):
            case 0: place[chosen.choice(texts)] = place[key]
            case 1: del place[key]
            case _: place[key] = new
    (folder / f"damaged{number}.json").write_text(json.dumps(document))
