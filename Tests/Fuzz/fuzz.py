#!/usr/bin/env python3
"""fuzz.py PROGRAM TARGET SECONDS [SEED]: starts the fuzzer and reads what it sends with parsers that are not Halyard's.

Every request must be announced by a line of JSON on the fuzzer's standard output, and be just that. Ends with status 1
at the first that is not, and prints the seed that repeats it.
"""
import base64, codecs, configparser, datetime, hashlib, json, os, queue, re, socket, subprocess, sys, threading, time, unicodedata, urllib.parse

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
    """Whether Python's json module accepts the body, with checks that make it as strict as the standard."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=refuse_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate fails here
        return True
    except (ValueError, RecursionError):
        return False


def cookie_date(text):
    """draft-ietf-httpbis-rfc6265bis section 5.1.1, step by step."""
    found = {}
    months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
    for token in re.split(r"[\t\x20-\x2F\x3B-\x40\x5B-\x60\x7B-\x7E]+", text):
        match = re.fullmatch(r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})([^0-9].*)?", token, re.S)
        day, year = (re.fullmatch(rf"([0-9]{{{n}}})([^0-9].*)?", token, re.S) for n in ("1,2", "2,4"))
        if "time" not in found and match:
            found["time"] = [int(n) for n in match.groups()[:3]]
        elif "day" not in found and day:
            found["day"] = int(day[1])
        elif "month" not in found and token[:3].lower() in months:
            found["month"] = months.index(token[:3].lower()) + 1
        elif "year" not in found and year:
            found["year"] = int(year[1]) + (1900 if 70 <= int(year[1]) <= 99 else 2000 if int(year[1]) <= 69 else 0)
    try:
        if found["year"] < 1601:
            return None
        return datetime.datetime(found["year"], found["month"], found["day"], *found["time"], tzinfo=datetime.timezone.utc)
    except (KeyError, ValueError):
        return None


def lower(text):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


def size(text):
    return len(text.encode())


def cookies_of(url, field):
    """draft-ietf-httpbis-rfc6265bis sections 5.6 and 5.7, step by step: no cookie, or one."""
    scheme, host, path = re.fullmatch(r"(https?)://([^/]*)(.*)", url).groups()
    secure, is_name = scheme == "https", not re.search(r"[0-9\]]$", host)
    pair, *rest = field.split(";")
    name, sign, value = pair.partition("=")
    if not sign:
        name, value = "", pair
    name, value = name.strip(" \t"), value.strip(" \t")
    if size(name) + size(value) > 4096 or not name + value:
        return []
    av = {}
    for part in rest:
        key, _, text = part.partition("=")
        key, text = lower(key.strip(" \t")), text.strip(" \t")
        if size(text) > 1024:
            continue
        if key == "expires" and not cookie_date(text):
            continue
        if key == "max-age" and not re.fullmatch(r"-?[0-9]+", text):
            continue
        av[key] = text
    domain = lower(av.get("domain", "").removeprefix("."))
    if not domain.isascii():
        return []
    if domain and ("." not in domain.strip(".") or not is_name):
        if domain != host:
            return []
        domain = ""
    if domain and domain != host and not host.endswith("." + domain):
        return []
    same = {"strict": "Strict", "lax": "Lax", "none": "None"}.get(lower(av.get("samesite", "")))
    default = path.rpartition("/")[0] or "/"
    cookie = {
        "name": name, "value": value, "domain": domain or host, "hostOnly": not domain, "sameSite": same,
        "path": av["path"] if av.get("path", "").startswith("/") else default, "secure": "secure" in av,
        "httpOnly": "httponly" in av,
    }
    start = lower(name or value)
    if "secure" in av and not secure or same == "None" and "secure" not in av:
        return []
    if start.startswith(("__secure-", "__host-")) and (not name or "secure" not in av):
        return []
    if start.startswith("__host-") and (domain or av.get("path") != "/"):
        return []
    now = datetime.datetime.now(datetime.timezone.utc)
    if int(av["max-age"]) <= 0 if "max-age" in av else "expires" in av and cookie_date(av["expires"]) <= now:
        return []
    return [cookie]


def check_cookie(said):
    cookies = cookies_of(said["url"], said["field"])
    check(said["cookies"] == cookies, "other cookies", said, cookies)
    sent = None
    path = re.fullmatch(r"https?://[^/]*(.*)", said["url"]).group(1) or "/"
    for cookie in cookies:
        folder = cookie["path"]
        if path == folder or path.startswith(folder) and (folder.endswith("/") or path[len(folder)] == "/"):
            sent = (cookie["name"] + "=" if cookie["name"] else "") + cookie["value"]
    check((said["sent"] or None) == (sent or None), "another Cookie", said, sent)


def without_dots(path):
    """RFC 3986 section 5.2.4, word for word."""
    out = ""
    while path:
        if path.startswith("../"):
            path = path[3:]
        elif path.startswith("./"):
            path = path[2:]
        elif path.startswith("/./"):
            path = path[2:]
        elif path == "/.":
            path = "/"
        elif path.startswith("/../"):
            path, out = path[3:], out.rpartition("/")[0]
        elif path == "/..":
            path, out = "/", out.rpartition("/")[0]
        elif path in (".", ".."):
            path = ""
        else:
            end = path.find("/", 1)
            end = len(path) if end < 0 else end
            path, out = path[end:], out + path[:end]
    return out


def resolve(base, reference):
    """RFC 3986 section 5.2.2, without the fragment."""
    pattern = r"(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?"
    scheme, authority, path, query = re.fullmatch(pattern, reference, re.S).groups()
    b_scheme, b_authority, b_path, b_query = re.fullmatch(pattern, base, re.S).groups()
    if scheme is not None or authority is not None:
        path = without_dots(path)
    else:
        authority = b_authority
        if path == "":
            path, query = b_path, b_query if query is None else query
        elif path.startswith("/"):
            path = without_dots(path)
        else:
            path = without_dots("/" + path if not b_path else b_path.rpartition("/")[0] + "/" + path)
    scheme = scheme or b_scheme
    authority = authority and in_ascii(authority)
    if authority is None and path.startswith("//"):
        path = "/." + path  # a path is no host (section 3.3)
    # Brackets are for the authority: what is to be sent escapes them elsewhere.
    path, query = (part and part.replace("[", "%5B").replace("]", "%5D") for part in (path, query))
    return f"{lower(scheme)}:" + (f"//{authority}" if authority is not None else "") + path + (
        f"?{query}" if query is not None else "")


def in_ascii(authority):
    """Writes a host in another script in ASCII (UTS 46), with tables that the library does not have."""
    host, colon, port = authority.rpartition(":") if ":" in authority else (authority, "", "")
    try:
        text = urllib.parse.unquote(host, errors="strict")
    except UnicodeDecodeError:
        return authority
    if "%" not in host or "@" in authority:
        return authority
    text = re.sub("[\u00ad\u200b\u2060\ufeff\ufe00-\ufe0f]", "", text)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower().replace("\u3002", "."))
    labels = [l if l.isascii() else "xn--" + l.encode("punycode").decode() for l in text.split(".")]
    return ".".join(labels) + colon + port


def url_characters(text):
    """Escapes the characters that a URL may not contain, as browsers do."""
    text = "".join(
        c if re.fullmatch(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]", c) else "".join(f"%{b:02X}" for b in c.encode())
        for c in text.strip(" \t"))
    return re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text)


def check_location(said):
    if said["url"] is None:
        return
    text = url_characters(said["location"])
    check(said["url"] == resolve(said["base"], text), "another URL", said, resolve(said["base"], text))
    parts = urllib.parse.urlsplit(said["url"])
    check(parts.scheme in ("http", "https") and parts.hostname and parts.username is None, "no URL to send to", said)


def check_challenge(said):
    answer = said["answer"]
    if answer is None:
        check(not re.fullmatch(r'(Basic, )?Digest realm="r", nonce="n"', said["field"]), "no answer", said)
        return
    item = r'([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|([A-Za-z0-9\-]+))'
    check(re.fullmatch(rf"Digest {item}(?:, {item})*", answer), "no answer that can be read", said)
    found = {k: re.sub(r"\\(.)", r"\1", q) if q or not t else t for k, q, t in re.findall(item, answer)}
    check(found["username"] == 'Ann "é\\' and found["uri"] == "/p/q?x=1", "another user or path", found)
    digest = hashlib.md5 if found["algorithm"].startswith("MD5") else hashlib.sha256
    hashed = lambda text: digest(text.encode()).hexdigest()
    secret = hashed(f"{found['username']}:{found['realm']}:x:y")
    if found["algorithm"].endswith("-sess"):
        secret = hashed(f"{secret}:{found['nonce']}:{found.get('cnonce', '')}")
    quality = f":{found['nc']}:{found['cnonce']}:{found['qop']}" if "qop" in found else ""
    # With auth-int the hash of the body, which is empty here (RFC 7616 section 3.4.3).
    integrity = ":" + hashed("") if found.get("qop") == "auth-int" else ""
    want = hashed(f"{secret}:{found['nonce']}{quality}:{hashed('GET:/p/q?x=1' + integrity)}")
    # Without a quality of protection the client's nonce is not sent, and a session's key cannot be checked.
    if "qop" in found or not found["algorithm"].endswith("-sess"):
        check(found["response"] == want, "another response", said, found, want)


def check_retry_after(said):
    text, seconds = said["text"], said["seconds"]
    check(seconds is None or 0 <= seconds <= 365 * 86400 + 1, "a wait that makes no sense", said)
    text = text.strip(" \t")
    if re.fullmatch(r"[0-9]+", text):
        return check(seconds == min(int(text), 365 * 86400), "another wait", said)
    for form in ("%a, %d %b %Y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"):
        try:
            date = datetime.datetime.strptime(text, form).replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            continue
        wait = (date - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
        if wait > 0:
            check(seconds is not None and abs(min(wait, 365 * 86400) - seconds) < 5, "another wait", said, wait)
        else:
            check(seconds <= 0.5, "a wait for what is over", said)


TOKEN = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
QUOTED = r'"(?:[^"\\]|\\.)*"'


def unquoted(text):
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith('"') else text


def alternatives(text):
    """RFC 7838, section 3. None for a field that breaks the grammar."""
    parameter = rf"[ \t]*;[ \t]*(?:{TOKEN})=(?:{TOKEN}|{QUOTED})"
    item = rf"(?:{TOKEN})={QUOTED}(?:{parameter})*"
    text = text.strip(" \t")
    if text == "clear":
        return []
    if not re.fullmatch(rf"[ \t,]*{item}[ \t]*(?:,[ \t,]*(?:{item}[ \t]*)?)*", text):
        return None
    services = []
    for found in re.findall(item, text):
        name, authority, rest = re.fullmatch(rf"({TOKEN})=({QUOTED})(.*)", found).groups()
        place = re.fullmatch("(.*):([0-9]{1,18})", unquoted(authority))
        if not place or not 1 <= int(place[2]) <= 65535:
            return None
        lifetime, persists = 86400, False
        for key, value in re.findall(rf";[ \t]*({TOKEN})=({TOKEN}|{QUOTED})", rest):
            if key.lower() == "ma" and re.fullmatch("[0-9]+", unquoted(value)):
                lifetime = min(int(unquoted(value)), 10**18 - 1)
            if key.lower() == "persist":
                persists = unquoted(value) == "1"
        services.append([urllib.parse.unquote(name), place[1].lower(), int(place[2]), lifetime, persists])
    return services


def check_alternatives(said):
    want = alternatives(said["text"])
    check(said["services"] == want, "other services", said, want)


def check_hsts(said):
    """RFC 6797, section 6.1."""
    text, age, below, names = said["text"], None, False, []
    directive = rf"[ \t]*(?:({TOKEN})[ \t]*(?:=[ \t]*({TOKEN}|{QUOTED})[ \t]*)?)?"
    valid = re.fullmatch(rf"(?:{directive};)*{directive}", text) is not None
    for name, value in re.findall(directive + "(?:;|$)", text) if valid else []:
        valid = valid and (not name or name.lower() not in names)
        names.append(name.lower())
        if name.lower() == "max-age":
            valid = valid and re.fullmatch("[0-9]+", unquoted(value)) is not None
            age = int(unquoted(value)) if valid else None
        below = below or name.lower() == "includesubdomains"
    secure = valid and bool(age) and (below or not said["isBelow"])
    host = "b.a.example" if said["isBelow"] else "a.example"
    want = f"https://{host}/p" if secure else f"http://{host}{':80' if said['isBelow'] else ''}/p"
    check(said["url"] == want, "another URL", said, want)


def check_events(said):
    text = base64.b64decode(said["bytes"]).decode("utf-8", errors="replace")
    text = text[1:] if text.startswith("\ufeff") else text
    *lines, _ = re.split(r"\r\n|\r|\n", text)
    events, data, name, identity, retry = [], "", "", "", None
    for line in lines:
        if not line:
            if data:
                events.append({"id": identity or None, "name": name or "message", "data": data[:-1], "retry": retry})
            data, name, retry = "", "", None
            continue
        field, colon, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "data":
            data += value + "\n"
        elif field == "event":
            name = value
        elif field == "id" and "\0" not in value:
            identity = value
        elif field == "retry" and re.fullmatch("[0-9]+", value):
            retry = min(int(value), 86_400_000)
    check(said["events"] == events, "other events", said, events)


def links_of(field):
    """RFC 8288, appendix B.2, up to the first text that is no link."""
    links, rest = [], field
    while True:
        rest = rest.lstrip(" \t,")
        if not rest.startswith("<") or ">" not in rest:
            return links
        target, _, rest = rest[1:].partition(">")
        relations = None
        while match := re.match(r"[ \t]*;[ \t]*", rest):
            rest = rest[match.end() :]
            name = re.match(r"[^ \t=;,]*", rest).group()
            rest, value = rest[len(name) :].lstrip(" \t"), ""
            if rest.startswith("="):
                rest = rest[1:].lstrip(" \t")
                if rest.startswith('"'):
                    match = re.match(r'"((?:[^"\\]|\\.)*)("|\\?$)', rest)
                    value, rest = re.sub(r"\\(.)", r"\1", match.group(1)), rest[match.end() :]
                else:
                    value = re.match(r"[^;,]*", rest).group()
                    rest, value = rest[len(value) :], value.strip(" \t")
            if name.lower() == "rel" and relations is None:
                relations = value
        links.append((target, (relations or "").split()))
        rest = "," + rest.partition(",")[2] if "," in rest else ""


def fragment_of(target):
    text = url_characters("#" + target.strip(" \t").partition("#")[2])[1:]
    return "#" + text.replace("[", "%5B").replace("]", "%5D").replace("#", "%23") if "#" in target else ""


def check_links(said):
    found = [(link["url"], link["relations"]) for link in said["links"]]
    want = [
        (resolve(said["base"], url_characters(target)) + fragment_of(target), [name if ":" in name else lower(name) for name in names])
        for target, names in links_of(said["field"])]
    check(found == want, "other links", said, want)


def check_lines(said):
    values, failed = [], False
    for line in said["text"].split("\n"):
        if not line.strip(" \t\r"):
            continue
        if not is_json(line.encode()):
            failed = True
            break
        values.append(json.loads(line))
    check((said["values"], said["failed"]) == (values, failed), "other values", said, values, failed)


def check_sequence(said):
    """RFC 7464, where a text also ends with the line in which its value ends."""
    values, failed, blanks = [], False, " \t\r\n"
    for text in said["text"].split("\x1e"):
        start = text.lstrip(blanks)
        if not start:
            continue
        try:
            value, end = json.JSONDecoder(parse_constant=refuse_constant).raw_decode(start)
        except ValueError:
            failed = True
            break
        rest = start[end:]
        excess = rest.strip(blanks)
        gap = rest[: len(rest) - len(rest.lstrip(blanks))]
        # A number, true, false or null without a blank after it may be cut off (section 2.4).
        is_whole = start[0] in '{["' or gap
        if is_whole and (not excess or "\n" in gap):
            values.append(value)
        if excess or not is_whole:
            failed = True
            break
    check((said["values"], said["failed"]) == (values, failed), "other values", said, values, failed)


def check_elements(said):
    if is_json(said["text"].encode()):
        check(not said["failed"] and said["values"] == json.loads(said["text"]), "other elements", said)
    else:
        check(said["failed"], "no error", said)


def close_end(payload):
    """What a close frame means: the end of the messages, or a violation."""
    if not payload:
        return "normal"
    code = int.from_bytes(payload[:2], "big") if len(payload) > 1 else 0
    if not (1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999):
        return "violation"
    try:
        payload[2:].decode("utf-8")
    except UnicodeError:
        return "violation"
    return "normal" if code == 1000 else str(code)


def is_utf8_start(data):
    """Whether bytes are the beginning of UTF-8."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
        return True
    except UnicodeError:
        return False


