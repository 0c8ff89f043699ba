"""Records: tolerant of both generations of the service, and quiet about what they hold."""

from datetime import UTC, datetime

import msgspec
import pytest

from dashboard.interfaces.management.encryption import RootKey
from dashboard.interfaces.management.functions import Function, FunctionBody
from dashboard.interfaces.management.hostname import DnsRecord, HostnameConfiguration, HostnameStatus
from dashboard.interfaces.management.network import NetworkRestrictions, RestrictionStatus
from dashboard.interfaces.management.projects import Project
from dashboard.interfaces.management.secrets import Secret
from dashboard.interfaces.records import moment
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.interfaces.storage.records import StoredObject, info_from_headers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20T10:18:03.479Z", datetime(2026, 11, 20, 10, 18, 3, 479000, UTC)),
        ("2023-03-29T16:32:59+02:00", datetime(2023, 3, 29, 14, 32, 59, 0, UTC)),
        ("2022-11-02T10:15:30.123456+00:00", datetime(2022, 11, 2, 10, 15, 30, 123456, UTC)),
        ("2022-11-02 10:15:30.123456789+00", datetime(2022, 11, 2, 10, 15, 30, 123456, UTC)),
        ("2022-11-02T10:15:30", datetime(2022, 11, 2, 10, 15, 30, 0, UTC)),
        ("2022-11-02", datetime(2022, 11, 2, 0, 0, 0, 0, UTC)),
        ("", None),
        (None, None),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_times_of_every_form_are_read(text: str | None, expected: datetime | None) -> None:
    assert moment(text) == expected


def test_a_project_of_either_generation() -> None:
    old = b"""{"id":"abcdefghijklmnopqrst","organization_id":"o","name":"n","region":"eu-west-1",
      "created_at":"2023-03-29T16:32:59Z",
      "database":{"host":"db.x","version":"15.1.0.33"}}"""
    new = b"""{"id":"r","ref":"r","organization_id":"o","organization_slug":"o","name":"n","region":"mars-1","status":"NEW_STATE",
      "database":{"host":"db.x","version":"17.6.1.084","postgres_engine":"17"},"created_at":"not a time"}"""
    first, second = msgspec.json.decode(old, type=Project), msgspec.json.decode(new, type=Project)
    assert (first.ref, first.status, first.created_at) == (
        "abcdefghijklmnopqrst",
        None,
        datetime(2023, 3, 29, 16, 32, 59, 0, UTC),
    )
    assert first.database is not None
    assert (second.status, second.created_at, second.created_text) == ("NEW_STATE", None, "not a time")


@pytest.mark.parametrize("owner", ['"owner":"",', '"owner":null,', ""])
def test_a_bucket_of_either_generation(owner: str) -> None:
    bucket = msgspec.json.decode(f'{{"id":"b",{owner}"name":"b","type":"STANDARD"}}', type=Bucket)
    assert not bucket.owner
    assert not bucket.is_public
    assert (bucket.file_size_limit, bucket.allowed_mime_types, bucket.created_at) == (None, None, None)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1687423025152, datetime(2023, 6, 22, 8, 37, 5, 152000, UTC)),
        (1687423025, datetime(2023, 6, 22, 8, 37, 5, 0, UTC)),
        (1687423025.5, datetime(2023, 6, 22, 8, 37, 5, 500000, UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (1e300, None),
    ],
)
def test_function_times_count_milliseconds_or_seconds(number: float, expected: datetime | None) -> None:
    function = Function(id="f", slug="s", name="n", status="ACTIVE", version=1, created_at=number, updated_at=number)  # type: ignore[arg-type]  # as text
    assert function.created == function.updated == expected
    assert function.checks_jwt


def test_states_keep_what_they_do_not_know() -> None:
    known, unknown = HostnameStatus("4_origin_setup_completed"), HostnameStatus("6_polished")
    assert (known.is_known, known.step) == (True, 4)
    assert (unknown.is_known, unknown.step, str(unknown), unknown) == (False, 6, "6_polished", "6_polished")
    assert HostnameStatus("strange").step is None
    assert RestrictionStatus("stored") is RestrictionStatus.STORED
    assert "UNKNOWN" not in HostnameStatus.__members__


def test_what_holds_a_secret_does_not_show_it() -> None:
    key = "ab" * 32
    for record in (Secret(name="A", value=key), RootKey(root_key=key), FunctionBody(key.encode(), "text/plain")):
        assert key not in repr(record)
        assert key not in str(record)
        assert key not in f"{[record]}"


@pytest.mark.parametrize(
    ("value", "kind"),
    [("ab" * 32, "SHA-256 digest"), ("ab" * 16, "MD5 digest"), ("AB" * 32, "value"), ("plain", "value"), ("", "value")],
)
def test_a_secret_says_what_its_value_seems_to_be(value: str, kind: str) -> None:
    assert Secret(name="A", value=value).value_is == kind


