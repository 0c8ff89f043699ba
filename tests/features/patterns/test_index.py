"""The pattern page, and through it everything the kit draws."""

import os
import subprocess
import sys

import pytest
from django.urls import reverse
from pytest_django import Settings

from tests.pages import PageClient


def test_it_shows_every_component(signed_in: PageClient) -> None:
    answer = signed_in.get(reverse("patterns:index"))
    assert answer.status_code == 200
    assert "Nothing to show, for six reasons" in answer.content.decode()


def test_it_needs_a_sign_in(visitor: PageClient) -> None:
    answer = visitor.get(reverse("patterns:index"))
    assert answer.status_code == 302
    assert answer["Location"].startswith("/account/login/")


@pytest.mark.parametrize("path", ["", "list/", "form/", "confirm/typed/", "problem/broken/"])
def test_it_is_not_there_unless_it_is_switched_on(signed_in: PageClient, settings: Settings, path: str) -> None:
    settings.PATTERNS = False
    assert signed_in.get(f"/patterns/{path}").status_code == 404


def test_it_is_off_unless_a_setting_says_otherwise() -> None:
    code = "import django; django.setup(); from django.conf import settings; print(settings.PATTERNS, settings.DEBUG)"
    environment = {name: value for name, value in os.environ.items() if name != "PATTERNS"}
    environment["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"


def test_it_finds_what_is_searched_for(signed_in: PageClient) -> None:
    answer = signed_in.part(reverse("patterns:list"), "pattern-list", q="LOGO")
    text = answer.content.decode()
    assert "logo.png" in text
    assert "readme.txt" not in text
    assert "1 thing<" in text


def test_it_says_when_nothing_matches(signed_in: PageClient) -> None:
    assert "Nothing matches" in signed_in.get(reverse("patterns:list"), {"q": "zzz"}).content.decode()


def test_it_sorts_both_ways(signed_in: PageClient) -> None:
    up = signed_in.get(reverse("patterns:list"), {"sort": "name", "q": "o"}).content.decode()
    down = signed_in.get(reverse("patterns:list"), {"sort": "-name", "q": "o"}).content.decode()
    assert up.index("invoice-0917.pdf") < up.index("logo.png")
    assert down.index("logo.png") < down.index("invoice-0917.pdf")
    assert 'aria-sort="ascending"' in up
    assert 'aria-sort="descending"' in down


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_it_refuses_other_methods(signed_in: PageClient, method: str) -> None:
    assert getattr(signed_in, method)(reverse("patterns:form")).status_code == 405
