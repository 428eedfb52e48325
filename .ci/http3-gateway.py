#!/usr/bin/env python3
"""A server of HTTP/3 that forwards each request to a server of HTTP/1.1 on this machine, on a port of its own.

    http3-gateway.py FOLDER

The host p12345.server.localhost is the server 127.0.0.1:12345. The certificate is in FOLDER; the port is printed. Each
request has a connection to its server. A server that breaks off makes the gateway reset the stream; a client that
cancels makes it close the connection. Neither side is read faster than the other one takes the bytes.
"""
import asyncio
import socket
import sys
from pathlib import Path

import h11
from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import ErrorCode, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated, StopSendingReceived, StreamReset

BLOCK = 1 << 18
# Fields of one connection (RFC 9110 section 7.6.1), which HTTP/3 does not have.
HOP_BY_HOP = {b"connection", b"keep-alive", b"proxy-connection", b"te", b"transfer-encoding", b"upgrade"}


class Exchange:
    """One request and its response."""

    def __init__(self, client, stream, head, has_body):
        self.client, self.stream = client, stream
        # Pieces of the request's body, then None; and the number of bytes that are not yet forwarded.
        self.pieces, self.held = asyncio.Queue(), 0
        self.server = h11.Connection(h11.CLIENT, max_incomplete_event_size=1 << 22)
        # Whether more of the request may arrive.
        self.receives = True
        self.task = asyncio.create_task(self.run(head, has_body))

    async def run(self, head, has_body):
        pseudo = {name: value for name, value in head if name.startswith(b":")}
        port = int(pseudo[b":authority"].split(b".")[0][1:])
        fields = [field for field in head if not field[0].startswith(b":")]
        if has_body and not any(name == b"content-length" for name, _ in fields):
            fields.append((b"transfer-encoding", b"chunked"))
        upload = writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            fields = [(b"host", pseudo[b":authority"]), *fields]
            writer.write(self.server.send(
                h11.Request(method=pseudo[b":method"], target=pseudo[b":path"], headers=fields)))
            upload = asyncio.create_task(self.upload(writer))
            await self.download(reader)
            if self.receives:
                # The response is complete, and rejects the rest of the request (RFC 9114 section 4.1).
                self.client._quic.stop_stream(self.stream, ErrorCode.H3_NO_ERROR)
        except (OSError, h11.ProtocolError):
            self.end(ErrorCode.H3_INTERNAL_ERROR)
        except asyncio.CancelledError:
            self.end(ErrorCode.H3_REQUEST_CANCELLED)
        finally:
            if upload:
                upload.cancel()
            if writer:
                writer.transport.abort()
            self.client.exchanges.pop(self.stream, None)
            self.client.transmit()

    def end(self, code):
        self.client._quic.reset_stream(self.stream, code)
        if self.receives:
            self.client._quic.stop_stream(self.stream, code)

    async def upload(self, writer):
        try:
            while (piece := await self.pieces.get()) is not None:
                writer.write(self.server.send(h11.Data(data=piece)))
                await writer.drain()
                self.held -= len(piece)
                self.client.transmit()
            writer.write(self.server.send(h11.EndOfMessage()))
            await writer.drain()
        except OSError:
            pass  # The server may have responded before it closed the connection.

    async def download(self, reader):
        http = self.client.http
        while True:
            event = self.server.next_event()
            if event is h11.NEED_DATA:
                self.server.receive_data(await reader.read(BLOCK))
                continue
            if isinstance(event, (h11.InformationalResponse, h11.Response)):
                fields = [field for field in event.headers if field[0] not in HOP_BY_HOP]
                http.send_headers(self.stream, [(b":status", b"%d" % event.status_code), *fields])
            elif isinstance(event, h11.Data):
                http.send_data(self.stream, bytes(event.data), end_stream=False)
            elif isinstance(event, h11.EndOfMessage):
                if event.headers:
                    http.send_headers(self.stream, list(event.headers), end_stream=True)
                else:
                    http.send_data(self.stream, b"", end_stream=True)
            else:
                raise h11.RemoteProtocolError(f"{event}")
            self.client.transmit()
            if isinstance(event, h11.EndOfMessage):
                return
            await self.client.room(self.stream)


class Gateway(QuicConnectionProtocol):
    http = None

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.exchanges, self.changed = {}, asyncio.Event()
        raise_limit = self._quic._write_stream_limits

        # aioquic lets a client send more when its bytes have arrived, whether or not they are forwarded.
        def raise_limit_if_forwarded(builder, space, stream):
            exchange = self.exchanges.get(stream.stream_id)
            if exchange is None or exchange.held < BLOCK:
                raise_limit(builder, space, stream)

        self._quic._write_stream_limits = raise_limit_if_forwarded

    def transmit(self):
        super().transmit()
        self.changed.set()

    async def room(self, number):
        """Waits until the client has taken most of what a stream has sent."""
        while (stream := self._quic._streams.get(number)) and len(stream.sender._buffer) > BLOCK:
            self.changed.clear()
            await self.changed.wait()

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        if isinstance(event, ConnectionTerminated):
            for exchange in self.exchanges.values():
                exchange.task.cancel()
        elif isinstance(event, (StreamReset, StopSendingReceived)) and event.stream_id in self.exchanges:
            exchange = self.exchanges[event.stream_id]
            exchange.receives = exchange.receives and isinstance(event, StopSendingReceived)
            exchange.task.cancel()
        for part in self.http.handle_event(event) if self.http else []:
            if isinstance(part, HeadersReceived) and part.stream_id not in self.exchanges:
                self.exchanges[part.stream_id] = Exchange(
                    self, part.stream_id, part.headers, not part.stream_ended)
            exchange = self.exchanges.get(part.stream_id)
            if exchange is None:
                continue
            if isinstance(part, DataReceived) and part.data:
                exchange.held += len(part.data)
                exchange.pieces.put_nowait(part.data)
            if part.stream_ended:
                exchange.receives = False
                exchange.pieces.put_nowait(None)


async def main(folder):
    # Nothing listens on the port of TCP, which nobody else gets: a response has come over HTTP/3.
    tcp = socket.socket()
    tcp.bind(("127.0.0.1", 0))
    port = tcp.getsockname()[1]
    # A stream that is held up does not stop the others. A connection lasts longer than any test waits for its end.
    configuration = QuicConfiguration(
        alpn_protocols=["h3"], is_client=False, max_data=1 << 60, idle_timeout=600)
    configuration.load_cert_chain(folder / "chain.pem", folder / "key.pem")
    await serve("127.0.0.1", port, configuration=configuration, create_protocol=Gateway)
    print(port, flush=True)
    await asyncio.Event().wait()


asyncio.run(main(Path(sys.argv[1])))
