#!/usr/bin/env python3
"""Signs requests with another library for HTTP Message Signatures, or checks the signatures of Halyard.

    messages.py sign COUNT      writes one request in JSON for each line
    messages.py verify COUNT    reads as many
"""

import json
import random
import sys
from types import SimpleNamespace
from urllib.parse import quote, urlencode

from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms


class Keys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        return b"a secret of both sides"

    resolve_private_key = resolve_public_key


both = {"signature_algorithm": algorithms.HMAC_SHA256, "key_resolver": Keys()}
chosen = random.Random(3)
ANY = [chr(code) for code in range(33, 127)] + list("äß€\U0001F389 ")


def text(longest):
    return "".join(chosen.choices(ANY, k=chosen.randint(0, longest)))


def sign():
    path = "/".join(quote(text(6) or "a", safe="~!$'()*,;=:@") for _ in range(chosen.randint(0, 3)))
    url = chosen.choice(["https://example.com", "http://example.com:8080"]) + "/" + path
    pairs = {text(4) or "n": text(5) for _ in range(chosen.randint(0, 3))}
    derived = ["@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query"]
    fields = ["date", "x-text", "priority", "x-empty"]
    components = [f'"{name}"' for name in chosen.sample(derived + fields, chosen.randint(0, 9))]
    components += chosen.sample(['"x-text";bs', '"priority";sf', '"priority";key="i"'], chosen.randint(0, 3))
    if pairs:
        url += "?" + (urlencode(pairs) if chosen.random() < 0.5 else urlencode(pairs, quote_via=quote))
        name = quote(chosen.choice(list(pairs)), safe="*-._").replace("~", "%7E")
        components.append(f'"@query-param";name="{name}"')
    headers = {"Date": "Tue, 20 Apr 2021 02:07:55 GMT", "X-Text": " a,  b ", "Priority": "u=1 , i;x", "X-Empty": ""}
    request = SimpleNamespace(method=chosen.choice(["GET", "POST"]), url=url, headers=headers)
    HTTPMessageSigner(**both).sign(request, key_id="key-1", covered_component_ids=components)
    return {"method": request.method, "url": url, "components": components, "headers": headers}


for _ in range(int(sys.argv[2])):
    if sys.argv[1] == "sign":
        print(json.dumps(sign()))
    else:
        item = json.loads(input())
        HTTPMessageVerifier(**both).verify(SimpleNamespace(**{key: item[key] for key in ("method", "url", "headers")}))
if sys.argv[1] == "verify":
    print(f"{sys.argv[2]} signatures of messages hold")
