"""What travels compressed, and what does not."""

import gzip
from collections.abc import Callable

import brotli  # type: ignore[import-untyped] # it has no types
import pytest
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.test import RequestFactory
from django.urls import ResolverMatch, get_resolver, reverse

from dashboard.urls import REVEALING
from dashboard.web.http.compression import Compression
from tests.pages import PageClient
from tests.sandboxes import Sandbox

WORDS = "Words of a page. " * 100
ALL = "gzip, deflate, br, zstd"
OPENED: dict[str, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress}


def answered(
    response: Callable[[], object], *, method: str = "GET", view: str = "", accepted: str = ALL
) -> HttpResponse | StreamingHttpResponse:
    def view_of(request: HttpRequest) -> object:
        request.resolver_match = ResolverMatch(print, (), {}, url_name=view)
        return response()

    request = RequestFactory().generic(method, "/", headers={"Accept-Encoding": accepted})
    return Compression(view_of)(request)  # type: ignore[arg-type, return-value] # a view of ours


@pytest.mark.parametrize(("accepted", "coding"), [(ALL, "br"), ("gzip, deflate", "gzip")])
@pytest.mark.parametrize("made", [HttpResponse, lambda words: JsonResponse({"text": words})])
def test_text_is_compressed_and_says_so_to_caches(made: Callable[[str], HttpResponse], accepted: str, coding: str) -> None:
    response = answered(lambda: made(WORDS), accepted=accepted)
    assert isinstance(response, HttpResponse)
    assert response["Content-Encoding"] == coding
    assert response["Vary"] == "Accept-Encoding"
    assert int(response["Content-Length"]) == len(response.content) < 400
    assert WORDS in OPENED[coding](response.content).decode()


@pytest.mark.parametrize("accepted", [ALL, "gzip"])
def test_another_coding_of_the_same_text_has_a_weak_tag(accepted: str) -> None:
    made = HttpResponse(WORDS, headers={"ETag": '"tag"'})
    assert answered(lambda: made, accepted=accepted)["ETag"] == 'W/"tag"'


@pytest.mark.parametrize("accepted", [ALL, "gzip"])
def test_the_length_tells_nothing_of_the_text(accepted: str) -> None:
    responses = [answered(lambda: HttpResponse(WORDS), accepted=accepted) for _ in range(50)]
    assert len({response["Content-Length"] for response in responses}) > 10


@pytest.mark.parametrize("accepted", ["", "identity"])
def test_text_stays_as_it_is_where_nothing_else_is_accepted(accepted: str) -> None:
    assert "Content-Encoding" not in answered(lambda: HttpResponse(WORDS), accepted=accepted)


def test_short_text_stays_as_it_is() -> None:
    assert "Content-Encoding" not in answered(lambda: HttpResponse("Short."))


def test_what_is_compressed_already_stays_as_it_is() -> None:
    made = HttpResponse(WORDS, headers={"Content-Encoding": "zstd"})
    assert answered(lambda: made)["Content-Encoding"] == "zstd"


def test_a_stream_keeps_its_length() -> None:
    headers = {"Content-Length": str(len(WORDS))}
    response = answered(lambda: StreamingHttpResponse(iter([WORDS]), content_type="text/plain", headers=headers))
    assert "Content-Encoding" not in response
    assert response["Content-Length"] == str(len(WORDS))


def test_pictures_stay_as_they_are() -> None:
    assert "Content-Encoding" not in answered(lambda: HttpResponse(WORDS, content_type="image/png"))


@pytest.mark.parametrize("view", sorted(REVEALING))
def test_a_page_that_reveals_a_secret_is_not_compressed(view: str) -> None:
    assert "Content-Encoding" not in answered(lambda: HttpResponse(WORDS), view=view)


def test_every_revealing_view_is_there() -> None:
    namespaces = {space: resolver for space, (_, resolver) in get_resolver().namespace_dict.items()}
    assert {name for name in REVEALING if name.partition(":")[2] not in namespaces[name.partition(":")[0]].reverse_dict} == set()


def test_the_answer_to_a_form_is_not_compressed() -> None:
    assert "Content-Encoding" not in answered(lambda: HttpResponse(WORDS), method="POST")


def test_secrets_that_are_shown_travel_uncompressed(as_keeper: PageClient, service: Sandbox) -> None:
    ref = "ktmvqhzwrbnxpgaydcle"
    assert as_keeper.get(reverse("secrets:index", args=[ref]), headers={"Accept-Encoding": "gzip"})["Content-Encoding"] == "gzip"
    shown = as_keeper.post(f"{reverse('secrets:reveal', args=[ref])}?name=SMTP_HOST", headers={"Accept-Encoding": "gzip"})
    assert (shown.status_code, "Content-Encoding" in shown) == (200, False)
