#!/usr/bin/env python3
"""Uploads files while the client, the server and the connection are killed at random moments.

    kills.py PROGRAM FOLDER COUNT

COUNT kills for each protocol, shared by uploads of 50 MB. Every file must arrive whole, in one upload, with progress
that never decreases within a process, and with flat memory.
"""
import atexit
import hashlib
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

program, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
here = os.path.dirname(os.path.abspath(__file__))
chance = random.Random(8)
SIZE = 50 << 20


class Server:
    """A server process, which can be killed and started again on its port."""

    def __init__(self, kind):
        # The client sends other requests to the same server.
        self.kind, self.port = kind.removesuffix("-104"), 0
        self.folder = os.path.join(folder, "server-" + kind)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.start()

    def start(self):
        for _ in range(100):
            command = [sys.executable, os.path.join(here, "server.py"), self.kind, str(self.port), self.folder]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
            line = self.process.stdout.readline()
            if line:
                self.port = int(line)
                return
            # The port may be in use for a moment by a connection of its predecessor.
            self.process.wait()
            time.sleep(0.1)
        raise SystemExit("the server does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Proxy:
    """Passes connections on to a server, and can reset all of them."""

    def __init__(self, server):
        self.server, self.pairs, self.lock = server, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                upstream = socket.create_connection(("127.0.0.1", self.server.port))
            except OSError:
                client.close()
                continue
            with self.lock:
                self.pairs += [client, upstream]
            for pair in ((client, upstream), (upstream, client)):
                threading.Thread(target=self.copy, args=pair, daemon=True).start()

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def reset(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for end in pairs:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def run(kind):
    server = Server(kind)
    atexit.register(server.kill)
    proxy = Proxy(server)
    kills = uploads = sent_again = 0
    memory = 0
    while kills < count:
        uploads += 1
        path = os.path.join(folder, f"{kind}-{uploads}.bin")
        with open(path, "wb") as file:
            file.write(chance.randbytes(SIZE))
        before = set(os.listdir(server.folder))
        while True:
            target = f"http://127.0.0.1:{proxy.port}/files" + ("/" if kind == "tus" else "")
            client = subprocess.Popen([program, kind, target, path], stdout=subprocess.PIPE, text=True)
            lines = []
            reader = threading.Thread(target=lambda: lines.extend(client.stdout))
            reader.start()
            while kills < count and client.poll() is None:
                time.sleep(chance.uniform(0.01, 0.15))
                if client.poll() is not None:
                    break
                kills += 1
                victim = chance.choice(["client", "server", "connection"])
                if victim == "client":
                    client.kill()
                    break
                if victim == "server":
                    server.kill()
                    proxy.reset()
                    server.start()
                else:
                    proxy.reset()
            try:
                client.wait(timeout=120)
            except subprocess.TimeoutExpired:
                client.kill()
                raise
            reader.join()
            progress = [int(line.split()[1]) for line in lines if line.startswith("progress")]
            assert progress == sorted(set(progress)), "the progress decreases"
            assert not any(line.startswith("over") for line in lines), f"it started over: {lines[-3:]}"
            if client.returncode == 0:
                assert lines[-1].startswith("done 20"), lines[-1]
                memory = max(memory, int(lines[-1].split()[2]))
                break
            assert client.returncode == -9, f"it ended with {client.returncode}: {lines[-3:]}"
        want = hashlib.sha256(open(path, "rb").read()).digest()
        # A client that was killed before it had the answer has left an empty upload, and one that was killed when it was
        # done is followed by one that uploads the file again.
        new = [os.path.join(server.folder, name) for name in set(os.listdir(server.folder)) - before if "." not in name]
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
    print(f"{kind}: {kills} kills, {uploads} files of {SIZE >> 20} MB, all whole; at most {memory} kB of memory")


for kind in ("tus", "draft", "draft-104"):
    run(kind)
print("every upload holds")
