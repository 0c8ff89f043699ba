"""Other origins: no answer lets them read it."""

import pytest

from dashboard.team.models import Person
from tests.pages import PageClient
from tests.people import client_of


@pytest.mark.parametrize(
    "path", ["/", "/people/", "/journal/", "/account/", "/account/login/", "/healthz", "/readyz", "/nowhere/"]
)
@pytest.mark.parametrize("method", ["get", "options"])
def test_no_answer_allows_another_origin_and_text_names_its_charset(
    visitor: PageClient, owner: Person, path: str, method: str
) -> None:
    for client in (visitor, client_of(owner)):
        answer = getattr(client, method)(path, headers={"origin": "https://evil.example"})
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
        if answer.content:
            assert answer["Content-Type"].endswith("charset=utf-8")