def frames_of(data, limit):
    """The messages of a server's bytes, and how they end (RFC 6455)."""
    messages, kind, message = [], None, b""
    while True:
        if len(data) < 2:
            return messages, "lost"
        first, second = data[0], data[1]
        opcode, is_final, length = first & 15, first >= 128, second & 127
        if first & 0x70 or opcode not in (0, 1, 2, 8, 9, 10) or second >= 128:
            return messages, "violation"
        if opcode >= 8 and (not is_final or length > 125):
            return messages, "violation"
        size = 2 + {126: 2, 127: 8}.get(length, 0)
        if len(data) < size:
            return messages, "lost"
        if size > 2:
            length = int.from_bytes(data[2:size], "big")
            if length < (126 if size == 4 else 65536) or length >= 1 << 63:
                return messages, "violation"
        if opcode < 8:
            if (opcode == 0) != (kind is not None):
                return messages, "violation"
            kind = kind or ("text" if opcode == 1 else "binary")
            if len(message) + length > limit:
                return messages, "too large"
        payload, data = data[size : size + length], data[size + length :]
        is_whole = len(payload) == length
        if opcode >= 8:
            if not is_whole:
                return messages, "lost"
            if opcode == 8:
                return messages, close_end(payload)
            continue
        message += payload
        if kind == "text" and not is_utf8_start(message):
            return messages, "violation"
        if not is_whole:
            return messages, "lost"
        if is_final:
            if kind == "text" and not is_utf8(message):
                return messages, "violation"
            messages.append([kind, base64.b64encode(message).decode()])
            kind, message = None, b""


