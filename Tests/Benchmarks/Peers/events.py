#!/usr/bin/env python3
"""A server of streams for `streams`, on a port that the system gives and that is printed. It ends with its input.

    GET /open            one server-sent event, and then a stream that stays open
    GET /array/BYTES     a JSON object with an array of about so many bytes of elements
"""
import asyncio
import os
import sys

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nConnection: close\r\n\r\n"
ELEMENT = b'{"id":%d,"name":"an element of a long array","tags":["a","b"]},' % 1_000_000
BLOCK = ELEMENT * 2000


async def answer(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    path = head.split(b" ")[1].decode()
    try:
        if path == "/open":
            writer.write(HEAD % b"text/event-stream" + b"id: 1\ndata: {}\n\n")
            await writer.drain()
            await reader.read()
        else:
            writer.write(HEAD % b"application/json" + b'{"data":{"items":[')
            for _ in range(int(path.split("/")[2]) // len(BLOCK)):
                writer.write(BLOCK)
                await writer.drain()
            writer.write(ELEMENT[:-1] + b"]}}")
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=8192)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)  # without a word about each stream that is open


asyncio.run(main())
