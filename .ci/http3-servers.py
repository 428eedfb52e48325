#!/usr/bin/env python3
"""Runs a command with servers of HTTP/3 (hypercorn and aioquic), on ports that the system assigns.

    http3-servers.py FOLDER COMMAND ...

Writes into FOLDER: root.pem, the root to be trusted; servers.json, the port of each server; and NAME.log, a line for
each request that a server has received. The command finds the folder in HALYARD_HTTP3. The servers:

all      HTTP/1.1 and HTTP/2 over TCP, HTTP/3 over UDP on the same port, announced with Alt-Svc
mortal-* the same; /die ends the process after the first bytes of a response, or of a request with a body
tcp      no UDP
liar     no UDP, but announced with Alt-Svc
silent   UDP packets arrive, and are never answered
gateway  no TCP; http3-gateway.py, which forwards the requests of the contract tests to their own servers
resetting no TCP; /N resets the stream with the error N, /refused refuses the first one of each method, /close ends the
         connection after the response, and /plain does nothing more. It accepts early data (0-RTT), and logs each
         handshake and each end
"""
import asyncio
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

NAMES = ["all", "mortal-get", "mortal-post", "tcp", "liar", "silent", "resetting"]


def main(folder, command):
    import trustme

    folder.mkdir(parents=True, exist_ok=True)
    root = trustme.CA()
    root.cert_pem.write_to_path(str(folder / "root.pem"))
    certificate = root.issue_cert("localhost", "*.server.localhost", "127.0.0.1")
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    (folder / "chain.pem").write_bytes(b"".join(pem.bytes() for pem in certificate.cert_chain_pems))
    servers = [subprocess.Popen([sys.executable, __file__, "--serve", str(folder), name], stdout=subprocess.PIPE)
               for name in NAMES]
    gateway = [sys.executable, Path(__file__).with_name("http3-gateway.py"), folder]
    servers.append(subprocess.Popen(gateway, stdout=subprocess.PIPE))
    try:
        ports = {name: int(server.stdout.readline()) for name, server in zip([*NAMES, "gateway"], servers)}
        (folder / "servers.json").write_text(json.dumps(ports))
        return subprocess.run(command, env={**os.environ, "HALYARD_HTTP3": str(folder.resolve())}).returncode
    finally:
        for server in servers:
            server.kill()


def free_port():
    """Returns a port that is free for TCP and for UDP."""
    while True:
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.bind(("127.0.0.1", 0))
            try:
                udp.bind(tcp.getsockname())
            except OSError:
                continue
            return tcp.getsockname()[1]


async def reset(folder):
    """Runs the server that resets streams, which hypercorn does not do."""
    from aioquic.asyncio import QuicConnectionProtocol, serve as run
    from aioquic.h3.connection import H3Connection
    from aioquic.h3.events import HeadersReceived
    from aioquic.quic.configuration import QuicConfiguration
    from aioquic.quic.events import HandshakeCompleted, ProtocolNegotiated

    refused, tickets = set(), {}
    log = open(folder / "resetting.log", "a", buffering=1)

    class Resetting(QuicConnectionProtocol):
        http = None

        def quic_event_received(self, event):
            if isinstance(event, HandshakeCompleted):
                log.write(f"resumed {event.session_resumed}, early data {event.early_data_accepted}\n")
            if isinstance(event, ProtocolNegotiated):
                self.http, self.heads = H3Connection(self._quic), {}
            for part in self.http.handle_event(event) if self.http else []:
                if isinstance(part, HeadersReceived):
                    self.heads[part.stream_id] = dict(part.headers)
                if part.stream_ended:
                    self.answer(part.stream_id, self.heads[part.stream_id])

        def answer(self, stream, head):
            path, method = head[b":path"][1:].decode(), head[b":method"]
            if path in ["close", "plain"]:
                self.send(stream)
                if path == "close":
                    asyncio.get_running_loop().call_later(0.1, self.end)
            elif path != "refused":
                self._quic.reset_stream(stream, int(path))
            elif method not in refused:
                refused.add(method)
                self._quic.reset_stream(stream, 0x10B)
            else:
                self.send(stream)
            self.transmit()

        def end(self):
            self.close()
            log.write("closed\n")

        def send(self, stream):
            self.http.send_headers(stream, [(b":status", b"200")])
            self.http.send_data(stream, b"ok", end_stream=True)

    configuration = QuicConfiguration(alpn_protocols=["h3"], is_client=False)
    configuration.load_cert_chain(folder / "chain.pem", folder / "key.pem")
    port = free_port()
    await run("127.0.0.1", port, configuration=configuration, create_protocol=Resetting,
              session_ticket_fetcher=lambda label: tickets.pop(label, None),
              session_ticket_handler=lambda ticket: tickets.update({ticket.ticket: ticket}))
    print(port, flush=True)
    await asyncio.Event().wait()


async def serve(folder, name):
    from hypercorn.asyncio import serve as run
    from hypercorn.config import Config

    port = free_port()
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.certfile, config.keyfile = str(folder / "chain.pem"), str(folder / "key.pem")
    config.loglevel, config.accesslog, config.errorlog = "ERROR", None, "-"
    config.keep_alive_timeout = 60
    if name == "all" or name.startswith("mortal"):
        config.quic_bind = config.bind
    if name == "silent":
        config.silent = socket.socket(type=socket.SOCK_DGRAM)
        config.silent.bind(("127.0.0.1", port))
    log = open(folder / f"{name}.log", "a", buffering=1)

    async def app(scope, receive, send):
        if scope["type"] == "http":
            log.write(f"{scope['http_version']} {scope['method']} {scope['path']}\n")
            headers = [(b"alt-svc", f'h3=":{port}"; ma=3600'.encode())] if name == "liar" else []
            await answer(scope, receive, send, headers)

    async def announce():
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return print(port, flush=True)
            except OSError:
                await asyncio.sleep(0.05)

    await asyncio.gather(run(app, config), announce())


async def answer(scope, receive, send, headers):
    async def start(status, *more):
        await send({"type": "http.response.start", "status": status, "headers": [*headers, *more]})

    async def part(data, more=True):
        await send({"type": "http.response.body", "body": data, "more_body": more})

    length, is_complete = 0, False
    while not is_complete:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message.get("body", b""))
        is_complete = not message.get("more_body", False)
        if scope["path"] == "/die" and length > 0:
            os._exit(1)
    path = scope["path"].split("/")[1:]
    if path[0] == "bytes":
        await start(200, (b"content-length", path[1].encode()))
        block = bytes(range(256)) * 256
        for offset in range(0, int(path[1]), len(block)):
            await part(block[:int(path[1]) - offset])
        await part(b"", False)
    elif path[0] == "misdirected" and scope["http_version"] == "3":
        await start(421)
        await part(b"", False)
    elif path[0] == "redirect":
        await start(307, (b"location", b"/" + "/".join(path[1:]).encode()))
        await part(b"", False)
    elif path[0] == "die":
        await start(200)
        await part(b"a" * 1000)
        await asyncio.sleep(0.2)
        os._exit(1)
    else:
        await start(200)
        await part(f"{scope['http_version']} {scope['path']} {length}".encode(), False)


if sys.argv[1] == "--serve":
    asyncio.run(reset(Path(sys.argv[2])) if sys.argv[3] == "resetting" else serve(Path(sys.argv[2]), sys.argv[3]))
else:
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
