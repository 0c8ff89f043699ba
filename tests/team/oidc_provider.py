"""A small OpenID Connect provider: a real server, which can also lie, hang and break off."""

import json
import secrets
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode, urlsplit

import jwt
import requests

CLIENT_ID, CLIENT_SECRET = "pilot:house", "a client secret: 100%+ of at least 32 characters"
POST, BASIC = "client_secret_post", "client_secret_basic"
SESSION = "provider_session"
PAGE = """<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><h1>Provider</h1>
<form method="post" action="{address}"><button>Sign in there</button></form></html>"""


class Provider:
    """What the provider knows, and how it misbehaves.

    `account` are the claims of who signs in there, with `is_thin` told at the userinfo endpoint alone; `lies` replace claims of
    the ID token (None leaves one out); `faults` make an endpoint answer with "html", "cut", "slow" or a status; `described`
    replaces facts of the description. `takes` are the ways in which the client may prove itself, `ahead` the seconds that its
    clock is ahead, `answers` what it adds to the address that it leads back to. `base` is the issuer without a slash at its end.
    """

    def __init__(self, path: str = "") -> None:
        self.account: dict[str, Any] = {"sub": "subject-1", "email": "ada@example.org", "email_verified": True}
        self.lies: dict[str, Any] = {}
        self.faults: dict[str, str | int] = {}
        self.described: dict[str, Any] = {}
        self.ignores_prompt = self.is_thin = False
        self.takes: tuple[str, ...] = (POST, BASIC)
        self.ahead = 0
        self.answers: dict[str, str] = {}
        self.sessions: dict[str, int] = {}
        self.grants: dict[str, dict[str, str]] = {}
        self.given: list[str] = []  # every code and token that was handed out
        self.asked: list[dict[str, str]] = []
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": self}))
        self.path = path.rstrip("/")
        self.issuer = f"http://127.0.0.1:{self._server.server_port}{path}"
        self.base = self.issuer.rstrip("/")

    @contextmanager
    def running(self) -> Iterator["Provider"]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def sign_in(self, address: str) -> str:
        """Do what a browser does with the address that Pilothouse redirects to. Return the provider's redirect."""
        page = requests.get(address, allow_redirects=False, timeout=30)
        assert "Sign in there" in page.text, page.text
        answer = requests.post(address, allow_redirects=False, timeout=30)
        return answer.headers["Location"]

    def description(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "userinfo_endpoint": f"{self.base}/userinfo",
            "jwks_uri": f"{self.base}/keys",
            "token_endpoint_auth_methods_supported": [BASIC, POST],
            **self.described,
        }

    def code(self, asked: dict[str, str], signed_in_at: int) -> str:
        assert (asked["client_id"], asked["response_type"], asked["code_challenge_method"]) == (CLIENT_ID, "code", "S256")
        assert set(asked["scope"].split()) == {"openid", "email"}
        code = secrets.token_urlsafe(24)
        self.given.append(code)
        self.grants[code] = {**asked, "auth_time": str(signed_in_at)}
        return code

    def now(self) -> int:
        return int(time.time()) + self.ahead

    def knows(self, form: dict[str, str], header: str) -> bool:
        """Whether the client authenticated in exactly one way that is accepted."""
        in_form = (form.get("client_id", ""), form.get("client_secret", ""))
        pair = [unquote_plus(text) for text in b64decode(header.removeprefix("Basic ")).decode().split(":")]
        ways = {
            POST: in_form == (CLIENT_ID, CLIENT_SECRET) and not header,
            BASIC: pair == [CLIENT_ID, CLIENT_SECRET] and not any(in_form),
        }
        return any(ways[method] for method in self.takes)

    def tokens(self, form: dict[str, str]) -> dict[str, Any] | None:
        grant = self.grants.pop(form.get("code", ""), None)
        challenge = urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        if grant is None or (form["redirect_uri"], challenge) != (grant["redirect_uri"], grant["code_challenge"]):
            return None
        now = self.now()
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": grant["nonce"],
            "auth_time": int(grant["auth_time"]),
            **({"sub": self.account["sub"]} if self.is_thin else self.account),
            **self.lies,
        }
        id_token = jwt.encode({name: value for name, value in claims.items() if value is not None}, CLIENT_SECRET)
        access_token = secrets.token_urlsafe(24)
        self.given += [access_token, id_token]
        return {"access_token": access_token, "token_type": "Bearer", "expires_in": 300, "id_token": id_token}


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path = parts.path.removeprefix(self.provider.path)
        if fault := self.provider.faults.get(path):
            self._fail(fault)
        elif path == "/.well-known/openid-configuration":
            self._json(self.provider.description())
        elif path == "/authorize":
            self._authorize({name: values[0] for name, values in parse_qs(parts.query).items()})
        elif path == "/token" and not self.provider.knows(dict(parse_qsl(body)), self.headers["Authorization"] or ""):
            self._json({"error": "invalid_client"}, 401)
        elif path == "/token":
            tokens = self.provider.tokens(dict(parse_qsl(body)))
            self._json(tokens or {"error": "invalid_grant"}, 200 if tokens else 400)
        elif path == "/userinfo" and self.headers["Authorization"].removeprefix("Bearer ") in self.provider.given:
            self._json(self.provider.account)
        else:
            self._send(404, "text/plain", b"")

    def _authorize(self, asked: dict[str, str]) -> None:
        session = self.headers.get("Cookie", "").rpartition(f"{SESSION}=")[2][:16]
        is_anew = asked.get("prompt") == "login" and not self.provider.ignores_prompt
        if self.command == "POST":
            self.provider.asked.append(asked)
            session = secrets.token_hex(8)
            self.provider.sessions[session] = self.provider.now()
        elif session not in self.provider.sessions or is_anew:
            self._send(200, "text/html", PAGE.format(address=escape(self.path)).encode())
            return
        code = self.provider.code(asked, self.provider.sessions[session])
        answer = {"code": code, "state": asked["state"], **self.provider.answers}
        self.send_response(302)
        self.send_header("Set-Cookie", f"{SESSION}={session}; HttpOnly")
        self.send_header("Location", f"{asked['redirect_uri']}?{urlencode(answer)}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _fail(self, fault: str | int) -> None:
        if isinstance(fault, int):
            self._json({"error": "server_error"}, fault)
        elif fault == "html":
            self._send(200, "text/html", b"<!doctype html><title>Down for maintenance</title>")
        elif fault == "cut":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"issuer": ')
        else:
            self.provider.released.wait(30)

    def _json(self, found: dict[str, Any], status: int = 200) -> None:
        self._send(status, "application/json", json.dumps(found).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
