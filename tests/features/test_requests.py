""" "Show request": every form and review that writes shows its requests as curl, with placeholders and nothing secret."""

import importlib
import re
import shlex

import pytest
from django.urls import resolve

from dashboard.interfaces.examples import example
from dashboard.interfaces.operations import OPERATIONS
from dashboard.team.models import Person
from tests.features.test_calls import REF
from tests.features.test_frames import QUERY, pages
from tests.operations import operations
from tests.pages import PageClient
from tests.people import hold
from tests.sandboxes import Sandbox

pytestmark = pytest.mark.one_database

# Forms for people from outside show nothing of the service.
OUTSIDE = {"dashboard/features/file_requests/views/sender.py upload"}
# They begin a new review, whose own address says what it sends.
ANEW = {
    "dashboard/features/encryption/views.py replace_anew",
    "dashboard/features/network/views/review.py apply_anew",
}
WRITES = [operation for operation in OPERATIONS.values() if not operation.reads]


def sent_by(place: str) -> tuple[str, ...]:
    """What a view says that it sends; `place` is a path and a name of tests.operations."""
    path, name = place.split(" ")
    view = getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)
    return tuple(getattr(view, "sends", ()))


def test_every_view_that_reaches_a_write_says_what_it_sends() -> None:
    reached: dict[str, set[str]] = {}
    for found in operations():
        if not OPERATIONS[found.id].reads:
            for place in found.views:
                reached.setdefault(place, set()).add(found.id)
    assert len(reached) > 30
    assert {place: ids for place, ids in reached.items() if not ids & set(sent_by(place))}.keys() == OUTSIDE | ANEW


@pytest.mark.parametrize("operation", WRITES, ids=lambda operation: operation.id)
def test_a_request_is_what_the_interface_method_sends(operation: object) -> None:
    ident, method, template = operation.id, operation.method, operation.path  # type: ignore[attr-defined] # an Operation
    curl = example(ident, {"ref": "abcd"}).curl
    words = shlex.split(curl)
    assert words[:3] == ["curl", "-X", method]
    pattern = re.sub(r"\\\{\w+\\\}", "[^/?]+", re.escape(template))
    assert re.fullmatch(rf"\$(MANAGEMENT|STORAGE)_URL{pattern}(\?.*)?", words[3]), words[3]
    assert "Authorization: Bearer $TOKEN" in words


def test_names_in_the_address_are_quoted_for_the_shell() -> None:
    words = shlex.split(example("S8", {"bucket": "a'b $(id) ü"}).curl)
    assert words[3].startswith("$STORAGE_URL/object/a'b%20$(id)%20")


def test_every_form_that_writes_shows_its_request(as_keeper: PageClient, owner: Person, service: Sandbox) -> None:
    hold(owner, service.storage_tokens[REF]["service"], REF)
    shown, silent = set(), []
    for path in pages():
        sends = getattr(resolve(path).func, "sends", ())
        answer = as_keeper.get(path, QUERY) if sends else None
        if answer is None or answer.status_code != 200 or "X-Problem" in answer:
            continue
        main = answer.text.split("<main")[1]
        if 'method="post"' in main:
            shown |= set(sends)
            silent += [] if all(f'aria-label="Request {ident}"' in main for ident in sends) else [path]
    assert silent == []
    assert len(shown) > 12


def test_a_review_shows_the_request_without_the_values(as_keeper: PageClient, service: Sandbox) -> None:
    draft = as_keeper.post(f"/projects/{REF}/secrets/draft/", {"text": "REQUEST_A=very-secret-value"}, follow=True).text
    request = draft.split("<details")[-1].split("</details>")[0]
    assert "Show request" in request
    assert f"/v1/projects/{REF}/secrets" in request
    assert "VALUE" in request
    assert "very-secret-value" not in request
