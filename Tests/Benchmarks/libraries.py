#!/usr/bin/env python3
"""Builds one program with each of several HTTP libraries, and measures the build and the program.

    Tests/Benchmarks/libraries.py FOLDER [--rounds N] [--only NAME ...]

FOLDER has a clone of each library: Alamofire, Get, async-http-client. Those that are absent are left out. Their own
dependencies are fetched by the Swift package manager. Each program is a release build from nothing, with the libraries of
Swift linked dynamically. The programs then send small GETs to nginx in turns, with 64 at a time and one after another.
"""
import argparse
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

here = Path(__file__).resolve().parent
arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("folder", type=Path)
arguments.add_argument("--rounds", type=int, default=5)
arguments.add_argument("--only", nargs="*", help="the names of some libraries")
options = arguments.parse_args()
work = Path(tempfile.mkdtemp())
work.chmod(0o755)
# The product, the folder of the package, and how many requests it sends: a tenth for those on URLSession.
LIBRARIES = {
    "Halyard": ("HalyardAsync", here.parent.parent, 60_000),
    "AsyncHTTPClient": ("AsyncHTTPClient", options.folder / "async-http-client", 60_000),
    "Alamofire": ("Alamofire", options.folder / "Alamofire", 6_000),
    "Get": ("Get", options.folder / "Get", 6_000),
    "URLSession": (None, here, 6_000),
}


def build(name, product, package):
    """Returns the seconds of the build, and the program."""
    folder = work / f"program-{name}"
    (folder / "Sources/program").mkdir(parents=True)
    for file in ("Measure", name):
        shutil.copy(here / f"Libraries/{file}.swift", folder / "Sources/program")
    package, dependency, uses = package.resolve(), "", ""
    if product:
        dependency = f'.package(name: "library", path: "{package}")'
        uses = f'.product(name: "{product}", package: "library")'
    (folder / "Package.swift").write_text(f"""// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "program", dependencies: [{dependency}],
    targets: [.executableTarget(name: "program", dependencies: [{uses}])], swiftLanguageModes: [.v5])
""")
    subprocess.run(["swift", "package", "resolve"], cwd=folder, check=True)
    start = time.monotonic()
    subprocess.run(["swift", "build", "-c", "release", "--quiet"], cwd=folder, check=True)
    seconds = time.monotonic() - start
    subprocess.run(["strip", "-o", folder / "stripped", folder / ".build/release/program"], check=True)
    return seconds, folder / ".build/release/program"


def serve():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    (work / "small").write_text("a" * 26)
    (work / "nginx.conf").write_text(f"""worker_processes 1; daemon off; pid {work}/nginx.pid; error_log /dev/null;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 10000000; server {{ listen 127.0.0.1:{port}; root {work}; }} }}""")
    nginx = subprocess.Popen(["nginx", "-c", work / "nginx.conf"], stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/small").read()
            return nginx, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.05)
    raise SystemExit("nginx does not answer")


programs = {}
for name, (product, package, count) in LIBRARIES.items():
    if package.is_dir() and name in (options.only or LIBRARIES):
        seconds, program = build(name, product, package)
        programs[name] = (seconds, program, count)
nginx, url = serve()
try:
    rates = {name: {64: [], 1: []} for name in programs}
    for _ in range(options.rounds):
        for name, (_, program, count) in programs.items():
            for width in (64, 1):
                command = [program, url, str(count if width > 1 else count // 6), str(width)]
                output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                rates[name][width].append([float(word) for word in output.split()])
finally:
    nginx.terminate()
    nginx.wait()
print("| library | build, s | size, MB | 64 at a time, requests/s | CPU us | one after another, requests/s | CPU us |")
print("|---|---|---|---|---|---|---|")
for name, (seconds, program, _) in programs.items():
    size = (program.parent.parent.parent / "stripped").stat().st_size / 1e6
    cells = [f"{statistics.median(column):,.0f}" for width in (64, 1) for column in zip(*rates[name][width])]
    print(f"| {name} | {seconds:.0f} | {size:.2f} | " + " | ".join(cells) + " |")
shutil.rmtree(work)
