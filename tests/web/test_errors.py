"""Failures, caught once."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from dashboard.features.patterns.records import KINDS
from dashboard.interfaces import errors
from dashboard.web.failures.problems import problem_of
from tests.pages import PageClient, check, htmx

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.web.urls")]

# How a failed read and a failed write are answered: by what became of our page and of the write.
STATUSES = {
    "unreachable": (200, 422),
    "crowded": (200, 422),
    "timed-out": (200, 422),
    "unknown-outcome": (200, 200),
    "token-refused": (200, 422),
    "not-allowed": (200, 422),
    "not-found": (404, 422),
    "conflict": (200, 422),
    "rejected": (200, 422),
    "too-large": (200, 422),
    "slow-down": (200, 422),
    "broken": (200, 200),
    "unexpected": (200, 200),
    "missing": (404, 404),
    "forbidden": (403, 403),
    "management-token": (200, 403),
    "storage-token": (200, 403),
    "busy": (503, 503),
}


def test_every_failure_of_the_interfaces_is_known() -> None:
    assert set(KINDS) <= set(STATUSES)


@pytest.mark.parametrize("kind", STATUSES)
def test_a_page_is_answered_by_what_became_of_it_and_not_of_the_service(signed_in: PageClient, kind: str) -> None:
    answer = signed_in.get(f"/fail/{kind}/")
    assert answer.status_code == STATUSES[kind][0]
    assert ("Technical details" in answer.content.decode()) == (not kind.endswith("-token"))


@pytest.mark.parametrize("kind", STATUSES)
def test_a_refused_write_is_422_and_an_unknown_one_200(signed_in: PageClient, kind: str) -> None:
    assert signed_in.post(f"/fail/{kind}/").status_code == STATUSES[kind][1]


@pytest.mark.parametrize("kind", STATUSES)
def test_a_problem_carries_its_class(signed_in: PageClient, kind: str) -> None:
    own = {"missing": "NotFound", "forbidden": "Forbidden", "management-token": "TokenMissing", "storage-token": "TokenMissing"}
    expected = own.get(kind) or (KINDS[kind].__name__ if kind in KINDS else "Busy")
    for answer in (signed_in.get(f"/fail/{kind}/"), signed_in.part(f"/fail/{kind}/", "list"), signed_in.send(f"/fail/{kind}/")):
        assert answer["X-Problem"] == expected


def test_a_file_that_can_not_be_read_keeps_the_status_of_the_service(signed_in: PageClient) -> None:
    assert signed_in.get("/file/broken/").status_code == 502
    assert signed_in.get("/file/not-found/").status_code == 404
    assert signed_in.part("/file/broken/", "dialog").status_code == 200


@pytest.mark.parametrize("kind", STATUSES)
def test_it_is_a_card_where_a_part_was_to_be_filled(signed_in: PageClient, kind: str) -> None:
    answer = signed_in.part(f"/fail/{kind}/", "bucket-list")
    text = answer.content.decode()
    assert answer.status_code == STATUSES[kind][0]
    assert "<html" not in text
    assert answer["HX-Reswap"] == "innerHTML"
    assert "problem__result" in text
    assert "#notices" not in text, "it is told once"


@pytest.mark.parametrize("kind", STATUSES)
def test_it_fills_a_dialog_that_is_opening(signed_in: PageClient, kind: str) -> None:
    text = signed_in.part(f"/fail/{kind}/", "dialog").content.decode()
    assert 'id="dialog-title"' in text
    assert "problem__result" in text


@pytest.mark.parametrize("kind", STATUSES)
def test_it_is_an_alert_in_a_dialog_that_is_open(signed_in: PageClient, kind: str) -> None:
    answer = signed_in.send(f"/fail/{kind}/")
    assert answer.status_code == STATUSES[kind][1]
    assert answer["HX-Retarget"] == "#dialog-alert"
    assert 'role="alert"' in answer.content.decode()


@pytest.mark.parametrize("kind", STATUSES)
def test_it_fills_a_dialog_that_a_post_was_to_open(signed_in: PageClient, kind: str) -> None:
    answer = signed_in.post(f"/fail/{kind}/", headers={**htmx("dialog"), "X-Dialog": "closed"})
    assert "HX-Retarget" not in answer
    assert 'id="dialog-title"' in answer.content.decode()


def test_an_act_outside_a_dialog_leaves_the_page_as_it_is(signed_in: PageClient) -> None:
    answer = signed_in.send("/fail/broken/", target="row-3")
    assert answer["HX-Reswap"] == "none"
    assert "The service failed" in answer.content.decode()


def test_the_card_keeps_its_order(signed_in: PageClient) -> None:
    text = signed_in.get("/fail/conflict/").content.decode()
    parts = ["problem__tried", "problem__result", "problem__said", "problem__cause", "problem__technical"]
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    assert "We tried to create the bucket." in text
    assert "S1 · storage" in text
    assert re.search(r"data-copy=\"Operation: S1 · storage\nResult: Conflict\nStatus: 409", text)


def test_a_fragment_can_be_tried_again_in_its_place(signed_in: PageClient) -> None:
    text = signed_in.part("/fail/unreachable/?sort=name", "bucket-list").content.decode()
    assert 'hx-get="/fail/unreachable/?sort=name" hx-target="#bucket-list"' in text


def test_a_strange_target_is_not_repeated(signed_in: PageClient) -> None:
    answer = signed_in.get("/fail/broken/", headers=htmx('x"><b>'))
    assert 'x"' not in answer.content.decode()


@pytest.mark.parametrize("kind", ["slow-down", "crowded", "unreachable"])
def test_a_service_that_names_a_time_is_quoted_with_it(signed_in: PageClient, kind: str) -> None:
    answer = signed_in.get(f"/fail/{kind}/")
    assert 25 <= int(answer["Retry-After"]) <= 31
    assert re.search(r"(?:Next try|Try again) <time[^>]*>in (?:[23]\d) s</time>\.", answer.content.decode())


def test_what_a_wait_can_not_mend_names_no_time(signed_in: PageClient) -> None:
    assert "Retry-After" not in signed_in.get("/fail/unknown-outcome/")
    assert "Retry-After" not in signed_in.get("/fail/not-allowed/")


def test_a_taken_place_says_when(signed_in: PageClient) -> None:
    assert signed_in.get("/fail/busy/")["Retry-After"] == "2"


def test_an_unknown_outcome_claims_nothing(signed_in: PageClient) -> None:
    assert "but not whether this was done" in signed_in.get("/fail/unknown-outcome/").content.decode()


@pytest.mark.parametrize("kind", ["token-refused", "not-allowed"])
def test_a_refused_token_leads_to_the_tokens(signed_in: PageClient, kind: str) -> None:
    assert f'href="{reverse("account:tokens")}">Go to your tokens</a>' in signed_in.get(f"/fail/{kind}/").content.decode()


def test_a_missing_token_is_an_invitation(signed_in: PageClient) -> None:
    text = signed_in.get("/fail/storage-token/").content.decode()
    assert "No storage token for billing yet" in text
    assert "kind=storage&amp;space=billing" in text


def test_who_is_not_allowed_learns_why(signed_in: PageClient) -> None:
    assert "Only owners may do this." in signed_in.get("/fail/forbidden/").content.decode()


def test_an_address_that_leads_nowhere_is_ours_too(signed_in: PageClient, visitor: PageClient) -> None:
    for client in (signed_in, visitor):
        answer = client.get("/no/such/thing/")
        assert answer.status_code == 404
        assert "Page not found" in answer.content.decode()


def test_a_mistake_of_ours_is_a_calm_page(ada: object) -> None:
    client = PageClient(raise_request_exception=False)
    answer = client.get("/fail/crash/")
    assert answer.status_code == 500
    assert answer["X-Request-ID"] in answer.content.decode()


def test_a_mistake_of_ours_in_a_part_is_a_notice(ada: object) -> None:
    client = PageClient(raise_request_exception=False)
    answer = client.part("/fail/crash/", "bucket-list")
    assert answer.status_code == 500
    assert answer["HX-Reswap"] == "none"


def test_a_database_that_is_full_or_away_is_named_without_its_words(ada: object) -> None:
    client = PageClient(raise_request_exception=False)
    for answer in (client.get("/fail/database/"), client.part("/fail/database/", "bucket-list")):
        assert answer.status_code == 503
        assert "can&#x27;t use its own database" in answer.content.decode()
        assert "disk is full" not in answer.content.decode()


def test_a_stale_form_is_explained(ada: object) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/add/", {"name": "x"})
    assert answer.status_code == 403
    check(answer.content.decode())
    assert "This form is out of date" in answer.content.decode()


def test_a_request_for_a_strange_host_is_refused(visitor: PageClient) -> None:
    answer = visitor.get("/patterns/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "can&#x27;t read this request" in answer.content.decode()


def test_an_expired_session_never_nests_the_sign_in_page(visitor: PageClient) -> None:
    answer = visitor.get("/patterns/list/", headers=htmx("pattern-list", "http://testserver/patterns/?q=a"))
    assert answer.status_code == 200
    assert answer["HX-Redirect"] == "/account/login/?next=%2Fpatterns%2F%3Fq%3Da"
    assert answer["X-Problem"] == "SignedOut"
    assert answer.content == b""


def test_an_expired_session_does_not_lead_off_the_site(visitor: PageClient) -> None:
    answer = visitor.get("/patterns/list/", headers=htmx("pattern-list", "http://evil.example/x"))
    assert answer["HX-Redirect"] == "/account/login/?next=%2F"


@pytest.mark.parametrize(
    ("text", "status", "shown"),
    [
        ("ThrottlerException: Too Many Requests", 429, ""),
        ("Too many requests.", 429, ""),
        ("ThrottlerException: Wait for the export to end", 429, "Wait for the export to end"),
        ("Error: no", 429, "Error: no"),
        ("Bucket: photos", 429, "Bucket: photos"),
    ],
)
def test_the_service_is_quoted_without_names_of_classes_and_only_if_it_says_more(text: str, status: int, shown: str) -> None:
    assert problem_of(errors.SlowDown(operation="M1", service="management", status=status, text=text)).words == shown
