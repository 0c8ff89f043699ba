"""Limit transfers to half of the threads, and each person, link and visitor's address to a share of those.

A transfer holds a thread for as long as the browser likes, so one without a free slot is refused at once.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import ParamSpec, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from dashboard.web.http.requests import client_address, client_of
from dashboard.web.limits import budgets
from dashboard.web.limits.slots import Full, slots

P = ParamSpec("P")
ALL, VISITORS = "transfers", "transfers of visitors"


class Busy(Exception):  # noqa: N818 - a state of the server, answered with 503 and Retry-After
    """All transfer slots are taken, or all of one share (`own`)."""

    def __init__(self, *, own: bool = False) -> None:
        super().__init__()
        self.own = own


@contextmanager
def bulkhead(request: HttpRequest | None = None) -> Iterator[None]:
    """Hold a transfer slot. Raises `Busy` immediately if none is free, or the request's share is used up."""
    give_back = _take(request)
    try:
        yield
    finally:
        give_back()


def transfer(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """Hold a transfer slot until the view's answer is sent or dropped. The view's first argument is the request."""

    @wraps(view)
    def held(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        give_back = _take(cast("HttpRequest", args[0]) if args else None)
        try:
            response = view(*args, **kwargs)
        except BaseException:
            give_back()
            raise
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _Held(cast("Iterator[bytes]", response.streaming_content), give_back)
        else:
            give_back()
        return response

    return held


class _Held:
    """The blocks of an answer; releases the slot when closed."""

    def __init__(self, blocks: Iterable[bytes], give_back: Callable[[], None]) -> None:
        self._blocks = blocks
        self._give_back: Callable[[], None] | None = give_back

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._blocks)

    def close(self) -> None:
        give_back, self._give_back = self._give_back, None
        if give_back:
            give_back()


def _shares(request: HttpRequest | None) -> dict[Hashable, int]:
    """Return the shares that a transfer counts against, with their limits.

    Members count by person, because several may use one address. All visitors together leave half of the slots to members.
    """
    everyone: dict[Hashable, int] = {ALL: settings.WEB_THREADS // 2}
    if request is None:
        return everyone
    most = settings.WEB_THREADS // 4
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return {("person", user.pk): most, **everyone}
    code = request.resolver_match.kwargs.get("code", "") if request.resolver_match else ""
    address = client_of(client_address(request))
    return {VISITORS: most, ("link", code): most * 3 // 4, ("address", address): most // 2, **everyone}


def _take(request: HttpRequest | None) -> Callable[[], None]:
    here, shares, holder = slots(), _shares(request), object()
    try:
        here.take(shares, holder)
    except Full as full:
        raise Busy(own=full.share != ALL and VISITORS not in shares) from None
    budgets.free()
    return partial(here.leave, shares, holder)
