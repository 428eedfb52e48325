#!/usr/bin/env python3
"""Requests that wait for a network, in a network namespace without one.

    unshare -n trial.py PROGRAM
"""
import http.server
import subprocess
import sys
import threading

program = sys.argv[1]
ADDRESS = "10.9.8.7"


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    do_POST = do_GET


def network(command):
    subprocess.run(["ip", "address", command, f"{ADDRESS}/32", "dev", "lo"], check=True)


def start(port, seconds):
    command = [program, f"http://{ADDRESS}:{port}/", str(seconds)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def begin(process):
    process.stdin.write("\n")
    process.stdin.flush()


def expect(process, *lines):
    for line in lines:
        got = process.stdout.readline().strip()
        assert got.startswith(line), f"{got!r} in place of {line!r}"


server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Server)
port = server.server_port
threading.Thread(target=server.serve_forever, daemon=True).start()
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)

# The network comes while both requests wait, one after the other.
client = start(port, 100)
for _ in range(2):
    begin(client)
    expect(client, "event sent", "event waitingForNetwork")
    network("add")
    expect(client, "event sent", "event response", "event metrics", "done 200 2")
    network("delete")
assert client.wait(timeout=60) == 0
print("both requests went when there was a network")

# It does not come.
client = start(port, 2)
for _ in range(2):
    begin(client)
    expect(client, "event sent", "event waitingForNetwork", "event failed", "failed ")
assert client.wait(timeout=60) == 0
print("both requests failed without one")

# With a network, and a server that is gone, no request waits.
network("add")
client = start(1, 100)
for _ in range(2):
    begin(client)
    expect(client, "event sent", "event failed", "failed ")
assert client.wait(timeout=60) == 0
print("waiting for a network holds")
