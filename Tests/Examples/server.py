"""An ASGI application with the streams, pages and failures that Streams.swift reads: uvicorn --port 0 server:app"""
import asyncio
import gzip
import json


async def read(receive):
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": kind + ".complete"})
            if kind == "lifespan.shutdown":
                return
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    query = dict(pair.split("=") for pair in scope["query_string"].decode().split("&") if "=" in pair)
    body = await read(receive)

    async def start(status, kind, *fields):
        fields = [(b"content-type", kind.encode())] + [(n.encode(), v.encode()) for n, v in fields]
        await send({"type": "http.response.start", "status": status, "headers": fields})

    async def write(text, more=True):
        await send({"type": "http.response.body", "body": text.encode(), "more_body": more})
        await asyncio.sleep(0.001)

    match scope["path"]:
        case "/chat":
            await start(200, "text/event-stream")
            for word in json.loads(body)["text"].split():
                await write(f'data: {{"text": "{word}"}}\n\n')
            await write("data: [DONE]\n\n", more=False)
        case "/feed":
            last = int(headers.get("last-event-id", "0"))
            if last >= 9:
                await start(204, "text/event-stream")
                return await write("", more=False)
            await start(200, "text/event-stream; charset=utf-8")
            await write("retry: 1\n: three events for each connection\n\n")
            for number in range(last + 1, last + 4):
                await write(f"id: {number}\nevent: tick\n")
                await write(f"data: {number}\n\n")
            await write("id: 99\ndata: cut off", more=False)
        case "/watch":
            await start(200, "application/x-ndjson")
            for number in range(1, 101):
                await write(json.dumps({"id": number}) + "\n")
            await write("", more=False)
        case "/sequence":
            await start(200, "application/json-seq")
            for number in range(1, 101):
                await write("\x1e" + json.dumps({"id": number}, indent=1) + "\n")
            await write("", more=False)
        case "/upload":
            await start(200, "application/json")
            plain = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else b""
            await write(json.dumps({"sent": len(body), "plain": len(plain)}), more=False)
        case "/rpc":
            if headers.get("x-session-id") != "s1":
                await start(409, "text/plain", ("x-session-id", "s1"))
                return await write("", more=False)
            await start(200, "application/json")
            await write('{"ok": true}', more=False)
        case "/list":
            items = [{"id": number} for number in range(1, 16)]
            offset = int(query.get("offset", (int(query.get("page", "1")) - 1) * 3))
            after = int(query.get("after", offset))
            found = {"items": items[after : after + 3], "total": 15}
            if after + 3 < 15:
                found |= {"next": after + 3, "url": f"/list?after={after + 3}"}
            await start(200, "application/json")
            await write(json.dumps(found), more=False)
        case "/export":
            await start(200, "application/json")
            await write('{"data": {"users": [')
            for number in range(1, 101):
                await write(("," if number > 1 else "") + json.dumps({"id": number, "name": "]},"}))
            await write("]}}", more=False)
        case "/items":
            page = int(query.get("page", "1"))
            link = [("link", f'</items?page={page + 1}>; rel="next", </items?page=5>; rel="last"')] if page < 5 else []
            await start(200, "application/json", *link)
            await write(json.dumps([{"id": (page - 1) * 3 + place} for place in (1, 2, 3)]), more=False)
        case "/orders":
            await start(402, "application/problem+json")
            await write(json.dumps({"type": "https://example.com/credit", "title": "No credit", "balance": 30}), more=False)
        case _:
            await start(404, "text/plain")
            await write("nothing is here", more=False)
