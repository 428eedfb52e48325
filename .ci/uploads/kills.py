#!/usr/bin/env python3
"""Uploads files while the client, the server and the connection are killed at random bytes.

    kills.py PROGRAM FOLDER COUNT MEGABYTES

COUNT kills for each protocol, shared by uploads of a size, and then ten kills while ten files are uploaded at once. Every
file must arrive whole, in one upload, with progress that never decreases within a process, and with flat memory. A kill
may cost two parts at most.
"""
import atexit
import hashlib
import os
import random
import shutil
import sys

program, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
import faults

chance = random.Random(8)
SIZE = int(sys.argv[4]) << 20
PART = 4 << 20  # the size of a part in main.swift


class Upload:
    """One file that a client uploads, until it is done."""

    def __init__(self, kind, number, proxy):
        self.path = os.path.join(folder, f"{kind}-{number}.bin")
        with open(self.path, "wb") as file:
            file.write(chance.randbytes(SIZE))
        target = f"http://127.0.0.1:{proxy.port}/files" + ("/" if kind == "tus" else "")
        self.command = [program, kind, target, self.path]
        self.start()

    def start(self):
        self.client = faults.Client(self.command)

    def is_done(self):
        """Whether a client that is over has uploaded the file. One that was killed is followed by another."""
        status, _, error = self.client.end()
        lines = self.client.lines
        assert not any(line.startswith("over") for line in lines), f"it started over: {lines[-3:]}"
        if status == 0:
            assert lines[-1].startswith("done 20"), lines[-1]
            return True
        assert status == -9, f"it ended with {status}: {lines[-3:]} {error[:2000]}"
        self.start()
        return False

    def memory(self):
        return int(self.client.lines[-1].split()[2])


def run(kind):
    store = os.path.join(folder, "server-" + kind)
    shutil.rmtree(store, ignore_errors=True)
    os.makedirs(store)
    # All but tus are clients of the draft.
    protocol = kind if kind == "tus" else "draft"
    server = faults.Server([sys.executable, os.path.join(here, "server.py"), protocol, "PORT", store])
    atexit.register(server.kill)
    proxy = faults.Proxy(server)
    kills = uploads = memory = resent = 0
    while kills < count:
        uploads += 1
        before, bytes_before, kills_before = set(os.listdir(store)), proxy.bytes, kills
        upload = Upload(kind, uploads, proxy)
        while True:
            while kills < count and proxy.wait(chance.randrange(SIZE // 3), upload.client.is_over):
                kills += 1
                faults.kill(chance.choice(["client", "server", "connection"]), upload.client, server, proxy)
            if upload.is_done():
                break
        memory = max(memory, upload.memory())
        # A client that is killed when it is done is followed by one that uploads the file again.
        extra = proxy.bytes - bytes_before - SIZE * check(kind, store, before, [upload.path])
        # The server may still read the bytes of a connection that was reset, and refuse the next part.
        assert extra <= (kills - kills_before) * 2 * PART + (1 << 20), f"{extra} bytes were sent twice"
        resent = max(resent, extra)
    at_once(kind, store, server, proxy)
    assert memory < 60_000, f"{memory} kB of memory"
    print(
        f"{kind}: {kills} kills, {uploads} files of {SIZE >> 20} MB, all whole; at most {resent >> 20} MB of a file sent "
        f"twice, {memory} kB of memory; ten more at once")


def at_once(kind, store, server, proxy):
    """Uploads ten files at once, with ten kills."""
    before = set(os.listdir(store))
    uploads = [Upload(kind, f"at-once-{number}", proxy) for number in range(10)]
    running = list(uploads)
    for _ in range(10):
        if not proxy.wait(chance.randrange(SIZE), lambda: all(upload.client.is_over() for upload in running)):
            break
        faults.kill(chance.choice(["client", "server", "connection"]), chance.choice(running).client, server, proxy)
        running = [upload for upload in running if not upload.client.is_over() or not upload.is_done()]
        if not running:
            break
    for upload in running:
        while not upload.is_done():
            pass
    check(kind, store, before, [upload.path for upload in uploads])


def check(kind, store, before, paths):
    """Checks that each file is on the server, and nothing else, and removes it. Returns the number of copies."""
    def digest(path):
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).digest()
    # A client that was killed before it had the answer has left an empty upload, and one that was killed when it was done
    # is followed by one that uploads the file again.
    new = [os.path.join(store, name) for name in set(os.listdir(store)) - before if "." not in name]
    new = [name for name in new if os.path.getsize(name)]
    if kind == "draft-104":
        # An upload whose creation was killed before the 104 has no client that knows it.
        new = [name for name in new if os.path.exists(name + ".done")]
    arrived, wanted = [digest(name) for name in new], {digest(path) for path in paths}
    assert set(arrived) == wanted, "another file has arrived, or one is missing"
    assert all(arrived.count(each) <= 2 for each in wanted), f"{len(new)} uploads have bytes"
    assert [name for name in os.listdir(folder) if name.startswith(f".{kind}-")] == [], "a record is left"
    for path in paths:
        os.remove(path)
    return len(new)


for kind in ("tus", "draft", "draft-104", "detected"):
    run(kind)
print("every upload holds")
