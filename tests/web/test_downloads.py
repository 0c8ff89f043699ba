"""Bytes of objects on their way to a browser."""

from collections.abc import Iterator

import pytest

from dashboard.web.files.downloads import redirect, stream


class Source:
    """What the storage interface hands out."""

    def __init__(self, content_type: str = "application/pdf", status: int = 200, **headers: str) -> None:
        self.status = status
        self.headers = {"Content-Type": content_type, "X-Strange": "1", **headers}
        self.length: int | None = 6
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield b"abc"
        yield b"def"

    def close(self) -> None:
        self.closed = True


@pytest.mark.django_db
def test_it_passes_on_bytes_and_length_and_closes() -> None:
    source = Source()
    response = stream(source, filename="report.pdf")
    assert b"".join(response) == b"abcdef"
    assert response["Content-Length"] == "6"
    response.close()
    assert source.closed


def test_it_saves_what_a_browser_should_not_show() -> None:
    response = stream(Source("text/html"), filename="page.html", inline=True)
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="page.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    "kind", ["image/svg+xml", "application/xml", "application/pdf", "text/plain", "image/png; charset=x,text/html", ""]
)
def test_it_shows_nothing_that_is_not_on_the_list(kind: str) -> None:
    assert stream(Source(kind), filename="x", inline=True)["Content-Type"] in ("application/octet-stream", "image/png")


def test_it_shows_a_picture_where_asked() -> None:
    response = stream(Source("image/PNG; x=1"), filename="logo.png", inline=True)
    assert response["Content-Type"] == "image/png"
    assert response["Content-Disposition"].startswith("inline")


def test_it_saves_a_picture_unless_asked() -> None:
    assert stream(Source("image/png"), filename="logo.png")["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize("name", ["Übersicht.pdf", '"quoted".txt', "a\r\nSet-Cookie: x=1.txt", "東京.jpg"])
def test_it_carries_every_name(name: str) -> None:
    value = stream(Source(), filename=name)["Content-Disposition"]
    assert value.startswith("attachment")
    assert "\n" not in value


def test_it_passes_on_ranges_and_nothing_strange() -> None:
    response = stream(Source(status=206, **{"content-range": "bytes 0-5/10", "etag": '"x"'}), filename="a")
    assert response.status_code == 206
    assert response["Content-Range"] == "bytes 0-5/10"
    assert response["ETag"] == '"x"'
    assert "X-Strange" not in response


def test_a_redirect_is_kept_nowhere() -> None:
    response = redirect("https://storage.example/object/sign/a?token=t")
    assert response.status_code == 302
    assert response["Cache-Control"] == "no-store"
    assert response["Referrer-Policy"] == "no-referrer"
