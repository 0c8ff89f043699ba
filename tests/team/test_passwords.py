"""Passwords: any characters, compared whole, in fields that browsers and password managers know."""

import re

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from dashboard.team.models import Person
from tests.pages import PageClient
from tests.people import confirmed

LONG = "Fünf ruhige Otter  rudern nordwärts; " * 4


def test_words_in_lower_case_are_a_password() -> None:
    validate_password("seven kind otters row north")
    with pytest.raises(ValidationError):
        validate_password("Password123456!")


def test_a_password_is_compared_whole_and_as_typed(ada: Person) -> None:
    ada.set_password(LONG)
    ada.save()
    assert authenticate(email=ada.email, password=LONG) == ada
    for other in (LONG[:72], LONG[:-1], LONG.strip(), LONG.lower(), LONG.replace("  ", " "), LONG + "x"):
        assert authenticate(email=ada.email, password=other) is None, other


def test_password_fields_are_masked_and_known_to_password_managers(visitor: PageClient, owner: Person) -> None:
    pages = {
        "/account/login/": ["current-password"],
        "/account/password/change/": ["current-password", "new-password", "new-password"],
    }
    for path, wanted in pages.items():
        client = visitor if path.endswith("login/") else confirmed(owner)
        fields = re.findall(r'<input[^>]*type="password"[^>]*>', client.get(path).text)
        assert [kind for field in fields for kind in re.findall(r'autocomplete="([^"]+)"', field)] == wanted, path
        assert not any("maxlength" in field or "onpaste" in field for field in fields)
