#!/usr/bin/env python3
"""Uploads files while the client, the server and the connection are killed at random bytes.

    kills.py PROGRAM FOLDER COUNT MEGABYTES

COUNT kills for each protocol, shared by uploads of a size. Every file must arrive whole, in one upload, with progress
that never decreases within a process, and with flat memory.
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


def run(kind):
    store = os.path.join(folder, "server-" + kind)
    shutil.rmtree(store, ignore_errors=True)
    os.makedirs(store)
    # The client with 104 sends other requests to the same server.
    server = faults.Server(
        [sys.executable, os.path.join(here, "server.py"), kind.removesuffix("-104"), "PORT", store])
    atexit.register(server.kill)
    proxy = faults.Proxy(server)
    kills = uploads = memory = resent = 0
    while kills < count:
        uploads += 1
        path = os.path.join(folder, f"{kind}-{uploads}.bin")
        with open(path, "wb") as file:
            file.write(chance.randbytes(SIZE))
        before, bytes_before = set(os.listdir(store)), proxy.bytes
        while True:
            target = f"http://127.0.0.1:{proxy.port}/files" + ("/" if kind == "tus" else "")
            client = faults.Client([program, kind, target, path])
            while kills < count and proxy.wait(chance.randrange(SIZE // 3), client.is_over):
                kills += 1
                faults.kill(chance.choice(["client", "server", "connection"]), client, server, proxy)
            status, _, error = client.end()
            assert not any(line.startswith("over") for line in client.lines), f"it started over: {client.lines[-3:]}"
            if status == 0:
                assert client.lines[-1].startswith("done 20"), client.lines[-1]
                memory = max(memory, int(client.lines[-1].split()[2]))
                break
            assert status == -9, f"it ended with {status}: {client.lines[-3:]} {error[:2000]}"
        resent = max(resent, proxy.bytes - bytes_before - SIZE)
        want = hashlib.sha256(open(path, "rb").read()).digest()
        # A client that was killed before it had the answer has left an empty upload, and one that was killed when it was
        # done is followed by one that uploads the file again.
        new = [os.path.join(store, name) for name in set(os.listdir(store)) - before if "." not in name]
        new = [name for name in new if os.path.getsize(name)]
        if kind == "draft-104":
            # An upload whose creation was killed before the 104 has no client that knows it.
            new = [name for name in new if os.path.exists(name + ".done")]
        assert 1 <= len(new) <= 2, f"{len(new)} uploads have bytes"
        for name in new:
            assert hashlib.sha256(open(name, "rb").read()).digest() == want, "another file has arrived"
        assert sorted(n for n in os.listdir(folder) if n.startswith(f".{kind}-")) == [], "a record is left"
        os.remove(path)
    assert memory < 60_000, f"{memory} kB of memory"
    print(
        f"{kind}: {kills} kills, {uploads} files of {SIZE >> 20} MB, all whole; at most {resent >> 20} MB of a file sent "
        f"twice, {memory} kB of memory")


for kind in ("tus", "draft", "draft-104"):
    run(kind)
print("every upload holds")
