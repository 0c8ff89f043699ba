"""Signed links are as good as the objects: they stand sealed, for one person, until they end."""

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from dashboard.features.sharing.models import LinkBatch, LinkSet
from dashboard.jobs import transitions
from dashboard.jobs.worker import sweep
from dashboard.links.models import RawLink
from tests.features.sharing.conftest import Desk
from tests.features.sharing.signing import address, job_of, output, prepared, signed, through
from tests.pages import PageClient


def test_no_link_stands_in_clear_in_the_database(desk: Desk) -> None:
    desk.put("a.txt", "b/c.txt")
    links = signed(desk, prepared(desk, keys="a.txt\nb/c.txt"))
    tokens = [line.partition("token=")[2] for line in output(desk, links, "lines").split()]
    assert len(tokens) == 2
    assert not leaked(tokens)


def test_a_job_leaves_no_link_in_clear_either(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    desk.put("a.txt")
    links = prepared(desk, keys="\n".join(["a.txt", *(f"none/{number}" for number in range(1000))]))
    job = through(job_of(links))
    assert transitions.apply(job)
    through(job)
    links.refresh_from_db()
    tokens = [line.partition("token=")[2] for line in output(desk, links, "lines").split()]
    assert len(tokens) == 1
    assert not leaked(tokens)
    assert tokens[0] not in caplog.text
    for answer in (desk.client.get(address(desk, "signed", links.pk)), desk.client.get(reverse("jobs:show", args=(job.pk,)))):
        assert tokens[0] not in f"{answer.headers}{answer.text}"
        assert "token=" not in answer.text


def test_only_the_owner_sees_them_and_only_until_their_end(desk: Desk, as_ada: PageClient) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt"))
    batch = LinkBatch.objects.get()
    assert "token" not in batch.sealed.stored()
    for name in ("signed", "output"):
        more = ("csv",) if name == "output" else ()
        assert as_ada.get(address(desk, name, links.pk, *more)).status_code in {403, 404}
    LinkSet.objects.update(keeps_until=timezone.now())
    assert desk.client.get(address(desk, "output", links.pk, "csv")).status_code == 404
    sweep()
    assert not LinkSet.objects.exists()
    assert not LinkBatch.objects.exists()


def test_forgetting_takes_our_copy_away(desk: Desk) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt"))
    assert desk.client.post(address(desk, "forgetting", links.pk)).status_code == 303
    assert not LinkSet.objects.exists()
    assert RawLink.objects.get().count == 1


def leaked(tokens: list[str]) -> list[str]:
    """Every column of every table that holds one of them."""
    found = []
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{name}"')
            found += [name for row in cursor.fetchall() if any(token in str(row) for token in tokens)]
    return found
