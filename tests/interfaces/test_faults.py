"""What a service does that it should not, and what becomes of it."""

import gzip
import re
import resource
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dashboard.interfaces import Exchange, Timing, errors
from dashboard.interfaces.operations import OPERATIONS
from tests.interfaces import servers
from tests.interfaces.calls import CALLS, REF
from tests.interfaces.conftest import Connect

HTML = b"<html><body><h1>502 Bad Gateway</h1> secret of the proxy</body></html>"


@pytest.mark.parametrize("behaviour", [servers.cut, servers.reset, servers.garbage], ids=lambda each: each.__name__)
def test_a_read_that_is_cut_is_tried_again_and_then_broken(connect: Connect, behaviour: servers.Behave) -> None:
    with servers.serving(behaviour) as server:
        with pytest.raises(errors.Broken):
            connect(server.address)[0].projects.all()
        assert len(server.requests) == 3


@pytest.mark.parametrize("behaviour", [servers.cut, servers.reset, servers.garbage], ids=lambda each: each.__name__)
def test_a_write_that_is_cut_is_never_sent_twice(connect: Connect, behaviour: servers.Behave) -> None:
    with servers.serving(behaviour) as server:
        management, storage = connect(server.address)
        with pytest.raises(errors.UnknownOutcome):
            management.secrets.create(REF, {"A": "b"})
        with pytest.raises(errors.UnknownOutcome):
            storage.objects.upload("b", "k", b"bytes", content_type="text/plain")
        assert len(server.requests) == 2


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_read_is_tried_again_when_a_gateway_is_unwell(connect: Connect, exchanges: list[Exchange], status: int) -> None:
    sick = servers.answer(HTML, status=status, kind="text/html")
    with servers.serving(servers.in_turn(sick, sick, servers.answer(b"[]"))) as server:
        assert connect(server.address)[0].projects.all() == []
        assert len(server.requests) == 3
    assert [exchange.outcome for exchange in exchanges] == ["done"], "the observer hears of an operation once"


def test_a_read_that_only_posts_is_tried_again_too(connect: Connect) -> None:
    with servers.serving(servers.in_turn(servers.answer(b"", status=503), servers.answer(b"[]"))) as server:
        assert connect(server.address)[1].objects.all("b") == []


def test_a_plain_failure_is_not_tried_again(connect: Connect) -> None:
    with servers.serving(servers.refusal(500, "Internal server error", errorEventId="0f3c")) as server:
        with pytest.raises(errors.Broken) as caught:
            connect(server.address)[0].projects.all()
        assert len(server.requests) == 1
    assert (caught.value.status, caught.value.text) == (500, "Internal server error")


@pytest.mark.parametrize(("status", "kind"), [(502, errors.UnknownOutcome), (504, errors.UnknownOutcome), (503, errors.Broken)])
def test_a_gateway_that_gave_up_on_a_write_leaves_it_open(
    connect: Connect, status: int, kind: type[errors.InterfaceError]
) -> None:
    with servers.serving(servers.answer(HTML, status=status, kind="text/html")) as server:
        with pytest.raises(kind) as caught:
            connect(server.address)[0].organizations.create("Acme")
        assert len(server.requests) == 1
    assert caught.value.text == "", "a proxy's page is not the service's words"


def test_an_answer_that_breaks_off_after_ok_is_not_told_as_an_error_of_that_number(connect: Connect) -> None:
    with servers.serving(servers.ends_after(b"[", of=10)) as server, pytest.raises(errors.Broken) as caught:
        connect(server.address)[0].projects.all()
    assert (caught.value.status, str(caught.value)) == (200, "The management service broke off its answer.")


def test_a_short_wait_is_waited_for_by_reads_only(connect: Connect) -> None:
    wait = servers.answer(b'{"message":"Too Many"}', status=429, more="Retry-After: 0\r\n")
    with servers.serving(servers.in_turn(wait, servers.answer(b"[]"))) as server:
        assert connect(server.address)[0].projects.all() == []
    with servers.serving(wait) as server:
        with pytest.raises(errors.SlowDown):
            connect(server.address)[0].organizations.create("Acme")
        assert len(server.requests) == 1


def test_a_long_wait_is_told_not_waited_for(connect: Connect, exchanges: list[Exchange]) -> None:
    headers = "Retry-After: 40\r\nX-RateLimit-Remaining: 0\r\n"
    with servers.serving(servers.answer(b"{}", status=429, more=headers)) as server:
        with pytest.raises(errors.SlowDown) as caught:
            connect(server.address)[0].projects.all()
        assert len(server.requests) == 1
    assert caught.value.retry_after == 40
    assert (exchanges[0].outcome, exchanges[0].status, exchanges[0].retry_after, exchanges[0].remaining) == (
        "SlowDown",
        429,
        40,
        0,
    )


def test_the_observer_hears_what_is_left_of_the_rate(connect: Connect, exchanges: list[Exchange]) -> None:
    with servers.serving(servers.answer(b"[]", more="X-RateLimit-Remaining: 119\r\n")) as server:
        connect(server.address)[0].projects.all()
    assert (exchanges[0].operation, exchanges[0].status, exchanges[0].remaining) == ("M1", 200, 119)
    assert exchanges[0].duration_ms > 0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "application/json"),
        (HTML, "text/html"),
        (b'{"id": "x"}', "application/json"),
        (b'[{"id": "x"', "application/json"),
        (b"[NaN]", "application/json"),
        (b'[{"id": 1e999}]', "application/json"),
        (b"[" * 100_000 + b"]" * 100_000, "application/json"),
        (b'["\xff\xfe"]', "application/json"),
        (b'["\\ud800"]', "application/json"),
        (b"null", "application/json"),
    ],
)
def test_a_success_that_is_none_is_unexpected(connect: Connect, body: bytes, kind: str) -> None:
    with servers.serving(servers.answer(body, kind=kind)) as server, pytest.raises(errors.Unexpected) as caught:
        connect(server.address)[0].projects.all()
    assert caught.value.operation == "M1"


