import logging
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from pytest_django import Settings

from dashboard.tokens.models import StoredToken
from tests.conftest import Sandbox
from tests.pages import PageClient


def everything_in_the_database() -> Iterator[str]:
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            for row in cursor.fetchall():
                yield from (f"{table}: {cell!r}" for cell in row)


def test_a_stored_token_is_nowhere_in_the_clear(
    as_owner: PageClient, service: Sandbox, ref: str, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    settings.DEBUG = False
    key = service.storage_tokens[ref]["service"]
    with caplog.at_level(logging.DEBUG):
        as_owner.post("/account/tokens/new/?kind=management", {"token": service.personal_token})
        as_owner.post(f"/account/tokens/new/?kind=storage&space={ref}", {"token": key})
        assert StoredToken.objects.count() == 2
        pages = [
            "/account/",
            "/journal/",
            "/people/",
            "/account/tokens/new/?kind=storage",
            *(f"/account/tokens/{row.pk}/replacement/" for row in StoredToken.objects.all()),
        ]
        shown = [as_owner.get(path).content.decode() for path in pages]
        settings.MANAGEMENT_URL = "http://127.0.0.1:9"
        shown.append(as_owner.get("/account/tokens/new/?kind=storage").content.decode())
    texts = [*shown, caplog.text, *everything_in_the_database(), str(dict(as_owner.session))]
    assert any("tokens_storedtoken" in text for text in texts)
    for text in texts:
        assert service.personal_token not in text
        assert key not in text


def test_a_stored_token_is_not_serialized(management_token: StoredToken) -> None:
    from django.core import serializers

    with pytest.raises(TypeError, match="sealed"):
        serializers.serialize("json", [management_token], cls=DjangoJSONEncoder)


def test_there_is_no_admin_site_to_look_into() -> None:
    assert not apps.is_installed("django.contrib.admin")
