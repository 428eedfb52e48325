#!/usr/bin/env python3
"""fuzz.py PROGRAM TARGET SECONDS [SEED]: starts the fuzzer and reads what it sends with parsers that are not Halyard's.

Every request must be announced by a line of JSON on the fuzzer's standard output, and be just that. Ends with status 1
at the first that is not, and prints the seed that repeats it.
"""
import base64, json, os, queue, re, socket, subprocess, sys, threading, time, urllib.parse

program, target, seconds = sys.argv[1:4]
seed = sys.argv[4] if len(sys.argv) > 4 else str(int.from_bytes(os.urandom(4), "big"))


class Finding(Exception):
    pass


def check(condition, message, *details):
    if not condition:
        raise Finding(message + "".join(f"\n    {detail!r}" for detail in details))


def read_request(connection, buffer):
    """One request: its request line, its header lines as bytes, its body."""
    while b"\r\n\r\n" not in buffer:
        data = connection.recv(65536)
        if not data:
            return None, buffer
        buffer += data
    head, rest = buffer.split(b"\r\n\r\n", 1)
    line, *fields = head.split(b"\r\n")
    for field in fields:
        check(re.fullmatch(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n\0]*", field), "a broken header line", field)
    length = [int(f.split(b":")[1]) for f in fields if f.lower().startswith(b"content-length:")]
    check(len(length) <= 1, "more than one Content-Length", fields)
    check(not any(f.lower().startswith(b"transfer-encoding:") for f in fields), "chunked, though lengths are known")
    need = length[0] if length else 0
    while len(rest) < need:
        rest += connection.recv(65536)
    return (line, fields, rest[:need]), rest[need:]


def pairs_of(encoded):
    check(re.fullmatch(r"[A-Za-z0-9\-._~%&=]*", encoded), "characters that should be escaped", encoded)
    return [[urllib.parse.unquote(p, errors="strict") for p in pair.split("=")] for pair in encoded.split("&") if pair]


def normalized(text):
    return re.sub(r"\r\n|\r|\n", "\r\n", text)


def escaped(name):
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def check_multipart(expected, fields, body):
    kind = next(f for f in fields if f.lower().startswith(b"content-type:")).decode()
    boundary = re.fullmatch(r"content-type: multipart/form-data; boundary=([0-9A-Za-z\-]{25,70})", kind, re.I).group(1)
    delimiter = b"--" + boundary.encode()
    check(body.startswith(delimiter + b"\r\n"), "no delimiter at the start")
    check(body.endswith(b"\r\n" + delimiter + b"--\r\n"), "no delimiter at the end")
    parts = body[len(delimiter) + 2 : -(len(delimiter) + 6)].split(b"\r\n" + delimiter + b"\r\n")
    check(len(parts) == len(expected), "another number of parts", parts, expected)
    for part, want in zip(parts, expected):
        head, content = part.split(b"\r\n\r\n", 1)
        lines = head.decode("utf-8").split("\r\n")
        disposition = f'Content-Disposition: form-data; name="{escaped(normalized(want["name"]))}"'
        if "filename" in want:
            disposition += f'; filename="{escaped(want["filename"])}"'
        check(lines[0] == disposition, "another disposition", lines[0], disposition)
        check(lines[1:] == ([f"Content-Type: {want['type']}"] if "type" in want else []), "other lines", lines)
        if "text" in want:
            check(content.decode() == normalized(want["text"]), "another text", content, want["text"])
        else:
            check(content == base64.b64decode(want["data"]), "another content")


def refuse_constant(name):
    raise ValueError(name)


def is_json(body):
    """Whether Python takes it, where its module is as strict as the standard."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=refuse_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate fails here
        return True
    except (ValueError, RecursionError):
        return False


def answer(expected, line, fields, body):
    method, path, _ = line.decode("ascii").split(" ")
    kind = expected["kind"]
    if kind == "query":
        check(pairs_of(path.partition("?")[2]) == expected["pairs"], "other pairs", path, expected)
    elif kind == "form":
        check(pairs_of(body.decode("ascii")) == expected["pairs"], "other pairs", body, expected)
    elif kind == "multipart":
        check_multipart(expected["parts"], fields, body)
    elif kind == "header":
        name = expected["name"].encode() + b":"
        found = [f for f in fields if f.lower().startswith(name.lower())]
        check(len(fields) == 5, "other fields", fields, expected)  # Host, Accept, Accept-Encoding, User-Agent, and this one
        check(len(found) == 1, "not the field", fields, expected)
        check(found[0][len(name) :].strip(b" \t") == expected["value"].encode(), "another value", found, expected)
    elif kind == "path":
        segments = path.split("/")
        check(len(segments) == 4 and segments[1] == "a" and segments[3] == "b", "other segments", path, expected)
        check(urllib.parse.unquote(segments[2], errors="strict") == expected["value"], "another value", path, expected)
    elif kind == "json":
        return json.dumps(json.loads(body.decode("utf-8")), ensure_ascii=False).encode("utf-8", "strict")
    elif kind == "isJSON":
        return b"true" if is_json(body) else b"false"
    return b"ok"


def main():
    sys.setrecursionlimit(10000)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    fuzzer = subprocess.Popen([program, target, seconds, seed, str(port)], stdout=subprocess.PIPE)
    lines = queue.Queue()
    threading.Thread(target=lambda: [lines.put(l) for l in fuzzer.stdout], daemon=True).start()
    listener.settimeout(60)
    count = 0
    try:
        connection, _ = listener.accept()
        buffer = b""
        while True:
            request, buffer = read_request(connection, buffer)
            if request is None:
                break
            expected = json.loads(lines.get(timeout=30))
            body = answer(expected, *request)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
            count += 1
        status = fuzzer.wait(60)
        check(status == 0, f"the fuzzer ended with {status}")
        check(lines.empty(), "a request was announced and did not arrive")
        check(count > 100, f"only {count} requests")
    except (Finding, OSError, queue.Empty, ValueError, UnicodeError, StopIteration, AttributeError) as error:
        fuzzer.kill()
        print(f"FOUND in {target} after {count} requests, seed {seed}: {type(error).__name__}: {error}")
        sys.exit(1)
    print(f"ok   {target}: {count} requests in {seconds} s, seed {seed}")


main()
