#!/usr/bin/env python3
"""Runs short programs that use TLS and end in every way, and counts those that do not end with status 0.

    program-exits.py CHILD PROGRAMS [LIBRARIES ...]

CHILD is the program (`fault-child`). Each of LIBRARIES is a folder with a libcurl.so.4 to run it over. The default is
the system's. The server is an nginx with its own certificate, which is stopped afterwards.
"""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

child, programs, libraries = sys.argv[1], int(sys.argv[2]), sys.argv[3:] or [None]
# The programs of the way "shared" take seconds: each of their handshakes reads the system's roots, and fails.
ways = ["main", "early", "task", "thread", "callback", "future", "dropped", "shutdown"] * 5 + ["shared"]
# Under a sanitizer, and on a busy machine, they take a minute.
LIMIT = 240
folder = Path(tempfile.mkdtemp())
folder.chmod(0o755)
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
     "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem",
     "-out", folder / "root.pem"], check=True, stderr=subprocess.DEVNULL)
(folder / "small").write_bytes(b"x" * 200)
(folder / "large").write_bytes(b"x" * (8 << 20))
# nginx does not accept port 0. A port that the system has just assigned is free.
with socket.create_server(("127.0.0.1", 0)) as probe:
    port = probe.getsockname()[1]
(folder / "nginx.conf").write_text(f"""
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
    access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{port} ssl backlog=4096; root {folder};
        ssl_certificate {folder}/root.pem; ssl_certificate_key {folder}/key.pem;
    }}
}}
""")
server = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)


def listens():
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def threads(process):
    """The function that each thread of the process waits in, and its processor time in ticks."""
    lines = []
    for task in sorted(Path(f"/proc/{process}/task").iterdir()):
        name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        fields = rest.split()
        lines.append(f"{name} is {fields[0]} in {(task / 'wchan').read_text()} after {fields[11]}+{fields[12]} ticks")
    return "; ".join(lines)


def run(index):
    way, library = ways[index % len(ways)], libraries[index // len(ways) % len(libraries)]
    # A program that crashes writes no backtrace, which takes a minute.
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    if library:
        environment["LD_LIBRARY_PATH"] = library
    command = [child, "exit", way, f"https://localhost:{port}", folder / "root.pem"]
    program = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, said = program.communicate(timeout=LIMIT)
        status, said = program.returncode, said.decode(errors="replace").strip()
    except subprocess.TimeoutExpired:
        status, said = f"it did not end within {LIMIT} seconds", threads(program.pid)
        program.kill()
        program.communicate()
    if isinstance(status, int) and status < 0:
        status = signal.Signals(-status).name
    if index % 500 == 499:
        print(f"{index + 1} programs", flush=True)
    if status != 0:
        print(f"{way} over {library}: {status}: {said}", flush=True)
    return way, library or "the system's libcurl", status, said


try:
    deadline = time.monotonic() + 10
    while not listens():
        if server.poll() is not None or time.monotonic() > deadline:
            sys.exit("nginx does not listen: " + (folder / "error.log").read_text())
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(run, range(programs)))
finally:
    server.terminate()
    server.wait()
failures = [end for end in ends if end[2] != 0]
for (way, library, status), count in sorted(Counter(end[:3] for end in failures).items(), key=str):
    print(f"{count} programs of the way {way!r} over {library} ended with {status}")
print(f"{len(ends) - len(failures)} of {len(ends)} programs ended cleanly")
sys.exit(bool(failures))