def is_utf8(data):
    try:
        data.decode("utf-8")
        return True
    except UnicodeError:
        return False


MEMBER = re.compile(r'[ \t]*(?:([!#$%&\'*+\-.^_`|~0-9A-Za-z]+)(?:=([!#$%&\'*+\-.^_`|~0-9A-Za-z]+|"(?:[^"\\]|\\.)*"))?)?[ \t]*(?:,|$)')


def directives_of(value):
    """The directives of Cache-Control, and whether all members are those of RFC 9110 section 5.6.1. Of other members,
    nothing is read up to the next comma."""
    found, at, is_valid = [], 0, True
    while at < len(value):
        member = MEMBER.match(value, at)
        if not member:
            at, is_valid = value.find(",", at) + 1 or len(value), False
            continue
        if member[1]:
            argument = member[2]
            if argument and argument[0] == '"':
                argument = re.sub(r"\\(.)", r"\1", argument[1:-1])
            found.append((member[1].lower(), argument))
        at = member.end()
    return found, is_valid


def check_cache_control(said):
    directives, is_valid = directives_of(said["value"])
    if not is_valid:
        check(not (said["isHit"] and "no-store" in dict(directives)), "stored in spite of no-store", said["value"])
        return
    ages = [int(argument) if argument and re.fullmatch("[0-9]+", argument) else 0
            for name, argument in directives if name == "max-age"]
    names = [name for name, _ in directives]
    expected = "no-store" not in names and "no-cache" not in names and min(ages, default=0) > 0
    check(said["isHit"] == expected, "another decision", said["value"], expected)


