"""Four authorization servers that others wrote, each on a port of its own, which it prints in one line.

The first is authlib's, with the resources that it needs below. The second is that of oidc-provider-mock. The third is
that of Django OAuth Toolkit, in toolkit.py. Each counts the requests with a refresh token, and tells the count at
/refreshes. After a request for /lose, it loses the answer to the next one, after it has issued the tokens.

The fourth is glewlwyd, in glewlwyd.py. The last number is the port to which it redirects. The first server has a key for
its proofs: /key is the public one, and /sign signs.
"""

import io
import os
import signal
import socket
import sys
import threading
import time

os.environ |= {"AUTHLIB_INSECURE_TRANSPORT": "1", "OAUTHLIB_INSECURE_TRANSPORT": "1"}

import flask
import oidc_provider_mock
import werkzeug.serving
from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6749.errors import InvalidRequestError
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DEVICE_CODE_GRANT_TYPE, DeviceAuthorizationEndpoint, DeviceCodeGrant
from authlib.oauth2.rfc8628 import DeviceCredentialDict
from authlib.oauth2.rfc9207 import IssuerParameter
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256

import glewlwyd
import toolkit

FORM = """<!DOCTYPE html><form method="post">
<input name="allow" type="submit" value="Allow"> <button name="action" value="deny">Deny</button></form>"""
app = flask.Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
tokens, codes, devices, decisions = [], {}, {}, {}
key = ec.generate_private_key(ec.SECP256R1())


class Client(ClientMixin):
    """A program with a secret, or an app without one."""

    def __init__(self, client_id, secret, grants):
        self.client_id, self.secret, self.grants = client_id, secret, grants

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri.startswith("http://127.0.0.1:")

    def check_client_secret(self, client_secret):
        return client_secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return (method == "none") == (self.secret is None)

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in self.grants


class Token(TokenMixin):
    def __init__(self, token, request):
        self.client, self.user, self.scope = request.client, request.user, token.get("scope", "")
        self.access, self.refresh = token["access_token"], token.get("refresh_token")
        self.expiration = time.time() + token["expires_in"]
        self.revoked = False

    def check_client(self, client):
        return client is self.client

    def get_scope(self):
        return self.scope

    def is_expired(self):
        return time.time() >= self.expiration

    def is_revoked(self):
        return self.revoked


class Code:
    def __init__(self, request):
        data = request.payload.data
        self.client, self.user, self.scope = request.client, request.user, request.payload.scope
        self.redirect_uri, self.lifetime = request.payload.redirect_uri, int(data.get("lifetime", 3600))
        self.code_challenge, self.code_challenge_method = data["code_challenge"], data["code_challenge_method"]

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


def find(name, value):
    return next((token for token in tokens if getattr(token, name) == value), None)


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]

    def generate_token(self, **arguments):
        return super().generate_token(expires_in=int(self.request.form.get("lifetime", 3600)), **arguments)


