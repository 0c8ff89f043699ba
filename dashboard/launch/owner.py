"""The first owner: made at the first start, with a link to choose a password; with the sandbox also with its tokens stored."""

from collections.abc import Mapping
from typing import Any

from dashboard.team.models import People, Person, Role


def welcome(facts: Mapping[str, Any]) -> dict[str, str]:
    owner = Person.objects.filter(role=Role.OWNER, is_active=True).order_by("pk").first()
    if owner is None:
        owner = Person.objects.create(email="owner@localhost", role=Role.OWNER)
    return {"email": owner.email, "link": "" if owner.has_usable_password() else "/later"}
