"""A client and a server that can be killed, and a proxy that can lose all its connections, for the trials of uploads and
downloads."""
import socket
import subprocess
import threading
import time


class Server:
    """A server process, which can be killed and started again on its port. It prints its port."""

    def __init__(self, command):
        """The command gets the port as a text in place of PORT."""
        self.command, self.port = command, 0
        self.start()

    def start(self):
        for _ in range(100):
            command = [str(self.port) if word == "PORT" else word for word in self.command]
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


class Client:
    """A client process, whose lines are collected."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout))
        self.reader.start()

    def is_over(self):
        return self.process.poll() is not None

    def end(self, rises=True):
        """Waits for the end. Returns the status, the numbers of its lines of progress, and what it said of an error.
        `rises` says whether the progress must never decrease."""
        try:
            self.process.wait(timeout=600)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.reader.join()
        progress = [float(line.split()[1]) for line in self.lines if line.startswith("progress")]
        assert not rises or progress == sorted(set(progress)), "the progress decreases"
        return self.process.returncode, progress, self.process.stderr.read()


def kill(victim, client, server, proxy):
    """Kills the client, the server, or the connections."""
    if victim == "client":
        client.process.kill()
        client.process.wait()
    elif victim == "server":
        server.kill()
        proxy.reset()
        server.start()
    elif victim == "connection":
        proxy.reset()


class Proxy:
    """Passes connections on to a server, and can reset all of them."""

    def __init__(self, server):
        self.server, self.pairs, self.lock = server, [], threading.Lock()
        # The number of bytes that were sent in both directions.
        self.bytes, self.progress = 0, threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                upstream = socket.socket()
                # What is on its way is lost with a connection, and should be little.
                upstream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 18)
                upstream.connect(("127.0.0.1", self.server.port))
            except OSError:
                client.close()
                upstream.close()
                continue
            with self.lock:
                self.pairs += [client, upstream]
            threading.Thread(target=self.connect, args=(client, upstream), daemon=True).start()

    def connect(self, client, upstream):
        back = threading.Thread(target=self.copy, args=(upstream, client), daemon=True)
        back.start()
        self.copy(client, upstream)
        back.join()
        # The system then resets a connection whose bytes nobody reads. Otherwise its sender would wait for room.
        client.close()
        upstream.close()

    def copy(self, source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
                with self.progress:
                    self.bytes += len(data)
                    self.progress.notify_all()
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def wait(self, count, is_over):
        """Waits until that many more bytes were sent. Returns whether they were, or it is over before."""
        with self.progress:
            limit = self.bytes + count
            while self.bytes < limit and not is_over():
                self.progress.wait(0.05)
            return self.bytes >= limit

    def reset(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for end in pairs:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