def normal(name, value):
    if value is None:
        return None
    parts = re.findall(r'"[^"]*"|[^"]+', value)
    parts = [part if part[0] == '"' else re.sub(r"[ \t]*([,;=])[ \t]*", r"\1", part) for part in parts]
    text = "".join(parts).strip()
    return text.lower() if name in ("accept-language", "accept-encoding") else text


def check_vary(said):
    names = [name.strip().lower() for name in said["value"].split(",")]
    first, second = ({name.lower(): value for name, value in fields.items()} for fields in said["requests"])
    expected = "*" not in names and all(
        normal(name, first.get(name)) == normal(name, second.get(name)) for name in names if name)
    check(said["isHit"] == expected, "another decision", said, expected)


def check_frames(said):
    expected = frames_of(base64.b64decode(said["bytes"]), 64)
    check((said["messages"], said["end"]) == (expected[0], expected[1]), "other messages", said, *expected)


def check_handshake(said):
    data = base64.b64decode(said["bytes"])
    if said["end"] == "open":
        check(b" 101" in data and b"ACCEPT" in data, "a socket without a handshake", said)
    else:
        kinds = ("invalidResponse", "status", "headersTooLarge", "connectionLost")
        check(said["end"] in kinds, "another error", said)


def run_sockets(listener):
    """WebSocket servers: each sends the bytes of the request's path, in pieces, and reads what the client answers.

    They are frames after a handshake, or the handshake itself, with the word ACCEPT for the answer to the client's key.
    """
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=run_socket, args=(connection,), daemon=True).start()


