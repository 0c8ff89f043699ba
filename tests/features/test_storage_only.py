"""Where only storage is configured, no page speaks of projects: there are none."""

import re

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from dashboard.features.file_requests.models import FileRequest
from dashboard.journal.models import Entry
from dashboard.links.models import Share
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Grant, Kind, StoredToken
from tests.conftest import Sandbox
from tests.features.test_leaks import REF, addresses, values
from tests.markup import parse
from tests.pages import htmx

__all__ = ["values"]

SHARED, BUCKET = "shared", "public-assets"
TRACKING = "ktmvqhzwrbnxpgaydcle"
# The switches of the sandbox, and a page of projects to which nothing leads.
LEFT_OUT = {"trial", "network"}


@pytest.mark.exhaustive
def test_no_page_of_a_single_storage_speaks_of_projects(
    owner: Person, values: dict[str, str], service: Sandbox, settings: Settings
) -> None:
    settings.MANAGEMENT_URL = ""
    settings.STORAGE_URL = settings.STORAGE_PUBLIC_URL = service.storage(TRACKING)
    settings.STORAGE_AUTHORIZATION = "header"
    StoredToken.objects.all().delete()
    token = store(owner, Kind.STORAGE, SHARED, service.storage_tokens[TRACKING]["service"])
    Grant.objects.update(space=SHARED, place=SHARED, token=token.fingerprint)
    Share.objects.update(space=SHARED, bucket=BUCKET)
    FileRequest.objects.update(space=SHARED, bucket=BUCKET, token=token.fingerprint)
    Entry.objects.update(place=SHARED)
    client = Client()
    client.force_login(owner)
    found, seen = [], 0
    for name, path in addresses({**values, "space": SHARED, "bucket": BUCKET}):
        if name.partition(":")[0] in LEFT_OUT or REF in path:
            continue
        for headers in ({}, htmx("dialog")):
            answer = client.get(path, {"key": "a.txt"}, headers=headers)
            if answer.status_code != 200 or not answer.get("Content-Type", "").startswith("text/html") or answer.streaming:
                continue
            seen += 1
            text = parse(answer.content.decode()).root.text
            found += [f"{name}: {words}" for words in re.findall(r".{0,60}\b[Pp]rojects?\b.{0,40}", text)]
    assert seen > 40
    assert sorted(set(found)) == []
