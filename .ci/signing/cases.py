#!/usr/bin/env python3
"""Writes requests that botocore, Amazon's own library, has signed: one in JSON for each line.

    cases.py COUNT
"""

import base64
import json
import random
import sys
from datetime import datetime, timezone
from urllib.parse import parse_qs, quote, urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

TIME = datetime(2024, 1, 31, 12, 0, 0, tzinfo=timezone.utc)
botocore.auth.get_current_datetime = lambda remove_tzinfo=True: TIME.replace(tzinfo=None) if remove_tzinfo else TIME
ANY = [chr(code) for code in range(32, 127)] + list("äß€\U0001F389 \t")
chosen = random.Random(1)


def text(characters, longest):
    return "".join(chosen.choices(characters, k=chosen.randint(0, longest)))


for number in range(int(sys.argv[1])):
    service = chosen.choice(["s3", "dynamodb", "execute-api"])
    keys = Credentials("AKID", text(ANY[1:95], 40) or "s", chosen.choice([None, "token/+=" + str(number)]))
    # The path of other services is normalized, which is tested elsewhere.
    segments = [quote(text(ANY, 8) or "a", safe="~") for _ in range(chosen.randint(0, 4))]
    segments = ["x" if segment in (".", "..") else segment for segment in segments]
    url = "https://" + chosen.choice(["a.example.com", "example.com:8443"]) + "/" + "/".join(segments)
    pairs = [(text(ANY, 6) or "n", text(ANY, 6)) for _ in range(chosen.randint(0, 4))]
    if pairs:
        url += "?" + "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in pairs)
    headers = {}
    if chosen.random() < 0.5:
        headers["Content-Type"] = "text/plain;  charset=utf-8"
    for index in range(chosen.randint(0, 3)):
        value = text([chr(code) for code in range(32, 127)], 12).strip()
        headers[f"X-Amz-Meta-{chosen.choice('aB')}{index}"] = value or "v"
    body = bytes(chosen.randrange(256) for _ in range(chosen.randint(0, 200)))
    method = chosen.choice(["GET", "PUT", "POST", "DELETE"])
    storage = service == "s3"
    request = AWSRequest(method, url, dict(headers), body)
    request.context["payload_signing_enabled"] = True
    (botocore.auth.S3SigV4Auth if storage else botocore.auth.SigV4Auth)(keys, service, "eu-central-1").add_auth(request)
    link = AWSRequest("GET", url)
    (botocore.auth.S3SigV4QueryAuth if storage else botocore.auth.SigV4QueryAuth)(
        keys, service, "eu-central-1", expires=600).add_auth(link)
    # botocore keeps one of several parameters with the same name.
    isWhole = len({name for name, _ in pairs}) == len(pairs)
    print(json.dumps({
        "method": method, "url": url, "headers": headers, "body": base64.b64encode(body).decode(), "service": service,
        "secret": keys.secret_key, "token": keys.token, "authorization": request.headers["Authorization"],
        "link": parse_qs(urlsplit(link.url).query)["X-Amz-Signature"][0] if isWhole else None,
    }))
