#!/usr/bin/env python3
"""Downloads files over four connections, and in one request, while the client, the server and the connections are killed
at random bytes.

    kills.py PROGRAM FOLDER COUNT

COUNT kills for each way, with and without a Repr-Digest of the server, shared by downloads of 50 MB. In every second download, some of them replace the file on the server by
another version. Every file must arrive whole and be one version, with progress that never decreases within a process,
and with flat memory.
"""
import atexit
import hashlib
import os
import random
import sys

program, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
import faults

chance = random.Random(8)
SIZE = 50 << 20
origin, target = os.path.join(folder, "origin"), os.path.join(folder, "target", "file")
os.makedirs(os.path.dirname(target), exist_ok=True)


def publish():
    """Replaces the file on the server. Returns its digest."""
    data = chance.randbytes(SIZE - chance.randrange(1 << 20))
    with open(origin + ".new", "wb") as file:
        file.write(data)
    os.replace(origin + ".new", origin)
    return hashlib.sha256(data).hexdigest()


def run(connections, *more):
    """Downloads files with kills, over connections or with 0 in one request. `more` is for the server."""
    publish()
    server = faults.Server([sys.executable, os.path.join(here, "server.py"), "PORT", origin, "0", *more])
    atexit.register(server.kill)
    proxy = faults.Proxy(server)
    kills, files, changes, calls, memory = 0, 0, 0, 0, 0
    while kills < count:
        files += 1
        versions = [publish()]
        may_change, is_continued = files % 2 == 0, False
        while True:
            calls += 1
            # The bytes of an earlier version are of no use to a call that begins now.
            versions = versions[-1:]
            url = f"http://127.0.0.1:{proxy.port}/file"
            client = faults.Client([program, url, target, str(connections)] + ([] if may_change else versions))
            while kills < count and proxy.wait(chance.randrange(SIZE // 3), client.is_over):
                kills += 1
                victim = chance.choice(["client", "server", "connection"] + ["file", "file"] * may_change)
                if victim == "file":
                    versions.append(publish())
                    changes += 1
                    # Otherwise the connections go on with the version that they have begun.
                    victim = chance.choice(["none", "connection"])
                faults.kill(victim, client, server, proxy)
            # One request begins again with another version, and so does its progress.
            status, progress, error = client.end(rises=connections or not may_change)
            if status == 0:
                memory = max(memory, int(client.lines[-1].split()[1]))
                assert progress[-1] == 1, f"it ends at {progress[-1]}"
                break
            # A file that changes twice in one call is an error, and the next call gets it. For a call that goes on, a
            # change before it is the first one. One request begins again as often as its policy allows.
            earlier = 1 if may_change and is_continued else 0
            is_changed = len(versions) + earlier > 2 and "has changed while it was downloaded" in error
            assert status == -9 or connections and is_changed, f"it ended with {status}: {error[:2000]}"
            is_continued = True
        with open(target, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        assert digest in versions, f"file {files} is none of its {len(versions)} versions"
        assert os.listdir(os.path.dirname(target)) == ["file"], "something is left beside the file"
        os.remove(target)
    assert memory < 60_000, f"{memory} kB of memory"
    way = f"{connections} connections" if connections else "one request"
    print(
        f"{way}{', Repr-Digest' if more else ''}: {kills} kills, {changes} of them changed the file; {files} files of "
        f"{SIZE >> 20} MB in {calls} calls, all whole, 0 mixed; at most {memory} kB of memory", flush=True)


for connections in (4, 0):
    run(connections)
    run(connections, "digest")
print("every download holds")
