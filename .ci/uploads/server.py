#!/usr/bin/env python3
"""A server of draft-ietf-httpbis-resumable-upload-13, or with tuspyserver of tus 1.0.

    server.py draft|tus PORT FOLDER

Port 0 is any free one. It prints its port. Its uploads are in the folder, and survive its end.
"""
import base64
import hashlib
import http.server
import os
import re
import socket
import sys
import uuid

kind, port, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]


class Draft(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def state(self):
        """The path of the upload, its length, and the bytes that are there."""
        name = self.path.rpartition("/")[2]
        path = os.path.join(folder, name)
        if not re.fullmatch("[0-9a-f]{32}", name) or not os.path.exists(path + ".length"):
            return None
        return path, int(open(path + ".length").read()), os.path.getsize(path)

    def do_OPTIONS(self):
        self.answer(204, Upload_Limit="min-size=0")

    def do_POST(self):
        if self.headers["Upload-Draft-Interop-Version"] != "10":
            return self.answer(400)
        name = uuid.uuid4().hex
        open(os.path.join(folder, name), "wb").close()
        with open(os.path.join(folder, name + ".length"), "w") as file:
            file.write(self.headers["Upload-Length"])
        location = "/files/" + name
        if int(self.headers["Content-Length"]):
            self.wfile.write(
                b"HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 10\r\n"
                b"Location: %s\r\n\r\n" % location.encode())
            return self.append(os.path.join(folder, name), int(self.headers["Upload-Length"]), 0, Location=location)
        self.answer(201, Location=location, Upload_Complete="?0", Upload_Offset=0)

    def do_HEAD(self):
        state = self.state()
        if state is None:
            return self.answer(404)
        done = os.path.exists(state[0] + ".done")
        self.answer(204, Upload_Offset=state[2], Upload_Complete="?1" if done else "?0", Cache_Control="no-store")

    def do_DELETE(self):
        state = self.state()
        if state is None:
            return self.answer(404)
        os.remove(state[0])
        os.remove(state[0] + ".length")
        self.answer(204)

    def do_PATCH(self):
        state = self.state()
        if state is None:
            return self.answer(404)
        if self.headers["Content-Type"] != "application/partial-upload":
            self.close_connection = True
            return self.answer(415)
        self.append(*state)

    def append(self, path, length, offset, **headers):
        rest = int(self.headers["Content-Length"])
        if int(self.headers["Upload-Offset"] or 0) != offset or offset + rest > length:
            self.close_connection = True
            return self.answer(409, Upload_Offset=offset, Upload_Complete="?0")
        digest = hashlib.sha256()
        # Another request may still be appending, whose client was killed.
        descriptor = os.open(path, os.O_WRONLY)
        try:
            while rest:
                data = self.rfile.read1(min(rest, 65536))
                if not data:
                    self.close_connection = True
                    return
                if os.fstat(descriptor).st_size != offset:
                    self.close_connection = True
                    return self.answer(409, Upload_Offset=os.fstat(descriptor).st_size, Upload_Complete="?0")
                os.pwrite(descriptor, data, offset)
                digest.update(data)
                offset += len(data)
                rest -= len(data)
        finally:
            os.close(descriptor)
        stated = self.headers["Content-Digest"]
        if stated and stated != f"sha-256=:{base64.b64encode(digest.digest()).decode()}:":
            return self.answer(400)
        complete = self.headers["Upload-Complete"] == "?1"
        if complete:
            open(path + ".done", "w").close()
        self.answer(
            200 if complete else 204, Upload_Offset=offset, Upload_Complete="?1" if complete else "?0", **headers)


if kind == "draft":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Draft)
    server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
    print(server.server_port, flush=True)
    server.serve_forever()
else:
    import uvicorn
    from fastapi import FastAPI
    from tuspyserver import create_tus_router
    from tuspyserver.storage.local import LocalFileStorage

    class Storage(LocalFileStorage):
        """Its own one appends after bytes that a killed server has written and not counted."""

        async def flush(self, uid):
            offset = (await self.read_info(uid))["offset"]
            os.truncate(self._path(uid), offset)
            await super().flush(uid)

    app = FastAPI()
    app.include_router(create_tus_router(prefix="files", files_dir=folder, storage=Storage(folder)))
    listener = socket.create_server(("127.0.0.1", port), reuse_port=False)
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listener])
