"""What surrounds a page: sections, theme, headers."""

import tomllib
from pathlib import Path

import pytest
from django.conf import settings as product
from django.contrib.auth.models import AnonymousUser
from django.template import Context, Template
from django.test import RequestFactory
from django.urls import resolve, reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard import __version__
from dashboard.web.input.forms import Form, SecretField
from tests.pages import PageClient, check

pytestmark = pytest.mark.django_db


def test_a_project_has_storage_only_where_storage_knows_projects(rf: RequestFactory, settings: Settings) -> None:
    request = rf.get(reverse("secrets:index", args=("abcd",)))
    request.resolver_match = resolve(request.path)
    request.user = AnonymousUser()
    template, context = Template("{% load ui %}{% rail %}"), Context({"request": request})
    settings.MANAGEMENT_URL, settings.STORAGE_URL = "https://m.example", "https://s.example"
    assert "Storage" not in template.render(context)
    settings.STORAGE_URL = "https://s.example/{ref}"
    text = template.render(context)
    assert f'href="{reverse("buckets:index", args=("abcd",))}"' in text
    assert f'href="{reverse("secrets:index", args=("abcd",))}" aria-current="true"' in text


def test_the_theme_is_in_the_first_byte(signed_in: PageClient) -> None:
    assert 'data-theme="system"' in signed_in.get(reverse("patterns:index")).content.decode()
    answer = signed_in.post(reverse("web:theme"), {"theme": "dark", "next": "/patterns/"})
    assert (answer.status_code, answer["Location"]) == (303, "/patterns/")
    assert '<html lang="en" data-theme="dark">' in signed_in.get(reverse("patterns:index")).content.decode()


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:x", "", "\t//evil.example"]
)
def test_the_theme_leads_nowhere_else(visitor: PageClient, address: str) -> None:
    assert visitor.post(reverse("web:theme"), {"theme": "dark", "next": address})["Location"] == "/"


def test_a_strange_theme_is_refused(visitor: PageClient) -> None:
    assert visitor.post(reverse("web:theme"), {"theme": "<b>"}).status_code == 422
    assert visitor.get(reverse("web:theme")).status_code == 405


def test_every_answer_carries_the_policy(signed_in: PageClient) -> None:
    for path in (reverse("patterns:index"), "/nowhere/"):
        answer = signed_in.get(path)
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer["X-Frame-Options"] == "DENY"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Referrer-Policy"] == "same-origin"
        assert answer["Cache-Control"] == "no-store"
        assert {"Cookie", "HX-Request", "HX-Target"} <= {name.strip() for name in answer["Vary"].split(",")}


def test_the_version_is_said_once() -> None:
    project = tomllib.loads(Path(product.BASE_DIR / "pyproject.toml").read_text())
    assert project["project"]["version"] == __version__


def test_a_secret_is_trimmed_and_never_shown_again() -> None:
    class Stored(Form):
        token = SecretField()
        value = SecretField(lines=3, strip=False)

    form = Stored({"token": "  abc \n", "value": " keep \n"})
    assert form.is_valid()
    assert form.cleaned_data == {"token": "abc", "value": " keep \n"}
    text = str(form)
    assert "abc" not in text
    assert "keep" not in text
    assert 'autocomplete="off"' in text


def test_tags_escape_what_they_are_given() -> None:
    template = Template("<p>{% load ui %}{% middle name %}{% copy name 'Name' %}{% status 'good' name name %}</p>")
    text = template.render(Context({"name": '"><script>x</script>'}))
    assert "<script>" not in text
    check(text)


def test_times_and_bytes_keep_the_exact_value_at_hand() -> None:
    text = Template("{% load ui %}<p>{% when now %}{% bytes 1468006 %}{% when none %}</p>").render(
        Context({"now": timezone.now(), "none": None})
    )
    assert 'tabindex="0"' in text
    assert "1,468,006 bytes" in text
    assert "never" in text
    check(text)
