"""Requests written byte by byte, so that no client normalises a path, an escape or a header on the way."""

import json
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import jwt

from tests.conftest import Sandbox


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def refusal(self) -> tuple[int, str, str, str, str]:
        """HTTP status, then the members of the body in order."""
        body = self.json()
        assert list(body) == ["statusCode", "error", "message", "code"]
        assert self.headers["content-type"] == "application/json; charset=utf-8"
        return (self.status, *body.values())


@dataclass(frozen=True, slots=True)
class Space:
    """The storage of one project, with its tokens and the secret that signs them."""

    url: str
    service: str
    anon: str
    secret: str
    sandbox: Sandbox

    def call(self, method: str, path: str, *, who: str | None = "service", data: Any = None, **headers: str) -> Reply:
        """`who`: service, anon, any other text to send as it is, or None. `data`: bytes, or anything else as JSON."""
        address = urlsplit(self.url)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if who is not None:
            sent["Authorization"] = f"Bearer {({'service': self.service, 'anon': self.anon}).get(who, who)}"
        if data is not None and not isinstance(data, bytes):
            data, sent = json.dumps(data).encode(), {"Content-Type": "application/json"} | sent
        connection = HTTPConnection(str(address.hostname), address.port, timeout=60)
        try:
            connection.request(method, address.path + path, data, sent, encode_chunked="Transfer-Encoding" in sent)
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def signed(self, **claims: object) -> str:
        """Return a token of this project with custom claims."""
        return jwt.encode(claims, self.secret, algorithm="HS256")

    def create(self, name: str, **more: object) -> str:
        assert self.call("POST", "/bucket/", data={"name": name, **more}).status == 200
        return name

    def put(self, bucket: str, key: str, data: bytes = b"x", content_type: str = "text/plain", **headers: str) -> str:
        reply = self.call("PUT", f"/object/{bucket}/{key}", data=data, Content_Type=content_type, **headers)
        assert reply.status == 200, reply.body
        return str(reply.json()["Id"])

    def rows(self, bucket: str, prefix: str = "", **more: object) -> list[dict[str, Any]]:
        reply = self.call("POST", f"/object/list/{bucket}", data={"prefix": prefix, **more})
        assert reply.status == 200, reply.body
        found: list[dict[str, Any]] = reply.json()
        return found

    def names(self, bucket: str, prefix: str = "", **more: object) -> list[str]:
        return [row["name"] for row in self.rows(bucket, prefix, **more)]

    def read(self, bucket: str, key: str) -> bytes:
        reply = self.call("GET", f"/object/authenticated/{bucket}/{key}")
        assert reply.status == 200, reply.body
        return reply.body


def now() -> int:
    return int(time.time())


def refused(status_code: str, error: str, message: str, code: str, http: int = 400) -> tuple[int, str, str, str, str]:
    return (http, status_code, error, message, code)


NO_BUCKET = refused("404", "Bucket not found", "Bucket not found", "NoSuchBucket")
NO_OBJECT = refused("404", "not_found", "Object not found", "NoSuchKey")
NO_HEADER = refused("400", "Error", "headers must have required property 'authorization'", "InvalidRequest")
GARBAGE = refused("403", "Unauthorized", "Invalid Compact JWS", "AccessDenied")
EXPIRED = refused("403", "Unauthorized", '"exp" claim timestamp check failed', "AccessDenied")
ROW_POLICY = refused("403", "Unauthorized", "new row violates row-level security policy", "AccessDenied")
TOO_LARGE = refused("413", "Payload too large", "The object exceeded the maximum allowed size", "EntityTooLarge")
BAD_NAME = refused("400", "Invalid Input", "Bucket name invalid", "InvalidBucketName")


def duplicate(code: str) -> tuple[int, str, str, str, str]:
    return refused("409", "Duplicate", "The resource already exists", code)


def invalid(message: str) -> tuple[int, str, str, str, str]:
    return refused("400", "Error", message, "InvalidRequest")
