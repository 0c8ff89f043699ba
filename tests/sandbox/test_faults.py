"""Each kind of fault, and what is refused when one is set wrongly."""

import io
import time
from threading import Thread

import pytest
import requests
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest

from dashboard.sandbox import faults
from tests.sandbox.conftest import TRACKING, Caller, message


def fault(owner: Caller, **members: object) -> None:
    assert owner("POST", "/_faults", json=members).status_code == 201


def objects(owner: Caller) -> tuple[str, dict[str, str]]:
    token = owner.sandbox.storage_tokens[TRACKING]["service"]
    return owner.sandbox.storage(TRACKING), {"Authorization": f"Bearer {token}"}


def test_too_many_requests_with_the_time_to_wait(owner: Caller) -> None:
    fault(owner, operation="M1", status=429, retry_after=7)
    answer = owner("GET", "/v1/projects")
    assert message(answer) == (429, "ThrottlerException: Too Many Requests")
    assert answer.headers["Retry-After"] == "7"
    assert owner("GET", "/v1/organizations").status_code == 200


def test_a_server_error_in_the_form_of_each_interface(owner: Caller) -> None:
    fault(owner, operation="*", status=503)
    assert message(owner("GET", "/v1/projects"))[0] == 503
    url, headers = objects(owner)
    answer = requests.get(url + "/bucket/", headers=headers, timeout=5)
    assert (answer.status_code, answer.json()["statusCode"]) == (503, "503")


def test_a_refused_upload_is_read_to_its_end_so_that_the_refusal_arrives(owner: Caller) -> None:
    fault(owner, operation="S9", status=429)
    url, headers = objects(owner)
    with requests.Session() as session:
        for size in (1 << 20, 30 << 20, 3, 30 << 20):
            answer = session.post(f"{url}/object/handbook/refused", data=bytes(size), headers=headers, timeout=20)
            assert answer.status_code == 429
        assert session.post(f"{url}/object/handbook/refused", data=bytes(30 << 20), timeout=20).status_code in {400, 429}


def test_a_delay(owner: Caller) -> None:
    fault(owner, operation="M3", delay=0.4)
    started = time.monotonic()
    assert owner("GET", "/v1/organizations").status_code == 200
    assert time.monotonic() - started >= 0.4


def test_a_cut_before_does_nothing_and_a_cut_after_has_done_it(owner: Caller) -> None:
    ref = owner.new_project()
    for cut, names in (("before", []), ("after", ["SENT"])):
        fault(owner, operation="M6", cut=cut)
        with pytest.raises(requests.ConnectionError):
            owner.project("POST", ref, "/secrets", json=[{"name": "SENT", "value": "x"}])
        assert [secret["name"] for secret in owner.project("GET", ref, "/secrets").json()] == names


def test_clearing_waits_for_a_late_write_whose_connection_was_closed_a_moment_ago(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    happened: list[str] = []

    def clear() -> None:
        faults.clear()
        happened.append("cleared")

    clearing = Thread(target=clear)

    def hang_up(_request: HttpRequest) -> None:
        """The other side is so quick that clearing has begun before this returns."""
        with faults._late:
            before = faults._late_requests["cleared"]
            clearing.start()
            faults._late.wait_for(lambda: faults._late_requests["cleared"] > before, 20)

    monkeypatch.setattr(faults, "hang_up", hang_up)
    monkeypatch.setattr(faults, "LATEST", 1)
    with faults.late(WSGIRequest({"REQUEST_METHOD": "POST", "wsgi.input": io.BytesIO()})):
        happened.append("carried out")
    clearing.join(20)
    assert happened == ["carried out", "cleared"]


def test_a_late_write_is_done_when_its_fault_is_cleared(owner: Caller) -> None:
    ref = owner.new_project()
    fault(owner, operation="M6", late=True)
    with pytest.raises(requests.ConnectionError):
        owner.project("POST", ref, "/secrets", json=[{"name": "SENT", "value": "x"}])
    assert owner.project("GET", ref, "/secrets").json() == []
    owner("DELETE", "/_faults")
    assert [secret["name"] for secret in owner.project("GET", ref, "/secrets").json()] == ["SENT"]


def test_a_cut_in_the_middle_of_json_and_of_bytes(owner: Caller) -> None:
    fault(owner, operation="*", cut="mid")
    with pytest.raises(requests.RequestException):
        owner("GET", "/v1/projects")
    url, headers = objects(owner)
    got: list[bytes] = []
    path = "/object/authenticated/handbook/welcome/english.txt"
    with requests.get(url + path, headers=headers, stream=True, timeout=5) as answer:
        with pytest.raises(requests.RequestException):
            got.extend(answer.iter_content(16))
        assert 0 < len(b"".join(got)) < int(answer.headers["Content-Length"])


def test_a_page_instead_of_json_and_nothing_at_all(owner: Caller) -> None:
    fault(owner, operation="M1", html=True)
    answer = owner("GET", "/v1/projects")
    assert (answer.status_code, answer.headers["Content-Type"]) == (502, "text/html")
    fault(owner, operation="M1", empty=True)
    assert (owner("GET", "/v1/projects").status_code, owner("GET", "/v1/projects").content) == (200, b"")


def test_it_strikes_as_often_as_told(owner: Caller) -> None:
    fault(owner, operation="M3", status=500, times=2)
    assert [owner("GET", "/v1/organizations").status_code for _ in range(4)] == [500, 500, 200, 200]
    fault(owner, operation="M3", status=500, rate=0)
    assert owner("GET", "/v1/organizations").status_code == 200


def test_faults_are_listed_and_cleared(owner: Caller) -> None:
    fault(owner, operation="M3", status=500)
    fault(owner, operation="S9", cut="mid")
    assert [one["operation"] for one in owner("GET", "/_faults").json()] == ["M3", "S9"]
    assert [one["operation"] for one in owner("DELETE", "/_faults?operation=M3").json()] == ["S9"]
    assert owner("DELETE", "/_faults").json() == []
    assert owner("GET", "/v1/organizations").status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"operation": "M99", "status": 500},
        {"operation": "_keys", "status": 500},
        {"operation": "M1", "status": 200},
        {"operation": "M1", "cut": "sometimes"},
        {"operation": "M1", "colour": "red"},
        {"operation": "M1", "rate": 2},
        ["M1"],
    ],
)
def test_a_wrong_fault_is_refused(owner: Caller, body: object) -> None:
    assert owner("POST", "/_faults", json=body).status_code == 400
    assert owner("GET", "/_faults").json() == []