class AuthorizationCode(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def generate_token(self, **arguments):
        return super().generate_token(expires_in=self.request.authorization_code.lifetime, **arguments)

    def save_authorization_code(self, code, request):
        codes[code] = Code(request)

    def query_authorization_code(self, code, client):
        return codes.get(code)

    def delete_authorization_code(self, authorization_code):
        codes.clear()

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class Challenge(CodeChallenge):
    """A challenge that no login may lack."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant, redirect_uri):
        super().validate_code_challenge(grant, redirect_uri)
        if grant.request.payload.data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("the challenge is missing")


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        token = find("refresh", refresh_token)
        return token if token and not token.revoked else None

    def authenticate_user(self, refresh_token):
        return refresh_token.user

    def revoke_old_credential(self, refresh_token):
        refresh_token.revoked = True


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def query_token(self, token_string, token_type_hint):
        return find("access", token_string) or find("refresh", token_string)

    def revoke_token(self, token, request):
        token.revoked = True


class Device(DeviceAuthorizationEndpoint):
    def get_verification_uri(self):
        return flask.request.host_url + "device"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(client_id=client_id, scope=scope, polls=0, **data)


class DeviceCode(DeviceCodeGrant):
    def query_device_credential(self, device_code):
        devices[device_code]["polls"] += 1
        return devices[device_code]

    def query_user_grant(self, user_code):
        # The user is slow: the first two requests of the device come before the decision.
        return decisions.get(user_code) if self.polls(user_code) > 2 else None

    def should_slow_down(self, credential):
        return credential["polls"] == 2

    def polls(self, user_code):
        return next(device["polls"] for device in devices.values() if device["user_code"] == user_code)


class Issuer(IssuerParameter):
    def get_issuer(self):
        return flask.request.host_url.rstrip("/")


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return find("access", token_string)


clients = {
    "a program": Client("a program", "a secret: +/%&=ü", ["client_credentials"]),
    "an app": Client("an app", None, ["authorization_code", "refresh_token", DEVICE_CODE_GRANT_TYPE]),
}
server = AuthorizationServer(app, clients.get, lambda token, request: tokens.append(Token(token, request)))
server.register_grant(ClientCredentials)
server.register_grant(AuthorizationCode, [Challenge()])
server.register_grant(Refresh)
server.register_grant(DeviceCode)
server.register_endpoint(Revocation)
server.register_endpoint(Device)
server.register_extension(Issuer())
require_token = ResourceProtector()
require_token.register_token_validator(Validator())


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    host = flask.request.host_url
    return {
        "issuer": host.rstrip("/"), "authorization_endpoint": host + "authorize", "token_endpoint": host + "token",
        "revocation_endpoint": host + "revoke", "device_authorization_endpoint": host + "devices",
        "response_types_supported": ["code"], "authorization_response_iss_parameter_supported": True,
    }


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    try:
        grant = server.get_consent_grant(end_user="user")
    except OAuth2Error as error:
        return server.handle_error_response(None, error)
    if flask.request.method == "GET":
        return FORM
    user = "user" if "allow" in flask.request.form else None
    return server.create_authorization_response(grant_user=user, grant=grant)


@app.route("/device", methods=["GET", "POST"])
def device():
    if flask.request.method == "POST":
        decisions[flask.request.args["user_code"]] = ("user", "allow" in flask.request.form)
        return "You can close this page."
    return FORM


app.post("/token", endpoint="token")(lambda: server.create_token_response())
app.post("/revoke", endpoint="revoke")(lambda: server.create_endpoint_response("revocation"))
app.post("/devices", endpoint="devices")(lambda: server.create_endpoint_response("device_authorization"))


@app.get("/data")
@require_token()
def data():
    return "data"


@app.get("/expire")
def expire():
    """Ends all access tokens, although their time has not come."""
    for token in tokens:
        token.expiration = 0
    return ""


@app.get("/key")
def public_key():
    numbers = key.public_key().public_numbers()
    return numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


@app.post("/sign")
def sign():
    numbers = utils.decode_dss_signature(key.sign(flask.request.data, ec.ECDSA(SHA256())))
    return b"".join(number.to_bytes(32, "big") for number in numbers)


class Watched:
    """Counts the requests with a refresh token, and loses an answer when it is told to."""

    def __init__(self, app):
        self.app, self.count, self.loses, self.lock = app, 0, False, threading.Lock()

    def __call__(self, environ, start_response):
        if environ["PATH_INFO"] in ("/refreshes", "/lose"):
            self.loses = environ["PATH_INFO"] == "/lose"
            start_response("200 OK", [("Content-Type", "text/plain")])
            return [str(self.count).encode()]
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        loses = False
        if b"grant_type=refresh_token" in body:
            with self.lock:
                self.count += 1
                loses, self.loses = self.loses, False
        answer = self.app(environ, start_response)
        if loses:
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        return answer


werkzeug.serving.WSGIRequestHandler.log = lambda *arguments: None
listeners = [werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True) for _ in range(3)]
ports = [listener.server_port for listener in listeners]
applications = [app, oidc_provider_mock.app(), toolkit.application(sys.argv[1], ports[2])]
for listener, application in zip(listeners, applications):
    listener.app = Watched(application)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
process, *more = glewlwyd.start(sys.argv[2], sys.argv[3])
signal.signal(signal.SIGTERM, lambda *arguments: sys.exit())
print(*ports, *more, flush=True)
try:
    signal.pause()
finally:
    process.terminate()
    process.wait()