def run_socket(connection):
    with connection:
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(65536)
        key = re.search(rb"Sec-WebSocket-Key: (\S+)", head).group(1)
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        kind, data = head.split(b" ", 2)[1][1:].decode().split("/")
        data = bytes.fromhex(data)
        if kind == "handshake":
            data = data.replace(b"ACCEPT", accept)
        else:
            start = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            data = start + b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n" + data
        try:
            for place in range(0, len(data), 97):
                connection.sendall(data[place : place + 97])
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        except OSError:
            pass


def check_cursor(said):
    text, sent = said["text"], said["sent"]
    number = re.fullmatch(r"number:([+-]?[0-9]+)", text)
    number = int(number[1]) if number else None
    if number is not None and not -(2**63) <= number < 2**63:
        number = None
    is_cursor = number is not None or text.startswith(("url:", "cursor:"))
    check(said["isCursor"] == is_cursor, "another kind of text", said)
    if is_cursor and number is None:
        return check(sent == [], "a cursor of another paging was used", said)
    if number is not None:
        following = number + said["step"]
        want = [str(number)] + ([str(following)] if following < 2**63 else [])
        check(sent == want, "other numbers were requested", said, want)


def check_cassette(said):
    if said["isDamaged"]:
        return
    if 200 <= said["status"] < 300 and said["status"] not in (204,):
        events = [line[6:] for line in said["text"].split("\n") if line]
        check(said["events"] == events and said["failure"] is None, "another body", said)
    elif said["status"] != 204:
        check(said["failure"] == "HTTPError" and not said["events"], "a status that is none was replayed", said)


