"""What the opening of a link says of what it leads to."""

from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.features.sharing.faces import GONE, Dead
from dashboard.interfaces.errors import NameRefused, NotFound
from dashboard.links import opening
from dashboard.links.models import Share


@contextmanager
def noticing(share: Share, *, single: bool) -> Iterator[None]:
    """Keep for the ledger whether what the link leads to was there. Of a set one may be gone: that is not told (`single`)."""
    try:
        yield
    except (NotFound, NameRefused):
        if single:
            opening.missed(share)
        raise
    except Dead as dead:
        if dead.face is GONE and not single:
            opening.missed(share)
        raise
    opening.met(share)
