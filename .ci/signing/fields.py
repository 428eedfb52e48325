#!/usr/bin/env python3
"""Writes structured fields, valid and damaged, as another library reads and writes them: one in JSON for each line.

    fields.py COUNT
"""

import json
import random
import re
import sys

import http_sf

chosen = random.Random(2)
SEEDS = {
    "item": ['7;a;b="x"', "-1.5;q=0.25", '"a \\" \\\\ b"', "text/html;v=?0", ":AAEC/w==:;x", "@1659578233", '%"f%c3%bc"', "*a:b"],
    "list": ["a, b;c=1;d", '("a" b;x);q=1, (), 3', "1.0, ?1, :YQ==:", '(:aa==: "x" %"%e2%82%ac");a=@1'],
    "dictionary": ["u=1, i", "a=(1 2);x, b;y=2, c=?0", 'day;r=12;t=300, b=:YWI=:', "a=1, a=2, b=*"],
}
PIECES = list(" \t,;=()\"\\:?@%*-.0159aAzZ_~/+") + ["%e4", "=(", ";a", ", ", "?1", ":YQ:", "é", "1.", "999999999999", '%"']


def damaged(text):
    characters = list(text)
    for _ in range(chosen.choice([0, 1, 1, 2, 4])):
        place = chosen.randint(0, len(characters))
        kind = chosen.random()
        if kind < 0.4:
            characters[place:place + 1] = []
        elif kind < 0.8:
            characters[place:place] = [chosen.choice(PIECES)]
        else:
            characters[place:place + 1] = [chosen.choice(PIECES)]
    return "".join(characters)


count = int(sys.argv[1])
while count > 0:
    kind = chosen.choice(list(SEEDS))
    # A header has no blanks at its ends. Python has no dates after the year 9999, and takes any padding.
    text = damaged(chosen.choice(SEEDS[kind])).strip(" \t")
    if re.search(r"@-?\d{11}", text) or any(len(found) % 4 for found in re.findall(r"[\w+/]*=+(?=:)", text)):
        continue
    count -= 1
    try:
        canonical = http_sf.ser(http_sf.parse(text.encode(), tltype=kind))
    except (ValueError, UnicodeError):
        canonical = None
    print(json.dumps({"kind": kind, "text": text, "canonical": canonical}))