def check_cache_file(said):
    check(200 <= said["status"] <= 999, "another status", said)
    if said["age"] is not None:
        check(re.fullmatch(r"-?[0-9]{1,16}", said["age"]), "an impossible age", said)
    if not said["isHit"]:
        check("new".endswith(said["text"]), "another text", said)


def read_sf(kind, text):
    """The grammar of RFC 9651 section 4.2: a value without its spaces, or None for a text that is not valid."""
    bare = r"""(?P<string>"(?:[ !#-\[\]-~]|\\["\\])*")|(?P<bytes>:[A-Za-z0-9+/]*=*:)|\?[01]|@-?[0-9]{1,15}(?![0-9.])"""
    bare += r"""|(?P<display>%"(?:[ !#$&-~]|%[0-9a-f]{2})*")|-?[0-9]{1,12}\.[0-9]{1,3}(?![0-9])|-?[0-9]{1,15}(?![0-9.])"""
    bare += r"""|[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*"""
    bare, key, place = re.compile(bare), re.compile(r"[a-z*][a-z0-9_\-.*]*"), 0

    def pop(pattern):
        nonlocal place
        match = re.compile(pattern).match(text, place) if isinstance(pattern, str) else pattern.match(text, place)
        if match:
            place = match.end()
        return match

    def need(condition):
        if not condition:
            raise ValueError

    def value():
        match = pop(bare)
        need(match)
        found = match.groupdict()
        if found["bytes"]:
            digits = found["bytes"][1:-1].rstrip("=")
            padding = len(found["bytes"]) - 2 - len(digits)
            need(len(digits) % 4 != 1 and padding in (0, -len(digits) % 4))
            return base64.b64decode(digits + "=" * (-len(digits) % 4))
        if found["display"]:
            return urllib.parse.unquote(found["display"], errors="strict")
        number = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", match[0])
        return (float(match[0]) if number[1] else int(match[0])) if number else match[0]

    def parameters():
        found = {}
        while pop(";"):
            pop(" *")
            name = pop(key)
            need(name)
            found.pop(name[0], None)
            found[name[0]] = value() if pop("=") else "?1"
        return list(found.items())

    def member():
        if not pop(r"\("):
            return value(), parameters()
        items = []
        while not pop(r" *\)"):
            need(pop(" +") or not items)
            items.append((value(), parameters()))
        return items, parameters()

    def members():
        found = []
        while place < len(text):
            if kind == "list":
                found.append(member())
            else:
                name = pop(key)
                need(name)
                entry = member() if pop("=") else ("?1", parameters())
                found = [pair for pair in found if pair[0] != name[0]] + [(name[0], entry)]
            pop(r"[ \t]*")
            need(place == len(text) or pop(",") and (pop(r"[ \t]*"), place < len(text))[1])
        return sorted(found, key=lambda pair: pair[0]) if kind == "dictionary" else found

    try:
        text = text.strip(" ")
        found = (value(), parameters()) if kind == "item" else members()
        need(place == len(text))
        return found
    except ValueError:
        return None


