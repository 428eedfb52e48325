#!/usr/bin/env python3
"""Requests that wait for a network, in a network namespace without one. The server is in another namespace, at the
other end of a link.

    unshare -n -m trial.py PROGRAM
"""
import http.server
import subprocess
import sys
import tempfile
import time

SERVER, CLIENT, NAME, LATE = "10.9.8.1", "10.9.8.2", "server.example.com", "late.example.com"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    do_POST = do_GET


def serve():
    """Answers until the input ends."""
    import threading
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def address(is_there):
    """The machine has an address on its link, or none."""
    ip("address", "add" if is_there else "delete", f"{CLIENT}/24", "dev", "link0")


def link(is_there):
    """The cable is plugged in, or out. A default route comes and goes with it."""
    ip("link", "set", "link0", "up" if is_there else "down")
    if is_there:
        ip("route", "add", "default", "via", SERVER)


def start(host, port, seconds):
    command = [program, f"http://{host}:{port}/", str(seconds)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def begin(process):
    process.stdin.write("\n")
    process.stdin.flush()


def expect(process, *lines):
    for line in lines:
        got = process.stdout.readline().strip()
        assert got.startswith(line), f"{got!r} in place of {line!r}"


def trial(host, set_network):
    """The network comes while a request waits: a GET and then a POST. Returns the times until they are sent."""
    client, times = start(host, port, 100), []
    for _ in range(2):
        begin(client)
        expect(client, "event sent", "event waitingForNetwork")
        came = time.monotonic()
        set_network(True)
        expect(client, "event sent")
        times.append(time.monotonic() - came)
        expect(client, "event response", "event metrics", "done 200 2")
        set_network(False)
    assert client.wait(timeout=60) == 0
    return times


if sys.argv[1] == "serve":
    serve()
    sys.exit()
program = sys.argv[1]
world = subprocess.Popen(
    ["unshare", "-n", "python3", __file__, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
port = int(world.stdout.readline())
ip("link", "set", "lo", "up")
ip("link", "add", "link0", "type", "veth", "peer", "link1")
ip("link", "set", "link1", "netns", str(world.pid))
for command in [["link", "set", "link1", "up"], ["address", "add", f"{SERVER}/24", "dev", "link1"]]:
    subprocess.run(["nsenter", "-n", "-t", str(world.pid), "ip", *command], check=True)
# Other names are unknown at once: no name server listens on this machine.
for path, text in [("hosts", f"127.0.0.1 localhost\n{SERVER} {NAME}\n"), ("resolv.conf", "nameserver 127.0.0.1\n")]:
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        subprocess.run(["mount", "--bind", file.name, f"/etc/{path}"], check=True)

ip("link", "set", "link0", "up")
times = trial(SERVER, address)
link(False)
ip("address", "add", f"{CLIENT}/24", "dev", "link0")
times += trial(SERVER, link) + trial(NAME, link)
# Where changes are not seen, the routes are looked at from time to time.
assert sorted(times)[3] < 0.3 and max(times) < 11, times
print(f"six requests went at most {max(times) * 1000:.0f} ms after there was a network")

# The name servers come later than the network. The second request finds the name in libcurl's memory.
client = start(LATE, port, 100)
begin(client)
expect(client, "event sent", "event waitingForNetwork")
link(True)
expect(client, "event sent", "event waitingForNetwork", "event sent", "event waitingForNetwork")
with open("/etc/hosts", "a") as hosts:
    hosts.write(f"{SERVER} {LATE}\n")
line = "event sent"
while line in ["event sent", "event waitingForNetwork"]:
    line = client.stdout.readline().strip()
assert line == "event response", line
expect(client, "event metrics", "done 200 ")
begin(client)
expect(client, "event sent", "event response", "event metrics", "done 200 1")
assert client.wait(timeout=60) == 0
link(False)
print("a request went when the name was known")

# It does not come.
client = start(SERVER, port, 2)
for _ in range(2):
    begin(client)
    expect(client, "event sent", "event waitingForNetwork", "event failed", "failed ")
assert client.wait(timeout=60) == 0
print("both requests failed without one")

# With a network, and a server that is gone, no request waits.
link(True)
client = start(SERVER, 1, 100)
for _ in range(2):
    begin(client)
    expect(client, "event sent", "event failed", "failed ")
assert client.wait(timeout=60) == 0
world.communicate(timeout=60)
print("waiting for a network holds")
