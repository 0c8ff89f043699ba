"""What the opening of a link says of what it leads to."""

from collections.abc import Iterator
from contextlib import contextmanager

from dashboard.features.sharing.views.end_states import GONE, HIDDEN, Dead
from dashboard.interfaces.errors import NameRefused, NotAllowed, NotFound, TokenRefused
from dashboard.links import access
from dashboard.links.models import Share
from dashboard.web.errors import NeedsToken


@contextmanager
def noticing(share: Share, *, single: bool) -> Iterator[None]:
    """Keep for the ledger whether what the link leads to was there. Of a set one may be gone: that is not told (`single`)."""
    try:
        yield
    except (NotFound, NameRefused):
        _not_found(share, whole=single)
        raise
    except (TokenRefused, NotAllowed, NeedsToken):
        access.refused(share)
        raise
    except Dead as dead:
        if dead.face is GONE:
            _not_found(share, whole=not single)
        raise
    access.met(share)


def _not_found(share: Share, *, whole: bool) -> None:
    """`whole`: nothing of what the link leads to was there. Raises `Dead` where it may only be hidden from the owner's token."""
    if access.may_be_hidden(share):
        access.refused(share)
        raise Dead(HIDDEN)
    if whole:
        access.missed(share)
