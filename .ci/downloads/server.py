#!/usr/bin/env python3
"""A server of one file in ranges, which limits the rate of each connection.

    server.py PORT FILE RATE [digest]

Port 0 is any free one. It prints its port. RATE is in bytes per second, and 0 for no limit. The file may be replaced
while the server runs: each response is of one version, whose ETag is the name of that version. With `digest`, it also
has the Repr-Digest of that version.
"""
import base64
import hashlib
import http.server
import os
import re
import sys
import time

port, path, rate = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
states_digest = "digest" in sys.argv[4:]


# The digest of each version, by its tag.
digests = {}


def digest(file):
    return f"sha-256=:{base64.b64encode(hashlib.file_digest(file, 'sha256').digest()).decode()}:"


class Ranges(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        with open(path, "rb") as file:
            state = os.fstat(file.fileno())
            tag, total = f'"{state.st_ino}-{state.st_mtime_ns}"', state.st_size
            start, end, status = 0, total, 200
            wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers["Range"] or "")
            if wanted and self.headers.get("If-Range", tag) == tag:
                start, end = int(wanted[1]), min(total, int(wanted[2] or total) + 1)
                status = 206
            self.send_response(status)
            self.send_header("ETag", tag)
            self.send_header("Content-Length", str(end - start))
            if states_digest:
                self.send_header("Repr-Digest", digests.get(tag) or digests.setdefault(tag, digest(file)))
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{total}")
            self.end_headers()
            try:
                self.send(file, start, end)
            except OSError:
                self.close_connection = True

    def send(self, file, start, end):
        file.seek(start)
        begin, sent = time.monotonic(), 0
        while start + sent < end:
            sent += self.wfile.write(file.read(min(1 << 16, end - start - sent)))
            if rate:
                time.sleep(max(0, begin + sent / rate - time.monotonic()))


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Ranges)
print(server.server_address[1], flush=True)
server.serve_forever()