def check_field(said):
    for kind in ("item", "list", "dictionary"):
        want = read_sf(kind, said["text"])
        check((said[kind] is None) == (want is None), f"a {kind} that one reads", said, want)
        if want:
            check(read_sf(kind, said[kind]) == want, f"another {kind} was written", said, want)


def check_redirect(said):
    pairs = urllib.parse.parse_qsl(said["query"], keep_blank_values=True, errors="replace", separator="&")
    values = dict(pairs)
    if len(values) < len(pairs) or values.get("state") != "STATE":
        want = "stateMismatch"
    elif said["issuer"] and values.get("iss", None if not said["sendsIssuer"] or "error" in values else "") not in (
        None, "https://a.example/"):
        want = "wrongIssuer"
    elif "error" in values:
        want = "accessDenied" if values["error"] == "access_denied" else "other"
    else:
        want = "token" if values.get("code") else "invalidRequest"
    check(said["outcome"].startswith(want), f"another outcome than {want}", said)
    sent = dict(urllib.parse.parse_qsl(said["form"] or "", strict_parsing=bool(said["form"]), errors="strict"))
    check(sent.get("code") == (values["code"] if want == "token" else None), "another code", said)


def check_credentials(said):
    file = configparser.RawConfigParser(strict=False)
    try:
        file.read_string(said["text"])
        section = file["default"] if file.has_section("default") else {}
    except configparser.Error:
        return
    keys = [section.get(name) for name in ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")]
    want = [keys[0], keys[1], keys[2] or None] if keys[0] and keys[1] else None
    check(said["found"] == want, "other keys", said, want)


def check_signature(said):
    """What is covered may only differ in what the base does not have: spaces at the ends of a value."""
    a, _, signature, parameters, digest = said["fields"]
    same = all(before.strip(" \t") == after.strip(" \t") for before, after in (a, digest))
    inputs = [read_sf("dictionary", text) for text in parameters]
    values = [read_sf("dictionary", text) for text in signature]
    if None in inputs or None in values:
        return check(not said["isAccepted"], "a broken field was accepted", said)
    same = same and dict(inputs[1]).get("sig1") == dict(inputs[0])["sig1"]
    # The parameters of the signature itself mean nothing.
    same = same and dict(values[1]).get("sig1", [None])[0] == dict(values[0])["sig1"][0]
    check(said["isAccepted"] == same, "another verdict", said)


def check_record(said):
    check(said["isEqual"], "a download is a mixture, a file is in place after an error, or a refused file was changed", said)


def check_upload(said):
    check(not said["isDone"] or not said["isHonest"] or said["isEqual"], "an upload that is not complete", said)


PARSERS = {
    "upload": check_upload, "record": check_record,
    "field": check_field, "redirect": check_redirect, "credentials": check_credentials, "signature": check_signature,
    "cursor": check_cursor, "cassette": check_cassette, "cacheFile": check_cache_file,
    "handshake": check_handshake, "frames": check_frames, "cacheControl": check_cache_control, "vary": check_vary,
    "cookie": check_cookie, "location": check_location, "challenge": check_challenge, "retryAfter": check_retry_after,
    "alternatives": check_alternatives, "hsts": check_hsts,
    "events": check_events, "links": check_links, "lines": check_lines, "elements": check_elements,
    "sequence": check_sequence,
}


def answer(expected, line, fields, body):
    method, path, _ = line.decode("ascii").split(" ")
    kind = expected["kind"]
    if kind in PARSERS:
        PARSERS[kind](expected)
    elif kind == "query":
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
        # The first of several members with the same name counts.
        value = json.loads(body.decode("utf-8"), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "strict")
    elif kind == "isJSON":
        return b"true" if is_json(body) else b"false"
    return b"ok"


def main():
    sys.setrecursionlimit(10000)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    sockets = socket.create_server(("127.0.0.1", 0), backlog=1024)
    threading.Thread(target=run_sockets, args=(sockets,), daemon=True).start()
    environment = {**os.environ, "HALYARD_FUZZ_SOCKETS": str(sockets.getsockname()[1])}
    fuzzer = subprocess.Popen([program, target, seconds, seed, str(port)], stdout=subprocess.PIPE, env=environment)
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
        # Each upload writes files, and waits for the disk.
        check(count > (20 if target == "uploads" else 100), f"only {count} requests")
    except (Finding, OSError, queue.Empty, ValueError, UnicodeError, StopIteration, AttributeError) as error:
        fuzzer.kill()
        print(f"FOUND in {target} after {count} requests, seed {seed}: {type(error).__name__}: {error}")
        sys.exit(1)
    print(f"ok   {target}: {count} requests in {seconds} s, seed {seed}")


main()
