"""glewlwyd, an authorization server in C, which is started on a port of its own with a database in a folder.

The files of its packages are in another folder: installing them would start a service of the system. Tokens are bound
to a key (DPoP), and each proof needs a nonce, which is another one after some proofs.
"""

import glob
import gzip
import http.cookiejar
import json
import os
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

RESOURCE = "https://api.example.com/"
PLUGIN = {
    "module": "oidc", "name": "oidc", "display_name": "oidc",
    "parameters": {
        "jwt-type": "sha", "jwt-key-size": "256", "key": "a secret of this server", "allow-non-oidc": True,
        "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600,
        "refresh-token-rolling": False, "refresh-token-one-use": "always", "auth-type-code-enabled": True,
        "auth-type-client-enabled": True, "auth-type-refresh-enabled": True, "auth-type-device-enabled": True,
        "device-authorization-expiration": 600, "device-authorization-interval": 1,
        "pkce-allowed": True, "pkce-required": True, "introspection-revocation-allowed": True,
        "introspection-revocation-allow-target-client": True, "oauth-as-iss-id": True,
        "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60,
        "oauth-dpop-nonce-mandatory": True, "oauth-dpop-nonce-counter": 40,
        "resource-allowed": True, "resource-scope": {"read": [RESOURCE]},
    },
}
CONFIG = """
port={port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:{port}"
login_url="login.html"
api_prefix="api"
static_files_path="{files}/usr/share/glewlwyd/webapp"
log_mode="file"
log_level="INFO"
log_file="{folder}/log"
cookie_secure=0
session_expiration=3600
session_key="session"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="{files}/usr/lib/glewlwyd/user"
user_middleware_module_path="{folder}/middleware"
client_module_path="{files}/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="{files}/usr/lib/glewlwyd/scheme"
plugin_module_path="{files}/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={{ type="sqlite3"; path="{folder}/database"; }};
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def start(files, folder):
    """Starts the server. Returns its process, its port, and the only port to which it redirects."""
    port, redirect = free_port(), free_port()
    os.makedirs(f"{folder}/middleware")
    with gzip.open(f"{files}/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz", "rt") as script:
        with sqlite3.connect(f"{folder}/database") as database:
            database.executescript(script.read())
    with open(f"{folder}/config", "w") as config:
        config.write(CONFIG.format(port=port, files=files, folder=folder))
    libraries = ":".join(glob.glob(f"{files}/usr/lib/*-linux-gnu"))
    process = subprocess.Popen(
        [f"{files}/usr/bin/glewlwyd", f"--config-file={folder}/config"],
        env=os.environ | {"LD_LIBRARY_PATH": libraries})
    try:
        set_up(f"http://127.0.0.1:{port}/api", redirect)
    except BaseException:
        process.terminate()
        raise
    return process, port, redirect


def set_up(api, redirect):
    """Adds the plugin, a user and two clients, as the administrator."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def post(path, value):
        data = json.dumps(value).encode()
        request = urllib.request.Request(api + path, data, {"Content-Type": "application/json"})
        return browser.open(request, timeout=10).read()

    end = time.monotonic() + 20
    while True:
        try:
            post("/auth/", {"username": "admin", "password": "password"})
            break
        except urllib.error.URLError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    PLUGIN["parameters"]["iss"] = api + "/oidc"
    post("/mod/plugin/", PLUGIN)
    post("/scope/", {"name": "read", "display_name": "read", "password_required": True, "password_max_age": 0})
    post("/user/", {"username": "user", "password": "a password", "scope": ["openid", "read"], "enabled": True})
    user = {
        "enabled": True, "authorization_type": ["code", "refresh_token", "device_authorization"],
        "redirect_uri": [f"http://127.0.0.1:{redirect}/callback"], "scope": ["openid", "read"],
    }
    program = {
        "confidential": True, "client_secret": "a secret: +/%&=ü",
        "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"],
    }
    post("/client/", user | {"client_id": "an-app", "client_name": "an app", "confidential": False})
    post("/client/", user | program | {"client_id": "a-site", "client_name": "a site"})
    post("/client/", program | {
        "client_id": "a program", "client_name": "a program", "enabled": True, "scope": ["read"],
        "authorization_type": ["client_credentials"],
    })
