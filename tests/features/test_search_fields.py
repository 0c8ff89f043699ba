"""No search field looks for more than 20 words or 1,000 characters, wherever it stands."""

import re
from html import unescape

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.team.models import Person
from tests.features.test_every_address import service
from tests.features.test_leaks import QUERY, addresses, everything, values
from tests.interfaces import servers

__all__ = ["service", "values"]

pytestmark = pytest.mark.one_database

WORDS = " ".join(f"word{number}" for number in range(800))
TOO_MUCH = "A search can have 20 words and 1,000 characters at most."


def searched(text: str) -> list[str]:
    """What the search fields of a page hold."""
    fields = [each for each in re.findall(r"<input[^>]*>", text) if 'type="search"' in each and "name=" in each]
    return [unescape(found[1]) if (found := re.search(r'value="([^"]*)"', each)) else "" for each in fields]


@pytest.mark.exhaustive
def test_every_search_field_is_cut_or_says_what_is_too_much(
    owner: Person, values: dict[str, str], service: servers.Server
) -> None:
    assert service.address
    client = Client()
    client.force_login(owner)
    fields = 0
    for name, path in addresses(values):
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(path, {**QUERY, "q": WORDS, "search": WORDS})
            page = everything(answer) if isinstance(answer, HttpResponse) and answer.status_code == 200 else ""
        assert not [query["sql"] for query in asked if query["sql"].count("word") > 500], name
        if TOO_MUCH not in unescape(page):
            typed = searched(page)
            assert all(len(text.split()) <= 20 for text in typed), name
            fields += sum("word19" in text for text in typed)
    assert fields > 8
