"""A server that can be killed, and a proxy that can lose all its connections, for the trials of uploads and downloads."""
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


class Proxy:
    """Passes connections on to a server, and can reset all of them."""

    def __init__(self, server):
        self.server, self.pairs, self.lock = server, [], threading.Lock()
        # The number of bytes that the server has sent.
        self.bytes, self.progress = 0, threading.Condition()
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
            for pair in ((client, upstream, 0), (upstream, client, 1)):
                threading.Thread(target=self.copy, args=pair, daemon=True).start()

    def copy(self, source, target, weight):
        try:
            while data := source.recv(65536):
                target.sendall(data)
                if weight:
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
        """Waits until the server has sent a number of bytes more. Returns whether it has, or it is over before."""
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
