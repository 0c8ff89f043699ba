"""The client that checks every page is itself checked."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import path

from tests.markup import MalformedError
from tests.pages import PageClient, check

PAGE = "<!doctype html><html><head><title>{title}</title></head><body><main><h1>Buckets</h1>{body}</main></body></html>"


def whole(body: str = "", title: str = "Buckets · Pilothouse") -> str:
    return PAGE.format(body=body, title=title)


QUIET = '<button class="button button--quiet button--small" type="button">Lift</button>'
MENU = '<button class="icon-button" type="button" aria-label="More for this" data-menu></button>'
PRIMARY = '<button class="button button--primary" type="submit">Save</button>'
ROW = "<table><tr><td>{}</td></tr></table>"
FORM = (
    '<form method="post" action="/patterns/"><input type="hidden" name="csrfmiddlewaretoken">'
    '<input name="a" aria-label="A">{}</form>'
)

GOOD = [
    "<p>Fine.</p>",
    '<label for="a">Name</label><input id="a" name="a">',
    '<label>Name <input name="a"></label>',
    '<input aria-label="Name" name="a">',
    '<form method="post" action="/patterns/"><input type="hidden" name="csrfmiddlewaretoken"></form>',
    '<form method="get" action="/patterns/"><button type="submit">Search</button></form>',
    '<div id="list"></div><a href="/patterns/" hx-get="/patterns/list/?q=1" hx-target="#list">Look</a>',
    '<button type="button" aria-label="Close"><svg></svg></button>',
    '<a href="https://example.org/">Elsewhere</a>',
    ROW.format(f'<span class="entry__actions">{QUIET}{MENU}</span>'),
    FORM.format(f'<div class="form__foot"><a class="button" href="/patterns/">Cancel</a>{PRIMARY}</div>'),
    f'<div class="head__actions"><a class="button" href="/patterns/">Edit</a>{PRIMARY}{MENU}</div>',
]

BAD = [
    ("<h1>Another</h1>", "one h1"),
    ('<p id="a"></p><p id="a"></p>', "'a' is there 2 times"),
    ('<input name="a">', "no label"),
    ('<label for="b">Name</label><input id="a" name="a">', "no label"),
    ("<textarea></textarea>", "no label"),
    ('<form method="post" action="/patterns/"></form>', "csrf_token"),
    (
        '<form method="post" action="https://evil.example/"><input type="hidden" name="csrfmiddlewaretoken"></form>',
        "another origin",
    ),
    ("<button>Go</button>", "does not say its type"),
    ('<button type="button"></button>', "no name"),
    ('<a href="#x"><svg></svg></a>', "no name"),
    ("<a>Nowhere</a>", "leads nowhere"),
    ('<p style="color: red">x</p>', "no inline style"),
    ("<style>p {}</style>", "no inline style sheet"),
    ("<script>alert(1)</script>", "no inline script"),
    ('<p onclick="x()">x</p>', "onclick"),
    ('<p hx-on:click="x()">x</p>', "hx-on:click"),
    ('<a href="javascript:x()">x</a>', "has a script in href"),
    ('<p hx-vals="js:{a: 1}">x</p>', "has a script in hx-vals"),
    ('<p hx-trigger="click[ctrlKey]">x</p>', "trigger filter"),
    ('<p hx-confirm="Sure?">x</p>', "hx-confirm"),
    ('<a href="/no/such/page/">x</a>', "leads nowhere"),
    ('<p hx-get="/no/such/page/">x</p>', "leads nowhere"),
    ('<p hx-get="list/">x</p>', "whole path"),
    ('<p hx-get="">x</p>', "hx-get is empty"),
    ('<a href="">x</a>', "href is empty"),
    ('<button type="submit" formaction="">x</button>', "formaction is empty"),
    ('<p hx-get="/patterns/" hx-target="#gone">x</p>', "nothing has that id"),
    ('<p aria-describedby="gone">x</p>', "nothing has that id"),
    ('<img src="/static/x.png">', "no alt"),
    ("<table><tr><th>Name</th></tr></table>", "scope"),
    (ROW.format(QUIET), "stand in .entry__actions"),
    (ROW.format(f'<span class="entry__actions">{QUIET}{QUIET}</span>'), "one quiet small button"),
    (ROW.format(f'<span class="entry__actions">{PRIMARY}</span>'), "one quiet small button"),
    (
        ROW.format('<span class="entry__actions"><a class="icon-button" href="/patterns/">Delete</a></span>'),
        "one quiet small button",
    ),
    (FORM.format(PRIMARY), "ends with one .form__foot"),
    (FORM.format(f'<div class="form__foot">{PRIMARY}{QUIET}</div>'), "ends with one .form__foot"),
    (f'<div class="head__actions">{PRIMARY}<a class="button" href="/patterns/">Edit</a></div>', "the primary one last"),
    (f'<div class="head__actions">{QUIET * 4}</div>', "up to three buttons"),
]


@pytest.mark.parametrize("body", GOOD)
def test_it_accepts_a_good_page(body: str) -> None:
    check(whole(body))


@pytest.mark.parametrize(("body", "hint"), BAD)
def test_it_refuses_a_bad_page_with_a_hint(body: str, hint: str) -> None:
    with pytest.raises(AssertionError, match="breaks house rules") as refusal:
        check(whole(body))
    assert hint in str(refusal.value)


def test_it_refuses_a_title_that_begins_otherwise() -> None:
    with pytest.raises(AssertionError, match="title begins"):
        check(whole(title="Pilothouse · Buckets"))


def test_it_refuses_a_page_without_a_heading() -> None:
    with pytest.raises(AssertionError, match="one h1"):
        check(whole().replace("h1", "h2"))


@pytest.mark.parametrize("text", ["<p></p><p></p>", "loose <p></p>"])
def test_it_refuses_a_fragment_with_several_roots(text: str) -> None:
    with pytest.raises(AssertionError, match="one root element"):
        check(text)


def test_a_notice_may_come_beside_the_root() -> None:
    check('<p></p><div hx-swap-oob="beforeend:#notices"><p></p></div>')


@pytest.mark.parametrize("text", ["<p><b></p></b>", "<div>", "</div>", '<p class="a" class="b"></p>'])
def test_it_refuses_markup_that_does_not_nest(text: str) -> None:
    with pytest.raises(MalformedError):
        check(text)


def broken(request: HttpRequest) -> HttpResponse:
    return HttpResponse(whole("<button>Go</button>"))


def leaking(request: HttpRequest) -> HttpResponse:
    return HttpResponse(whole("<p>sbp_secret</p>"))


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse("<button>", content_type="text/plain")


urlpatterns = [path("broken/", broken), path("leaking/", leaking), path("plain/", plain)]


@pytest.mark.django_db
@pytest.mark.urls("tests.web.test_pages_client")
def test_the_client_checks_what_it_fetches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.pages.is_asked_here", lambda: True)
    with pytest.raises(AssertionError, match="GET /broken/ breaks"):
        PageClient().get("/broken/")


@pytest.mark.django_db
@pytest.mark.urls("tests.web.test_pages_client")
def test_the_client_refuses_a_token_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.pages.is_asked_here", lambda: False)
    monkeypatch.setattr(PageClient, "tokens", {"sbp_secret"})
    with pytest.raises(AssertionError, match="GET /leaking/ shows tokens"):
        PageClient().get("/leaking/")


@pytest.mark.django_db
@pytest.mark.urls("tests.web.test_pages_client")
def test_the_client_leaves_other_answers_alone() -> None:
    assert PageClient().get("/plain/").status_code == 200
