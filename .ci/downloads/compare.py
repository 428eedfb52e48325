#!/usr/bin/env python3
"""Compares four connections with one, and with aria2, where a server limits the rate of each connection.

    compare.py PROGRAM FOLDER
"""
import atexit
import hashlib
import os
import statistics
import subprocess
import sys
import time

program, folder = sys.argv[1], sys.argv[2]
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
import faults

origin = os.path.join(folder, "origin")
data = os.urandom(24 << 20)
with open(origin, "wb") as file:
    file.write(data)
server = faults.Server([sys.executable, os.path.join(here, "server.py"), "PORT", origin, str(6 << 20)])
atexit.register(server.kill)
url = f"http://127.0.0.1:{server.port}/file"
target = os.path.join(folder, "compared")
ways = {
    "one": [program, url, target, "1"],
    "four": [program, url, target, "4"],
    "aria2": ["aria2c", "--quiet", "-x4", "-s4", "-k1M", "--file-allocation=none", "-d", folder, "-o", "compared", url],
}
times = {way: [] for way in ways}
for _ in range(5):
    for way, command in ways.items():
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times[way].append(time.monotonic() - start)
        with open(target, "rb") as file:
            assert hashlib.sha256(file.read()).digest() == hashlib.sha256(data).digest(), f"{way} has another file"
        os.remove(target)
one, four, aria2 = (statistics.median(times[way]) for way in ways)
print(f"four connections take {four / one:.2f} of the time of one, and {four / aria2:.2f} of that of aria2 -x4")
assert four < 0.5 * one and four < 1.5 * aria2, f"{one:.2f} {four:.2f} {aria2:.2f} s"