def test_reserved_secrets_are_told_by_their_prefix() -> None:
    assert Secret(name="SUPABASE_URL", value="x").is_reserved
    assert not Secret(name="supabase_url", value="x").is_reserved


FULL = {
    "success": True,
    "result": {
        "status": "pending",
        "custom_origin_server": "abc.service.example",
        "ownership_verification": {"type": "txt", "name": "_cf.api.example.com", "value": "5cc07c04"},
        "verification_errors": ["custom hostname does not CNAME to this zone.", 5],
        "ssl": {
            "status": "pending_validation",
            "txt_name": "api.example.com",
            "txt_value": "ca3-5f",
            "validation_records": [
                {"status": "pending", "txt_name": "api.example.com", "txt_value": "ca3-5f"},
                {"txt_name": "x"},
            ],
            "validation_errors": [{"message": "caa_error: no"}, "odd"],
        },
    },
}


def _hostname(data: object) -> HostnameConfiguration:
    body = msgspec.json.encode({"status": "2_initiated", "custom_hostname": "api.example.com", "data": data})
    return msgspec.json.decode(body, type=HostnameConfiguration)


def test_a_hostname_shows_what_its_data_holds() -> None:
    hostname = _hostname(FULL)
    assert hostname.origin_server == "abc.service.example"
    assert (hostname.host_state, hostname.certificate_state) == ("pending", "pending_validation")
    assert hostname.ownership_record == DnsRecord("TXT", "_cf.api.example.com", "5cc07c04")
    assert hostname.certificate_records == [DnsRecord("TXT", "api.example.com", "ca3-5f")]
    assert hostname.problems == ["custom hostname does not CNAME to this zone.", "caa_error: no"]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"result": None},
        {"result": []},
        {"result": {"ssl": "x", "ownership_verification": {"type": "", "name": "", "value": ""}}},
        {"result": {"ssl": {"validation_records": {}, "validation_errors": 5}, "verification_errors": {"a": 1}}},
    ],
)
def test_a_hostname_of_another_form_shows_nothing_and_fails_nowhere(data: object) -> None:
    hostname = _hostname(data)
    assert (hostname.origin_server, hostname.host_state, hostname.certificate_state, hostname.ownership_record) == (None,) * 4
    assert (hostname.certificate_records, hostname.problems) == ([], [])


def test_restrictions_of_either_generation() -> None:
    old = b'{"entitlement":"allowed","config":{"dbAllowedCidrs":["203.0.113.0/24"]},"status":"applied"}'
    new = b'{"entitlement":"future","config":{"dbAllowedCidrsV6":["::/0"]},"status":"stored","old_config":{"dbAllowedCidrs":[]}}'
    first, second = (msgspec.json.decode(text, type=NetworkRestrictions) for text in (old, new))
    assert (first.config.allowed, first.config.allowed_v6, first.old_config) == (["203.0.113.0/24"], None, None)
    assert (second.config.allowed, second.config.allowed_v6, second.entitlement) == ([], ["::/0"], "future")


def test_rows_of_a_listing() -> None:
    row = b"""{"name":"a.txt","id":"1","updated_at":"2026-11-20T10:36:10.093Z","created_at":null,"last_accessed_at":"",
      "metadata":{"eTag":"\\"5e\\"","size":11,"mimetype":"text/plain","cacheControl":"max-age=3600","httpStatusCode":200}}"""
    file = msgspec.json.decode(row, type=StoredObject)
    assert (file.is_folder, file.size, file.mimetype, file.cache_control, file.etag) == (
        False,
        11,
        "text/plain",
        "max-age=3600",
        '"5e"',
    )
    assert file.updated_at == datetime(2026, 11, 20, 10, 36, 10, 93000, UTC)
    assert (file.created_at, file.last_accessed_at) == (None, None)
    folder = msgspec.json.decode(b'{"name":"d","id":null,"updated_at":null,"created_at":null,"metadata":null}', type=StoredObject)
    assert (folder.is_folder, folder.size, folder.mimetype, folder.etag) == (True, None, None, None)
    odd = msgspec.json.decode(b'{"name":"o","id":"1","metadata":{"size":"11","mimetype":5,"eTag":[]}}', type=StoredObject)
    assert (odd.is_folder, odd.size, odd.mimetype, odd.etag) == (False, None, None, None)
    assert msgspec.json.decode(b'{"name":"o","metadata":{"size":true}}', type=StoredObject).size is None


def test_info_from_headers_alone() -> None:
    headers = {
        "content-type": "text/css",
        "content-length": "11",
        "etag": '"e"',
        "last-modified": "Fri, 20 Nov 2026 10:36:10 GMT",
    }
    info = info_from_headers("d/a.css", headers)
    assert (info.name, info.size, info.content_type, info.etag) == ("d/a.css", 11, "text/css", '"e"')
    assert info.last_modified == datetime(2026, 11, 20, 10, 36, 10, 0, UTC)
    bare = info_from_headers("a", {"content-length": "0", "last-modified": "garbage"})
    assert (bare.size, bare.last_modified, bare.metadata) == (None, None, None)