def test_the_missing_member_is_named(connect: Connect) -> None:
    body = b'[{"id":"a","organization_id":"o","name":"n","created_at":"2023"}]'
    with (
        servers.serving(servers.answer(body)) as server,
        pytest.raises(errors.Unexpected, match=re.escape("The answer lacks the member “[0].region”")),
    ):
        connect(server.address)[0].projects.all()


def test_a_member_of_another_type_is_named_without_its_value(connect: Connect) -> None:
    with (
        servers.serving(servers.answer(b'[{"id":"a","name":{"deep":"secret value"}}]')) as server,
        pytest.raises(errors.Unexpected) as caught,
    ):
        connect(server.address)[0].organizations.all()
    assert "name" in str(caught.value)
    assert "secret value" not in str(caught.value)


def test_unknown_members_and_unknown_states_are_fine(connect: Connect) -> None:
    body = b'{"id":"f","slug":"s","name":"n","status":"FROZEN","version":2,"created_at":1,"updated_at":2,"future":{"a":[1]}}'
    with servers.serving(servers.answer(body)) as server:
        function = connect(server.address)[0].functions.get(REF, "s")
    assert function.status == "FROZEN"
    assert not function.status.is_known


def test_a_redirect_is_not_followed(connect: Connect) -> None:
    with servers.serving(servers.answer(b"[]")) as elsewhere:
        to = servers.answer(b"x" * 100, status=302, more=f"Location: {elsewhere.address}/v1/projects\r\n")
        with servers.serving(to) as server, pytest.raises(errors.Unexpected):
            connect(server.address)[0].projects.all()
        assert elsewhere.requests == []


@pytest.mark.parametrize("behaviour", [servers.bomb, servers.huge], ids=lambda each: each.__name__)
def test_an_answer_without_end_is_given_up(connect: Connect, behaviour: servers.Behave) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with servers.serving(behaviour) as server, pytest.raises(errors.Unexpected, match=r"larger than 10\.5 MB"):
        connect(server.address, timing=Timing())[0].secrets.all(REF)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


@pytest.mark.exhaustive
def test_many_answers_without_end_do_not_add_up(connect: Connect) -> None:
    """Each of 32 may hold 32 MiB; what they hold together is bounded for the whole process."""
    bomb = servers.answer(gzip.compress(bytes(40 << 20)), more="Content-Encoding: gzip\r\n")
    with servers.serving(bomb) as server, ThreadPoolExecutor(32) as threads:
        projects = connect(server.address, timing=Timing(quick=120))[0].projects
        tracemalloc.start()
        try:
            refusals = [asked.exception() for asked in [threads.submit(projects.all) for _ in range(32)]]
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert {type(refusal) for refusal in refusals} == {errors.Unexpected}
    assert peak < 256 << 20


def test_large_answers_wait_for_one_another_and_all_are_read(connect: Connect) -> None:
    body = (
        b"["
        + b",".join([b'{"id":"a","organization_id":"b","name":"%s","region":"c","created_at":"d"}' % (b"x" * 1000)] * 2000)
        + b"]"
    )
    with servers.serving(servers.answer(body)) as server, ThreadPoolExecutor(16) as threads:
        projects = connect(server.address, timing=Timing())[0].projects
        found = [asked.result() for asked in [threads.submit(projects.all) for _ in range(24)]]
    assert [len(each) for each in found] == [2000] * 24


def test_compressed_json_is_read(connect: Connect) -> None:
    with servers.serving(servers.answer(gzip.compress(b"[]"), more="Content-Encoding: gzip\r\n")) as server:
        assert connect(server.address)[0].projects.all() == []
    with servers.serving(servers.answer(b"no gzip", more="Content-Encoding: gzip\r\n")) as server, pytest.raises(errors.Broken):
        connect(server.address)[0].projects.all()


def test_cookies_are_not_kept(connect: Connect) -> None:
    with servers.serving(servers.answer(b"[]", more="Set-Cookie: a=b; Path=/\r\n")) as server:
        management, _ = connect(server.address)
        management.projects.all()
        management.projects.all()
        assert server.connections == 1, "connections are pooled"
        assert all(b"ookie" not in request for request in server.requests)


def test_the_environment_steers_nothing(connect: Connect, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login intruder password word\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with servers.serving(servers.answer(b"[]")) as server:
        connect(server.address)[0].projects.all()
        assert b"Bearer canary" in server.requests[0]


def test_people_with_different_tokens_share_connections_and_nothing_else(connect: Connect) -> None:
    with servers.serving(servers.answer(b"[]")) as server:
        connect(server.address, token="first")[0].projects.all()
        connect(server.address, token="second")[0].projects.all()
        connect(server.address, token="third")[1].objects.read_public("b", "k").close()
        assert b"Bearer first" in server.requests[0]
        assert b"Bearer second" in server.requests[1]
        assert b"earer" not in server.requests[2]
        assert server.connections == 1


@pytest.mark.parametrize("ident", CALLS)
def test_an_answer_that_never_came_is_asked_for_again_only_where_nothing_changes(connect: Connect, ident: str) -> None:
    reads = OPERATIONS[ident].reads
    with servers.serving(servers.cut) as server:
        with pytest.raises(errors.Broken if reads else errors.UnknownOutcome) as caught:
            CALLS[ident].run(connect(server.address))
        assert len(server.requests) == (3 if reads else 1)
    assert caught.value.operation == ident
