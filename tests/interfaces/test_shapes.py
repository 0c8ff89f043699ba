"""No shape of an answer makes anything but a record or an `InterfaceError`."""

import json
import re
from typing import Any

import pytest
import responses
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.interfaces import ManagementInterface, StorageInterface, Timing, Token, errors
from dashboard.interfaces.operations import OPERATIONS
from tests.interfaces.calls import CALLS, Call

BASE = "https://service.example/storage/v1"
MEMBERS = [
    "id",
    "name",
    "status",
    "data",
    "message",
    "Key",
    "signedURL",
    "path",
    "error",
    "value",
    "config",
    "metadata",
    "size",
    "created_at",
    "types",
]

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS) | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=8,
)


@st.composite
def answers(draw: st.DrawFn) -> tuple[Call, str, int, bytes, dict[str, str]]:
    """An operation, and an answer that is near a good one, or far from any."""
    ident = draw(st.sampled_from(list(CALLS)))
    good = CALLS[ident].good
    kind = draw(st.sampled_from(["near", "far", "bytes"]))
    if kind == "near" and isinstance(good, (dict, list)):
        body = json.dumps(_bent(draw, good)).encode()
    elif kind == "bytes":
        body = draw(st.binary(max_size=100))
    else:
        body = json.dumps(draw(values)).encode()
    status = draw(
        st.sampled_from([200, 200, 200, 201, 204, 206, 299, 304, 301, 400, 401, 403, 404, 409, 413, 416, 429, 500, 501, 544, 599])
    )
    headers = {
        "Content-Type": draw(st.sampled_from(["application/json", "text/html", "text/plain", "", "application/json; charset=x"]))
    }
    return CALLS[ident], ident, status, body, headers


def _bent(draw: st.DrawFn, good: Any) -> Any:
    """The good answer with one thing changed, added or gone."""
    if isinstance(good, list):
        return [_bent(draw, each) for each in good] + draw(st.lists(values, max_size=1))
    bent = dict(good)
    member = draw(st.sampled_from([*bent, *MEMBERS]))
    if draw(st.booleans()):
        bent.pop(member, None)
    else:
        bent[member] = draw(values)
    return bent


@given(answers())
@settings(max_examples=600)
def test_any_answer_gives_a_record_or_an_interface_error(answer: tuple[Call, str, int, bytes, dict[str, str]]) -> None:
    call, ident, status, body, headers = answer
    timing = Timing(pause=0.0)
    interfaces = (
        ManagementInterface(BASE, Token("canary"), timing=timing),
        StorageInterface(BASE, Token("canary"), timing=timing),
    )
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        mock.add(OPERATIONS[ident].method, re.compile(".*"), body=body, status=status, headers=headers)
        try:
            result = call.run(interfaces)
        except errors.InterfaceError as error:
            _assert_well_made(error, ident)
        else:
            assert status < 400
            repr(result)
            for record in result if isinstance(result, list) else [result]:
                _assert_readable(record)


def _assert_well_made(error: errors.InterfaceError, ident: str) -> None:
    assert type(error) is not errors.InterfaceError
    assert error.operation == ident
    assert "canary" not in f"{error} {error.text}"


def _assert_readable(record: object) -> None:
    """Every property of a record can be read."""
    for name in dir(type(record)):
        if isinstance(getattr(type(record), name), property):
            getattr(record, name)


@pytest.mark.parametrize("ident", ["S19", "S21"])
def test_info_is_read_from_json_or_from_headers_alone(ident: str) -> None:
    storage = StorageInterface(BASE, Token("canary"))
    call = storage.objects.info if ident == "S19" else storage.objects.info_public
    with responses.RequestsMock() as mock:
        mock.add(
            "GET",
            re.compile(".*"),
            json={"name": "a/b.txt", "size": 3, "last_modified": "2026-11-20T10:36:10.093Z", "metadata": {"a": 1}},
        )
        assert (call("b", "a/b.txt").size, call("b", "a/b.txt").metadata) == (3, {"a": 1})
    with responses.RequestsMock() as mock:
        mock.add(
            "GET", re.compile(".*"), body=b"", content_type="image/png", headers={"ETag": '"e"', "Cache-Control": "no-cache"}
        )
        info = call("b", "a/b.txt")
    assert (info.name, info.content_type, info.etag, info.cache_control, info.id) == (
        "a/b.txt",
        "image/png",
        '"e"',
        "no-cache",
        None,
    )
