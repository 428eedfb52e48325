#!/usr/bin/env python3
"""Runs a command with WebSocket servers that others wrote, on ports that the system assigns.

    websocket-servers.py FOLDER COMMAND ...

The servers are those of the packages websockets and wsproto, and nginx in front of the first, each without and with TLS.
Writes into FOLDER: root.pem, the root to be trusted; stranger.pem, another one; servers.json, the port of each server. The command finds the folder
in HALYARD_WEBSOCKETS.

All servers echo messages. The path chooses more: /close/CODE closes, /ping sends a ping and tells its answer, /fragments
sends a message in frames, /large sends 8 MiB, /count/N sends N messages, /slow reads nothing for a while. /secret wants
a token, /refuse refuses, /chat has the subprotocol chat.
"""
import asyncio
import contextlib
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import trustme
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed
from wsproto import ConnectionType, WSConnection
from wsproto import events as ws
from wsproto.connection import ConnectionState

folder = Path(sys.argv[1]).resolve()
folder.mkdir(parents=True, exist_ok=True)
folder.chmod(0o755)
root = trustme.CA()
root.cert_pem.write_to_path(str(folder / "root.pem"))
trustme.CA().cert_pem.write_to_path(str(folder / "stranger.pem"))
certificate = root.issue_cert("localhost")
certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
certificate.configure_cert(context)
text = "Grüße an 世界 😀 "


# The package websockets.
async def handle(connection):
    with contextlib.suppress(ConnectionClosed):
        await converse(connection)


async def converse(connection):
    kind, _, value = connection.request.path.lstrip("/").partition("/")
    if kind == "close":
        await connection.close(int(value), "as asked")
    if kind == "ping":
        await (await connection.ping(b"payload"))
        await connection.send("ponged")
    if kind == "fragments":
        await connection.send(list(text))
        await connection.send([bytes([number]) for number in range(256)])
    if kind == "large":
        await connection.send(b"x" * (8 << 20))
    if kind == "count":
        for number in range(int(value)):
            await connection.send(str(number))
    if kind == "slow":
        await asyncio.sleep(0.3)
    async for message in connection:
        await connection.send(message)


def answer(connection, request):
    if request.path == "/refuse":
        return connection.respond(403, "not for you\n")
    if request.path == "/secret" and request.headers.get("Authorization") != "Bearer new":
        return connection.respond(401, "no token\n")
    return None


def choose(connection, offered):
    return "chat" if "chat" in offered else None


async def run_websockets():
    options = dict(process_request=answer, select_subprotocol=choose, max_size=64 << 20)
    plain = await serve(handle, "127.0.0.1", 0, **options)
    secure = await serve(handle, "127.0.0.1", 0, ssl=context, **options)
    ports["websockets"], ports["websockets-tls"] = (s.sockets[0].getsockname()[1] for s in (plain, secure))
    ready.set()
    await asyncio.Future()


# The package wsproto, which leaves the sockets to its user.
def answers(connection, event):
    """The bytes that answer an event."""
    if isinstance(event, ws.Request):
        connection.path = event.target.lstrip("/")
        if connection.path == "refuse":
            yield connection.send(ws.RejectConnection(status_code=403, has_body=True))
            yield connection.send(ws.RejectData(data=b"not for you\n"))
            return
        if connection.path == "secret" and (b"authorization", b"Bearer new") not in event.extra_headers:
            yield connection.send(ws.RejectConnection(status_code=401))
            return
        yield connection.send(ws.AcceptConnection(subprotocol="chat" if "chat" in event.subprotocols else None))
        yield from first_messages(connection, *connection.path.partition("/")[::2])
    elif isinstance(event, ws.TextMessage):
        yield connection.send(ws.TextMessage(event.data, message_finished=event.message_finished))
    elif isinstance(event, ws.BytesMessage):
        yield connection.send(ws.BytesMessage(event.data, message_finished=event.message_finished))
    elif isinstance(event, ws.Ping):
        yield connection.send(event.response())
    elif isinstance(event, ws.Pong) and event.payload == b"payload":
        yield connection.send(ws.TextMessage("ponged"))
    elif isinstance(event, ws.CloseConnection) and connection.state is ConnectionState.REMOTE_CLOSING:
        yield connection.send(event.response())


def first_messages(connection, kind, value):
    if kind == "close":
        yield connection.send(ws.CloseConnection(int(value), "as asked"))
    if kind == "ping":
        yield connection.send(ws.Ping(b"payload"))
    if kind == "fragments":
        for character in text:
            yield connection.send(ws.TextMessage(character, message_finished=False))
        yield connection.send(ws.TextMessage(""))
        for number in range(256):
            yield connection.send(ws.BytesMessage(bytes([number]), message_finished=number == 255))
    if kind == "large":
        yield connection.send(ws.BytesMessage(b"x" * (8 << 20)))
    if kind == "count":
        for number in range(int(value)):
            yield connection.send(ws.TextMessage(str(number)))


def run_connection(stream, is_secure):
    try:
        with context.wrap_socket(stream, server_side=True) if is_secure else stream as stream:
            connection = WSConnection(ConnectionType.SERVER)
            is_done = False
            while not is_done and (data := stream.recv(65536)):
                connection.receive_data(data)
                for event in connection.events():
                    for part in answers(connection, event):
                        stream.sendall(part)
                    is_done |= isinstance(event, ws.CloseConnection)
                    is_done |= isinstance(event, ws.Request) and connection.state.name == "CLOSED"
    except OSError:
        pass


def run_wsproto(listener, is_secure):
    while True:
        stream, _ = listener.accept()
        threading.Thread(target=run_connection, args=(stream, is_secure), daemon=True).start()


# nginx in front of the package websockets.
def run_nginx():
    # nginx does not accept port 0. A port that the system has just assigned is free.
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        ports["nginx"], ports["nginx-tls"] = one.getsockname()[1], two.getsockname()[1]
    (folder / "nginx.conf").write_text(f"""
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_rlimit_nofile 4096;
events {{ worker_connections 1024; }}
http {{
    access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{ports["nginx"]}; listen 127.0.0.1:{ports["nginx-tls"]} ssl;
        ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.pem;
        location / {{
            proxy_pass http://127.0.0.1:{ports["websockets"]}; proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade"; proxy_set_header Host $host;
        }}
    }}
}}
""")
    server = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf"])
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", ports["nginx-tls"]), 1).close()
            return server
        except OSError:
            threading.Event().wait(0.1)
    sys.exit("nginx does not listen")


ports, ready = {}, threading.Event()
threading.Thread(target=lambda: asyncio.run(run_websockets()), daemon=True).start()
if not ready.wait(30):
    sys.exit("the package websockets does not listen")
for name in ["wsproto", "wsproto-tls"]:
    listener = socket.create_server(("127.0.0.1", 0))
    ports[name] = listener.getsockname()[1]
    threading.Thread(target=run_wsproto, args=(listener, name.endswith("tls")), daemon=True).start()
nginx = run_nginx()
try:
    (folder / "servers.json").write_text(json.dumps(ports))
    result = subprocess.run(sys.argv[2:], env={**os.environ, "HALYARD_WEBSOCKETS": str(folder)}).returncode
finally:
    nginx.terminate()
    nginx.wait()
sys.exit(result)
