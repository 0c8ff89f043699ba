"""S14 to S16: signed links."""

import re
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from dashboard.sandbox import generations
from dashboard.sandbox.answers import answer
from dashboard.sandbox.dispatch import raw_path
from dashboard.sandbox.operations import operation
from dashboard.sandbox.storage import access, catalog, delivery, refusals, tokens
from dashboard.sandbox.storage.body import json_members
from dashboard.sandbox.storage.schema import Members

_RESERVED = re.compile(r"(%(?:2[346BCF]|3[ABDF]|40))", re.IGNORECASE)
_NOT_FOUND = "Either the object does not exist or you do not have access to it"
_MOST_PATHS = 1000


@operation("S14", "POST", "/object/sign/{bucket}/{wildcard}")
def sign(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponse:
    """`{"signedURL"}`, relative, not percent-encoded.

    Escapes of reserved characters stay as sent, in the link and in its token, so such a link doesn't work.
    """
    wanted = json_members(request)
    seconds = _seconds(wanted)
    _check_transform(wanted)
    found = access.visible(ref, bucket, tokens.caller_of(request, ref))
    if not wildcard:
        raise refusals.bad_key(wildcard)
    if found is None:
        raise refusals.no_object()
    access.existing(found, wildcard)
    sent = raw_path(request).split("/object/sign/", 1)[1].split("/", 1)
    return answer({"signedURL": tokens.sign(ref, *map(_as_sent, sent), expires_in=seconds)})


@operation("S15", "POST", "/object/sign/{bucket}")
def sign_many(request: HttpRequest, ref: str, bucket: str) -> HttpResponse:
    """An item per path, in order; either `error` or `signedURL` is null."""
    wanted = json_members(request)
    wanted.require("expiresIn", "paths")
    seconds = _seconds(wanted)
    paths = wanted.texts("paths", least=1, most=None if generations.is_older() else _MOST_PATHS)
    found = access.visible(ref, bucket, tokens.caller_of(request, ref))
    known = catalog.find_many(found, paths) if found else {}
    return answer(
        [
            {"error": None, "path": path, "signedURL": tokens.sign(ref, bucket, path, expires_in=seconds)}
            if path in known
            else {"error": _NOT_FOUND, "path": path, "signedURL": None}
            for path in paths
        ]
    )


@operation("S16", "GET", "/object/sign/{bucket}/{wildcard}")
def open(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponseBase:  # noqa: A001 - what a link is for
    """No other credential."""
    token = request.GET.get("token")
    if token is None:
        raise refusals.invalid("querystring must have required property 'token'")
    expires = tokens.link_expiry(ref, token, bucket, wildcard)
    found = catalog.find_bucket(ref, bucket)
    if found is None:
        raise refusals.no_object()
    return delivery.send(request, lambda: access.existing(found, wildcard), expires=expires)


def _seconds(wanted: Members) -> int:
    wanted.require("expiresIn")
    return wanted.integer("expiresIn", 0, least=1)


def _check_transform(wanted: Members) -> None:
    """Validate the transformation options, which have no effect here."""
    transform = wanted.inner("transform")
    if transform is None:
        return
    for side in ("height", "width"):
        transform.integer(side, 0, least=0)
    transform.one_of("resize", ("cover", "contain", "fill"), "cover")
    transform.one_of("format", ("origin", "avif", "webp"), "origin")
    transform.integer("quality", 80, least=20, most=100)


def _as_sent(text: str) -> str:
    return "".join(piece if _RESERVED.fullmatch(piece) else unquote(piece) for piece in _RESERVED.split(text))
