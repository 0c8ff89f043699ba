"""The sandbox beside a running Pilothouse: make it fail, fill it quickly, create projects, change DNS."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

import requests

from tests.browser.steps import SPACE
from tests.launch.command import Started
from tests.sandboxes import RACE


class Neighbour:
    def __init__(self, started: Started) -> None:
        self._database = started.data / "sandbox" / "sandbox.sqlite3"
        port = json.loads((started.data / "ports.json").read_text())["http"]
        self._address = f"http://127.0.0.1:{port}"
        with closing(sqlite3.connect(self._database)) as base:
            [(token,)] = base.execute("SELECT token FROM sandbox_person WHERE role = 'owner' LIMIT 1").fetchall()
        self._headers = {"Authorization": f"Bearer {token}"}
        self._pilothouse = started.address
        self._keys: dict[str, dict[str, str]] = {}

    @contextmanager
    def failing(self, operation: str, **fault: object) -> Iterator[None]:
        """Make the operation fail, as described in dashboard/sandbox/faults.py, until the end of the block."""
        self.post("/_faults", {"operation": operation, **fault})
        try:
            yield
        finally:
            requests.delete(f"{self._address}/_faults", headers=self._headers, timeout=30).raise_for_status()

    def post(self, path: str, body: object) -> requests.Response:
        answer = requests.post(self._address + path, json=body, headers=self._headers, timeout=30)
        answer.raise_for_status()
        return answer

    @contextmanager
    def racing(self) -> Iterator[None]:
        """Let simultaneous uploads of one key all succeed, as at today's service."""
        self.post("/_race", {"on": True})
        try:
            yield
        finally:
            self.post("/_race", {"on": RACE})

    def bucket(self) -> str:
        """Create a bucket in the first project. Return the address of its page."""
        name, project = f"journey {uuid4().hex[:8]}", urlsplit(SPACE).path.split("/")[2]
        headers = {"Authorization": f"Bearer {self.key(project, 'service')}"}
        answer = requests.post(f"{self._address}/{project}/storage/v1/bucket/", json={"name": name}, headers=headers, timeout=30)
        answer.raise_for_status()
        return f"{self._pilothouse}{SPACE}{quote(name)}/"

    def put(self, page_address: str, key: str, content: bytes, *, content_type: str = "text/plain") -> None:
        """Store an object without Pilothouse."""
        url, headers = self._object(page_address, key)
        requests.post(url, data=content, headers={**headers, "Content-Type": content_type}, timeout=30).raise_for_status()

    def read(self, page_address: str, key: str) -> bytes:
        """Return what the service holds under a key of the bucket that this page shows."""
        url, headers = self._object(page_address, key)
        answer = requests.get(url, headers=headers, timeout=30)
        answer.raise_for_status()
        return answer.content

    def key(self, project: str, role: str) -> str:
        """Return a storage key of a project."""
        if project not in self._keys:
            self._keys = requests.get(f"{self._address}/_keys", headers=self._headers, timeout=30).json()["storage_tokens"]
        return self._keys[project][role]

    def _object(self, page_address: str, key: str) -> tuple[str, dict[str, str]]:
        _, _, project, bucket, *_ = urlsplit(page_address).path.split("/")
        token = self.key(project, "service")
        return f"{self._address}/{project}/storage/v1/object/{bucket}/{quote(key)}", {"Authorization": f"Bearer {token}"}

    def project(self, name: str) -> str:
        """Create a project and return its ref."""
        body = {"name": name, "organization_id": "quiet-harbour-heron", "db_pass": "demo", "region": "eu-west-1", "plan": "free"}
        return str(self.post("/v1/projects", body).json()["id"])

    def function(self, project: str, slug: str, body: str) -> None:
        self.post(f"/v1/projects/{project}/functions", {"slug": slug, "name": slug, "body": body, "verify_jwt": True})

    def secret(self, project: str, name: str) -> None:
        self.post(f"/v1/projects/{project}/secrets", [{"name": name, "value": "1"}])

    def publish(self, name: str, kind: str, value: str, **more: object) -> None:
        self.post("/_dns", {"action": "publish", "name": name, "type": kind, "value": value, **more})

    def remove(self, name: str, **which: str) -> None:
        self.post("/_dns", {"action": "remove", "name": name, **which})

    def fill(self, page_address: str, folder: str, names: list[str], *, size: int) -> None:
        """Insert rows of objects without bytes in a new folder, enough to be listed, signed and counted."""
        _, _, project, bucket, *_ = urlsplit(page_address).path.split("/")
        stamp = time.time_ns() // 1_000_000
        columns = (
            "parent, name, sort_name, kind, leads, descendants, key, object_id, version, file, owner, owner_id, size, etag, "
            "mimetype, cache_control, robots_tag, user_metadata, created_at, updated_at, written_at, bucket_id"
        )
        insert = f"INSERT INTO sandbox_storage_entry ({columns}) VALUES ({', '.join('?' * 22)})"

        with closing(sqlite3.connect(self._database, timeout=30)) as base, base:
            found = "SELECT id FROM sandbox_storage_bucket WHERE project = ? AND identifier = ?"
            [(bucket_id,)] = base.execute(found, (project, unquote(bucket))).fetchall()

            def entry(name: str, key: str | None) -> tuple[object, ...]:
                sort = name.lower() if key else f"{name.lower()}/"
                parent = f"{folder}/".lower() if key else ""
                row = (parent, name, sort, int(key is not None), 1, 0 if key else len(names), key, uuid4().hex, uuid4().hex, "")
                told = ("", "", size if key else 0, '"0"', "text/plain", "no-cache", "", "{}", stamp, stamp, stamp, bucket_id)
                return row + told

            base.execute(insert, entry(folder, None))
            base.executemany(insert, (entry(name, f"{folder}/{name}") for name in names))
