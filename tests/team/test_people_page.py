"""Who sees what of others on the team page."""

import pytest

from dashboard.team.models import Person, Role
from tests.people import client_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("role", list(Role))
def test_only_administrators_see_addresses_and_last_sign_ins(owner: Person, role: Role) -> None:
    nameless = Person.objects.create(email="nameless@example.org")
    viewer = Person.objects.create(email="vera@example.org", name="Vera", role=role)
    text = client_of(viewer).get("/people/").text
    sees = role in (Role.ADMINISTRATOR, Role.OWNER)
    assert ("olga@example.org" in text, "nameless" in text, "Last sign-in" in text) == (sees, sees, sees)
    assert ("Olga Owner" in text, f"Person {nameless.pk}" in text) == (True, not sees)
