"""Each operation once: how it is called, and an answer that it takes for a success."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dashboard.interfaces import ManagementInterface, ObjectStream, StorageInterface
from dashboard.interfaces.storage.signed_links import SignedLink

REF = "abcdefghijklmnopqrst"
LINK_TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3OTUxNzEwMzB9.c2lnbmF0dXJl"
FUNCTION = {
    "id": "f",
    "slug": "hello",
    "name": "Hello",
    "status": "ACTIVE",
    "version": 1,
    "created_at": 1687423025152,
    "updated_at": 1,
}
PROJECT = {"id": REF, "organization_id": "acme", "name": "prod", "region": "eu-west-1", "created_at": "2023-03-29T16:32:59Z"}
HOSTNAME = {"status": "2_initiated", "custom_hostname": "api.example.com", "data": {}}
RESTRICTIONS = {"entitlement": "allowed", "config": {"dbAllowedCidrs": ["203.0.113.0/24"]}, "status": "applied"}
BUCKET = {"id": "b", "name": "b", "owner": "", "public": False}
OBJECT = {"name": "a.txt", "id": "1", "metadata": {"size": 11}}
MESSAGE = {"message": "Successfully done"}
INFO = {"name": "d/a b.txt", "size": 11, "content_type": "text/plain", "metadata": {}}
Interfaces = tuple[ManagementInterface, StorageInterface]


@dataclass(frozen=True)
class Call:
    """`make` calls the operation; `path` and `query` are the expected request; `good` is a success (bytes: not JSON)."""

    make: Callable[[Interfaces], Any]
    path: str
    good: Any = None
    body: Any = None
    query: dict[str, str] | None = None

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
        result = self.make(interfaces)
        if isinstance(result, ObjectStream):
            with result:
                return b"".join(result)
        return result


V1 = f"/v1/projects/{REF}"
FLAGS = {"name": "N", "verify_jwt": "true", "import_map": "false"}
KEY = "d/a b.txt"
PATH = "d/a%20b.txt"

CALLS: dict[str, Call] = {
    "M1": Call(lambda both: both[0].projects.all(), "/v1/projects", [PROJECT]),
    "M2": Call(
        lambda both: both[0].projects.create("p", organization_id="acme", db_pass="word", region="eu-west-1", plan="free"),
        "/v1/projects",
        PROJECT,
        {"name": "p", "organization_id": "acme", "db_pass": "word", "region": "eu-west-1", "plan": "free"},
    ),
    "M3": Call(lambda both: both[0].organizations.all(), "/v1/organizations", [{"id": "acme", "name": "Acme"}]),
    "M4": Call(
        lambda both: both[0].organizations.create("Acme"), "/v1/organizations", {"id": "a", "name": "Acme"}, {"name": "Acme"}
    ),
    "M5": Call(lambda both: both[0].secrets.all(REF), f"{V1}/secrets", [{"name": "A", "value": "x"}]),
    "M6": Call(lambda both: both[0].secrets.create(REF, {"A": "x"}), f"{V1}/secrets", None, [{"name": "A", "value": "x"}]),
    "M7": Call(lambda both: both[0].secrets.delete(REF, ["A", "B"]), f"{V1}/secrets", None, ["A", "B"]),
    "M8": Call(
        lambda both: both[0].types.generate(REF, ["public", "auth"]),
        f"{V1}/types/typescript",
        {"types": "export type Json = string"},
        query={"included_schemas": "public,auth"},
    ),
    "M9": Call(
        lambda both: both[0].functions.create(REF, slug="hello", name="N", body="code", verify_jwt=True),
        f"{V1}/functions",
        FUNCTION,
        {"slug": "hello", "name": "N", "body": "code", "verify_jwt": True},
        {"slug": "hello", "name": "N", "verify_jwt": "true", "import_map": "false"},
    ),
    "M10": Call(lambda both: both[0].functions.all(REF), f"{V1}/functions", [FUNCTION]),
    "M11": Call(lambda both: both[0].functions.get(REF, "hello"), f"{V1}/functions/hello", FUNCTION),
    "M12": Call(
        lambda both: both[0].functions.update(REF, "hello", name="N", verify_jwt=True, import_map=False),
        f"{V1}/functions/hello",
        FUNCTION,
        {"name": "N", "verify_jwt": True, "import_map": False},
        FLAGS,
    ),
    "M13": Call(lambda both: both[0].functions.delete(REF, "hello"), f"{V1}/functions/hello", {"message": "ok"}),
    "M14": Call(lambda both: both[0].functions.body(REF, "hello"), f"{V1}/functions/hello/body", b"ESZIP_V2\x00"),
    "M15": Call(lambda both: both[0].hostname.get(REF), f"{V1}/custom-hostname", HOSTNAME),
    "M16": Call(lambda both: both[0].hostname.delete(REF), f"{V1}/custom-hostname"),
    "M17": Call(
        lambda both: both[0].hostname.initialize(REF, custom_hostname="api.example.com"),
        f"{V1}/custom-hostname/initialize",
        HOSTNAME,
        {"custom_hostname": "api.example.com"},
    ),
    "M18": Call(lambda both: both[0].hostname.reverify(REF), f"{V1}/custom-hostname/reverify", HOSTNAME),
    "M19": Call(lambda both: both[0].hostname.activate(REF), f"{V1}/custom-hostname/activate", HOSTNAME),
    "M20": Call(lambda both: both[0].encryption.get(REF), f"{V1}/pgsodium", {"root_key": "ab" * 32}),
    "M21": Call(
        lambda both: both[0].encryption.update(REF, root_key="AB" * 32),
        f"{V1}/pgsodium",
        {"root_key": "ab" * 32},
        {"root_key": "ab" * 32},
    ),
    "M22": Call(
        lambda both: both[0].network.bans(REF), f"{V1}/network-bans/retrieve", {"banned_ipv4_addresses": ["203.0.113.10"]}
    ),
    "M23": Call(
        lambda both: both[0].network.unban(REF, ["203.0.113.10"]),
        f"{V1}/network-bans",
        None,
        {"ipv4_addresses": ["203.0.113.10"]},
    ),
    "M24": Call(lambda both: both[0].network.restrictions(REF), f"{V1}/network-restrictions", RESTRICTIONS),
    "M25": Call(
        lambda both: both[0].network.apply(REF, allowed=["203.0.113.0/24"]),
        f"{V1}/network-restrictions/apply",
        RESTRICTIONS,
        {"dbAllowedCidrs": ["203.0.113.0/24"]},
    ),
    "S1": Call(lambda both: both[1].buckets.create("b"), "/bucket/", {"name": "b"}, {"id": "b", "name": "b", "public": False}),
    "S2": Call(lambda both: both[1].buckets.all(), "/bucket/", [BUCKET]),
    "S3": Call(lambda both: both[1].buckets.empty("b"), "/bucket/b/empty", MESSAGE),
    "S4": Call(lambda both: both[1].buckets.get("b"), "/bucket/b", BUCKET),
    "S5": Call(lambda both: both[1].buckets.update("b", public=True), "/bucket/b", MESSAGE, {"public": True}),
    "S6": Call(lambda both: both[1].buckets.delete("b"), "/bucket/b", MESSAGE),
    "S7": Call(lambda both: both[1].objects.delete("b", KEY), f"/object/b/{PATH}", MESSAGE),
    "S8": Call(lambda both: both[1].objects.delete_many("b", [KEY]), "/object/b", [OBJECT], {"prefixes": [KEY]}),
    "S9": Call(
        lambda both: both[1].objects.upload("b", KEY, b"bytes", content_type="text/plain"),
        f"/object/b/{PATH}",
        {"Key": "b/" + KEY},
    ),
    "S10": Call(
        lambda both: both[1].objects.replace("b", KEY, b"bytes", content_type="text/plain"),
        f"/object/b/{PATH}",
        {"Key": "b/" + KEY},
    ),
    "S11": Call(
        lambda both: both[1].objects.move("b", KEY, "c.txt"),
        "/object/move",
        MESSAGE,
        {"bucketId": "b", "sourceKey": KEY, "destinationKey": "c.txt"},
    ),
    "S12": Call(
        lambda both: both[1].objects.copy("b", KEY, "c.txt", destination_bucket="other"),
        "/object/copy",
        {"Key": "other/c.txt"},
        {"bucketId": "b", "sourceKey": KEY, "destinationKey": "c.txt", "destinationBucket": "other"},
    ),
    "S13": Call(
        lambda both: both[1].objects.all("b", prefix="d"),
        "/object/list/b",
        [OBJECT],
        {"prefix": "d", "limit": 100, "offset": 0, "sortBy": {"column": "name", "order": "asc"}, "search": ""},
    ),
    "S14": Call(
        lambda both: both[1].signing.sign("b", KEY, expires_in=60),
        f"/object/sign/b/{PATH}",
        {"signedURL": f"/object/sign/b/{KEY}?token={LINK_TOKEN}"},
        {"expiresIn": 60},
    ),
    "S15": Call(
        lambda both: both[1].signing.sign_many("b", [KEY], expires_in=60),
        "/object/sign/b",
        [{"error": None, "path": KEY, "signedURL": f"/object/sign/b/{KEY}?token={LINK_TOKEN}"}],
        {"expiresIn": 60, "paths": [KEY]},
    ),
    "S16": Call(
        lambda both: both[1].signing.open(SignedLink(f"/object/sign/b/{KEY}?token={LINK_TOKEN}")),
        f"/object/sign/b/{PATH}",
        b"hello world",
        query={"token": LINK_TOKEN},
    ),
    "S17": Call(lambda both: both[1].objects.get("b", KEY), f"/object/b/{PATH}", b"hello world"),
    "S18": Call(lambda both: both[1].objects.read("b", KEY), f"/object/authenticated/b/{PATH}", b"hello world"),
    "S19": Call(lambda both: both[1].objects.info("b", KEY), f"/object/info/authenticated/b/{PATH}", INFO),
    "S20": Call(lambda both: both[1].objects.read_public("b", KEY), f"/object/public/b/{PATH}", b"hello world"),
    "S21": Call(lambda both: both[1].objects.info_public("b", KEY), f"/object/info/public/b/{PATH}", INFO),
}
PUBLIC = {"S16", "S20", "S21"}
