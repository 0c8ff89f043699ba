"""A call of each operation, as the table has it."""

import json
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from dashboard.interfaces import ManagementInterface, ObjectStream, StorageInterface
from tests.contract.document import ROWS

REF = "abcdefghijklmnopqrst"
LINK_TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3OTUxNzEwMzB9.c2lnbmF0dXJl"
SENT = {"ref": REF, "function_slug": "hello", "bucketId": "b", "bucketName": "b", "wildcard": "d/a%20b.txt"}
Interfaces = tuple[ManagementInterface, StorageInterface]


@dataclass(frozen=True)
class Call:
    """`method` called with `arguments`; `path`, `query` and `body` are the expected request; `good` is a success."""

    method: str
    arguments: dict[str, Any]
    path: str
    good: Any
    body: Any
    query: dict[str, str] | None

    @property
    def good_bytes(self) -> bytes:
        if self.good is None:
            return b""
        return self.good if isinstance(self.good, bytes) else json.dumps(self.good).encode()

    @property
    def good_type(self) -> str:
        return "application/octet-stream" if isinstance(self.good, bytes) else "application/json; charset=utf-8"

    def run(self, interfaces: Interfaces) -> Any:
        """Call it, and read a stream to its end."""
        management, storage = interfaces
        group = self.method.partition(".")[0]
        result = attrgetter(self.method)(management if hasattr(management, group) else storage)(**self.arguments)
        if isinstance(result, ObjectStream):
            with result:
                return b"".join(result)
        return result


def call_of(row: dict[str, Any]) -> Call:
    arguments: dict[str, Any] = row["arguments"]
    if row["call"].startswith("objects.") and "body" in arguments:
        arguments = {**arguments, "body": arguments["body"].encode()}
    good = row["bytes"].encode() if "bytes" in row else row.get("answer")
    return Call(row["call"], arguments, row["path"].format(**arguments | SENT), good, row.get("sent"), row.get("query"))


CALLS = {ident: call_of(row) for ident, row in ROWS.items()}
PUBLIC = {"S16", "S20", "S21"}
