#!/usr/bin/env python3
"""Runs a command with HTTPS servers that have valid and invalid certificates, on ports that the system assigns.

    tls-servers.py FOLDER COMMAND ...

Writes into FOLDER: root.pem, the root to be trusted; client.pem and client.key; servers.json, the port of each server
and the pin of the key of "good". A server appends every byte that it receives after the handshake to
FOLDER/received-NAME, so that a test can check that there was none. "downgrade" redirects to "plain", which has no TLS.
"stray" sends unrequested responses. The command finds the folder in HALYARD_TLS.
"""
import base64
import contextlib
import datetime
import hashlib
import json
import os
import select
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
root, stranger = trustme.CA(), trustme.CA()
root.cert_pem.write_to_path(str(folder / "root.pem"))
now = datetime.datetime.now(datetime.timezone.utc)
day = datetime.timedelta(days=1)


def issued(by, *names, **options):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate = by.issue_cert(*names, **options)
    certificate.configure_cert(context)
    context.certificate = certificate
    return context


def self_signed():
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    certificate = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    text = certificate.public_bytes(pem) + key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "self-signed.pem").write_bytes(text)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "self-signed.pem")
    return context


def only(version):
    context = issued(root, "localhost")
    context.minimum_version = context.maximum_version = version
    return context


def wanting_client():
    context = issued(root, "localhost")
    root.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


contexts = {
    "good": issued(root, "localhost"),
    "expired": issued(root, "localhost", not_before=now - 2 * day, not_after=now - day),
    "wrong-host": issued(root, "elsewhere.example"),
    "unknown-root": issued(stranger, "localhost"),
    "self-signed": self_signed(),
    "tls12": only(ssl.TLSVersion.TLSv1_2),
    "client": wanting_client(),
    "downgrade": issued(root, "localhost"),
    "stray": issued(root, "localhost"),
    "plain": None,
}


def serve(name, context, listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(name, context, connection), daemon=True).start()


def reply(name, request):
    if name != "downgrade":
        return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    place = f"http://127.0.0.1:{ports['plain']}".encode() + request.split()[1]
    return b"HTTP/1.1 307 Elsewhere\r\nLocation: " + place + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


# The connections that /stray sends on, with their locks: two threads must not use a TLS connection at a time.
kept = {}


def answer_and_stray(connection):
    """Keeps connections open, and responds with the path. For /stray, it first sends a response on all other ones."""
    def response(text):
        return f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()

    # Without this, the system delays the bytes until the client has acknowledged the previous ones.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lock = threading.Lock()

    def receive(stream):
        if not stream.pending():
            select.select([stream], [], [])
        with lock:
            return stream.recv(65536)

    try:
        stream = contexts["stray"].wrap_socket(connection, server_side=True)
    except OSError:
        return
    try:
        request = b""
        while data := receive(stream):
            request += data
            if not request.endswith(b"secret"):
                continue
            path, request = request.split()[1].decode(), b""
            if path == "/stray":
                while kept:
                    other, its_lock = kept.popitem()
                    with contextlib.suppress(OSError), its_lock:
                        other.sendall(response("stray"))
            else:
                kept[stream] = lock
            with lock:
                stream.sendall(response(path))
    except OSError:
        pass
    finally:
        kept.pop(stream, None)
        with lock:
            stream.close()


def answer(name, context, connection):
    if name == "stray":
        return answer_and_stray(connection)
    try:
        with context.wrap_socket(connection, server_side=True) if context else connection as stream:
            request = b""
            while not request.endswith(b"secret"):
                data = stream.recv(65536)
                if not data:
                    return
                request += data
                log(name, data)
            # The request is complete: its body ends with "secret".
            stream.sendall(reply(name, request))
    except OSError:
        pass


def tunnel(left, right):
    """Carries bytes both ways until one side ends. One thread does it: two must not use a TLS connection at a time."""
    with contextlib.suppress(OSError):
        while True:
            pending = [side for side in (left, right) if isinstance(side, ssl.SSLSocket) and side.pending()]
            for source in pending or select.select([left, right], [], [])[0]:
                data = source.recv(65536)
                if not data:
                    return
                (right if source is left else left).sendall(data)


def https_proxy(connection):
    """Speaks TLS, and connects to this machine whatever the host that CONNECT names."""
    with contexts["good"].wrap_socket(connection, server_side=True) as stream:
        request = b""
        while b"\r\n\r\n" not in request:
            request += stream.recv(65536)
        log("https-proxy", request)
        port = int(request.split()[1].rsplit(b":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as server:
            stream.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            tunnel(stream, server)


def socks_proxy(connection):
    """SOCKS 5 (RFC 1928) with a user and password (RFC 1929), to this machine whatever the host."""
    with connection:
        connection.recv(connection.recv(2)[1])
        connection.sendall(b"\5\2")
        user = connection.recv(connection.recv(2)[1])
        password = connection.recv(connection.recv(1)[0])
        connection.sendall(b"\1\0")
        host = connection.recv(connection.recv(5)[4])
        port = int.from_bytes(connection.recv(2), "big")
        log("socks-proxy", b" ".join([user, password, host]))
        with socket.create_connection(("127.0.0.1", port)) as server:
            connection.sendall(b"\5\0\0\1\0\0\0\0\0\0")
            tunnel(connection, server)


def log(name, data):
    with open(folder / f"received-{name}", "ab") as file:
        file.write(data)


def run_proxy(listener, proxy):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=proxy, args=(connection,), daemon=True).start()


ports = {}
for name, context in contexts.items():
    listener = socket.create_server(("127.0.0.1", 0))
    ports[name] = listener.getsockname()[1]
    threading.Thread(target=serve, args=(name, context, listener), daemon=True).start()
for name, proxy in {"https-proxy": https_proxy, "socks-proxy": socks_proxy}.items():
    listener = socket.create_server(("127.0.0.1", 0))
    ports[name] = listener.getsockname()[1]
    threading.Thread(target=run_proxy, args=(listener, proxy), daemon=True).start()
# Accepts connections, and never sends a byte.
silent = socket.create_server(("127.0.0.1", 0))
ports["silent"] = silent.getsockname()[1]

leaf = x509.load_pem_x509_certificate(contexts["good"].certificate.cert_chain_pems[0].bytes())
info = leaf.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
pin = base64.b64encode(hashlib.sha256(info).digest()).decode()
client = root.issue_cert("client.example")
client.cert_chain_pems[0].write_to_path(str(folder / "client.pem"))
client.private_key_pem.write_to_path(str(folder / "client.key"))
(folder / "servers.json").write_text(json.dumps({"ports": ports, "pin": pin}))
sys.exit(subprocess.run(sys.argv[2:], env={**os.environ, "HALYARD_TLS": str(folder.resolve())}).returncode)
