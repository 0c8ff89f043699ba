"""What each refusal of the two services means: payloads as they were recorded, and payloads that nobody should send."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.interfaces import errors
from dashboard.interfaces.operations import OPERATIONS
from dashboard.interfaces.transport.failures import clean, failure_of, retry_after
from tests.credentials import CREDENTIALS

JSON = {"content-type": "application/json; charset=utf-8"}


def _failure(ident: str, status: int, payload: object, headers: dict[str, str] | None = None) -> errors.InterfaceError:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return failure_of(OPERATIONS[ident], status, JSON if headers is None else headers, body)


def _storage(status: object, error: str, message: str, **more: Any) -> dict[str, Any]:
    return {"statusCode": status, "error": error, "message": message, **more}


RLS = "new row violates row-level security policy"
EXPIRED = '"exp" claim timestamp check failed'
NO_HEADER = "headers must have required property 'authorization'"


@pytest.mark.parametrize(
    ("ident", "status", "payload", "kind", "counted"),
    [
        ("S2", 400, _storage("400", "Error", NO_HEADER, code="InvalidRequest"), errors.TokenRefused, 400),
        (
            "S2",
            400,
            _storage("400", "Error", "querystring must have required property 'authorization'"),
            errors.TokenRefused,
            400,
        ),
        ("S2", 400, _storage("403", "Unauthorized", "Invalid Compact JWS", code="AccessDenied"), errors.TokenRefused, 403),
        ("S9", 400, _storage("403", "Unauthorized", "signature verification failed"), errors.TokenRefused, 403),
        ("S9", 400, _storage("403", "Unauthorized", EXPIRED), errors.TokenRefused, 403),
        ("S9", 400, _storage("403", "Unauthorized", '"nbf" claim timestamp check failed'), errors.TokenRefused, 403),
        (
            "S9",
            400,
            _storage("403", "Unauthorized", '"alg" (Algorithm) Header Parameter value not allowed'),
            errors.TokenRefused,
            403,
        ),
        ("S2", 400, _storage("400", "Error", "jwt malformed"), errors.TokenRefused, 400),
        ("S2", 400, _storage("401", "Unauthorized", "jwt expired"), errors.TokenRefused, 401),
        ("S2", 401, {"message": "No API key found in request"}, errors.TokenRefused, 401),
        ("S9", 400, _storage("403", "Unauthorized", RLS, code="AccessDenied"), errors.NotAllowed, 403),
        ("S7", 400, _storage("403", "Unauthorized", "Access denied", code="AccessDenied"), errors.NotAllowed, 403),
        ("S3", 403, _storage("403", "Unauthorized", "Access denied: Invalid role", code="AccessDenied"), errors.NotAllowed, 403),
        ("S18", 400, _storage("404", "not_found", "Object not found", code="NoSuchKey"), errors.NotFound, 404),
        ("S18", 400, _storage(404, "not_found", "Object not found"), errors.NotFound, 404),
        ("S18", 400, _storage("404", "Not found", "The resource was not found"), errors.NotFound, 404),
        ("S4", 400, _storage("404", "Bucket not found", "Bucket not found"), errors.NotFound, 404),
        ("S11", 400, _storage("404", "InvalidRequest", "The related resource does not exist"), errors.NotFound, 404),
        ("S1", 400, _storage("409", "Duplicate", "The resource already exists"), errors.Conflict, 409),
        ("S6", 400, _storage("409", "ResourceNotEmpty", "The bucket you tried to delete is not empty"), errors.Conflict, 409),
        ("S6", 400, _storage("400", "Storage not empty", "Storage not empty"), errors.Conflict, 400),
        ("S9", 400, _storage("413", "Payload too large", "The object exceeded the maximum allowed size"), errors.TooLarge, 413),
        ("S9", 400, _storage("415", "invalid_mime_type", "mime type application/pdf is not supported"), errors.TooLarge, 415),
        ("S9", 400, _storage("423", "ResourceLocked", "locked"), errors.Conflict, 423),
        ("S9", 400, _storage("400", "InvalidKey", "Invalid key: ü.txt"), errors.Rejected, 400),
        ("S18", 416, _storage("416", "invalid_range", "invalid range provided"), errors.Rejected, 416),
        ("S16", 400, _storage("400", "InvalidJWT", EXPIRED), errors.NotAllowed, 400),
        ("S16", 400, _storage("400", "InvalidSignature", "Invalid signature"), errors.NotAllowed, 400),
        ("S2", 500, _storage("500", "DatabaseError", "database error, code: 22023"), errors.Broken, 500),
        ("S2", 544, _storage("544", "DatabaseTimeout", "The connection to the database timed out"), errors.TimedOut, 544),
        ("S9", 544, _storage("544", "DatabaseTimeout", "The connection to the database timed out"), errors.UnknownOutcome, 544),
        ("S2", 404, {"message": "Route GET:/nope not found", "error": "Not Found", "statusCode": 404}, errors.Unexpected, 404),
        ("S2", 404, b"<html>nginx</html>", errors.Unexpected, 404),
        ("S2", 400, _storage("999", "x", "y"), errors.Rejected, 400),
        ("S2", 400, _storage(True, "x", "y"), errors.Rejected, 400),
        ("S2", 400, _storage(None, "x", "y"), errors.Rejected, 400),
        ("M1", 401, {"message": "Unauthorized"}, errors.TokenRefused, 401),
        ("M5", 403, {"message": "Forbidden resource"}, errors.NotAllowed, 403),
        ("M9", 402, {"message": "Maximum number of functions reached for Plan"}, errors.NotAllowed, 402),
        ("M5", 404, {"message": "Project not found"}, errors.NotFound, 404),
        ("M11", 404, b"", errors.NotFound, 404),
        ("M5", 404, {"message": "Cannot GET /v1/projects/x/secrets"}, errors.Unexpected, 404),
        ("M5", 404, b"<html>", errors.Unexpected, 404),
        ("M5", 400, {"message": "Resource has been removed"}, errors.NotFound, 400),
        ("M15", 400, {"message": "No custom hostname configuration found."}, errors.NotFound, 400),
        ("M16", 400, {"message": "Custom hostname not configured for project"}, errors.NotFound, 400),
        ("M17", 400, {"message": "Please enable the Custom Domain add-on for the project first."}, errors.Rejected, 400),
        ("M17", 544, {"message": "Delete the custom hostname associated with your project before …"}, errors.Conflict, 544),
        ("M18", 400, {"message": "Project is not pending custom hostname verification."}, errors.Conflict, 400),
        ("M18", 400, {"message": "Verification has been completed, please proceed to activation."}, errors.Conflict, 400),
        ("M19", 400, {"message": "Verification has not been completed."}, errors.Conflict, 400),
        ("M19", 400, {"message": "Custom hostname has already been activated."}, errors.Conflict, 400),
        ("M9", 400, {"message": "Duplicated function slug"}, errors.Conflict, 400),
        ("M6", 400, {"message": "Secret name must not start with the SUPABASE_ prefix."}, errors.Rejected, 400),
        ("M6", 400, {"statusCode": "404", "message": "its body has no say here"}, errors.Rejected, 400),
        ("M24", 540, {"message": "Project is paused"}, errors.Paused, 540),
        ("M24", 544, {"message": "timeout"}, errors.TimedOut, 544),
        ("M6", 504, b"upstream request timeout", errors.UnknownOutcome, 504),
        ("M8", 504, b"upstream request timeout", errors.TimedOut, 504),
        ("M1", 304, b"", errors.Unexpected, 304),
        ("M1", 418, b"", errors.Rejected, 418),
        ("M1", 500, b"\xff\xfe", errors.Broken, 500),
        ("M1", 500, b"[" * 100_000, errors.Broken, 500),
    ],
)
def test_a_refusal_means(ident: str, status: int, payload: object, kind: type[errors.InterfaceError], counted: int) -> None:
    failure = _failure(ident, status, payload)
    assert type(failure) is kind
    assert failure.status == counted
    assert failure.operation == ident
    if isinstance(payload, dict):
        assert failure.text == payload["message"]


def test_the_words_are_the_services_own_and_short() -> None:
    failure = _failure("M1", 400, {"message": "line one\nline\ttwo \x00" + "x" * 500})
    assert failure.text.startswith("line one line two xxx")
    assert len(failure.text) == 300
    assert _failure("M1", 400, {"message": ["a: wrong", "b: missing", 5]}).text == "a: wrong; b: missing"
    assert _failure("M1", 400, {"error": "only this"}).text == "only this"
    assert _failure("M1", 400, {"message": {"deep": 1}}).text == ""
    assert _failure("M8", 504, b"upstream request timeout", {"content-type": "text/plain"}).text == "upstream request timeout"
    assert _failure("M8", 502, b"<h1>proxy</h1>", {"content-type": "text/html"}).text == ""


@pytest.mark.parametrize("text", CREDENTIALS)
def test_credentials_are_taken_out_of_the_words(text: str) -> None:
    cleaned = clean(text)
    assert "••••" in cleaned
    assert not any(secret in cleaned for secret in ("hunter2", "eyJhbGci", "0123456789abcdef"))


def test_ordinary_words_are_left_alone() -> None:
    text = "The bearer of bad news: Invalid key: token.txt, headers must have required property 'authorization'"
    assert clean("Invalid key: token.txt") == "Invalid key: token.txt"
    assert "required property 'authorization'" in clean(text)


NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "86400"}, 60),
        ({"retry-after": "-5"}, 5),
        ({"retry-after": "soon"}, 5),
        ({"retry-after": "9" * 400}, 5),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=20)), "date": format_datetime(NOW)}, 20),
        ({"retry-after": format_datetime(NOW + timedelta(hours=1)), "date": format_datetime(NOW)}, 60),
        ({"retry-after": format_datetime(NOW - timedelta(hours=1)), "date": format_datetime(NOW)}, 5),
        ({"retry-after": format_datetime(NOW), "date": "garbage"}, 5),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:00 -0000", "date": format_datetime(NOW)}, 5),
        ({"x-ratelimit-reset": "33", "x-ratelimit-remaining": "0"}, 33),
        ({"x-ratelimit-reset": "33", "x-ratelimit-remaining": "5"}, None),
        ({"x-ratelimit-reset": "x", "x-ratelimit-remaining": "0"}, None),
    ],
)
def test_the_wait_is_read_and_kept_within_reason(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_slow_down_always_names_a_wait() -> None:
    assert _failure("M1", 429, {"message": "ThrottlerException: Too Many Requests"}).retry_after == 5
    assert _failure("S2", 400, _storage("429", "SlowDown", "too_many_connections")).retry_after == 5


@given(
    status=st.integers(300, 999),
    body=st.binary(max_size=200)
    | st.recursive(
        st.none() | st.text() | st.integers() | st.booleans(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["message", "error", "statusCode", "msg", "code", "x"]), inner)
        ),
        max_leaves=6,
    ).map(lambda value: json.dumps(value).encode()),
    headers=st.dictionaries(
        st.sampled_from(["content-type", "retry-after", "x-ratelimit-reset", "x-ratelimit-remaining", "date"]),
        st.text(max_size=30),
    ),
    ident=st.sampled_from(list(OPERATIONS)),
)
def test_every_answer_becomes_an_interface_error(status: int, body: bytes, headers: dict[str, str], ident: str) -> None:
    failure = failure_of(OPERATIONS[ident], status, headers, body)
    assert isinstance(failure, errors.InterfaceError)
    assert len(failure.text) <= 300
    assert failure.retry_after is None or 0 <= failure.retry_after <= 60


def test_every_failure_says_what_became_of_a_write() -> None:
    failures: list[type[errors.InterfaceError]] = [errors.InterfaceError, *every_failure(errors.InterfaceError)]
    effects = {failure.__name__: failure.effect for failure in failures}
    assert {name for name, effect in effects.items() if effect == errors.Effect.UNKNOWN} == {
        "InterfaceError",
        "UnknownOutcome",
        "Broken",
        "Paused",
        "Unexpected",
    }
    assert {name for name, effect in effects.items() if effect == errors.Effect.NOT_SENT} == {
        "Unreachable",
        "Crowded",
        "TimedOut",
        "NameRefused",
    }


def every_failure(root: type[errors.InterfaceError]) -> list[type[errors.InterfaceError]]:
    children = [child for child in root.__subclasses__() if child.__module__ == errors.__name__]
    return [descendant for child in children for descendant in (child, *every_failure(child))]
