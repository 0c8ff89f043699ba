"""The owner's right, asked for anew whenever a link is opened."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError

from dashboard.features.sharing.faces import GONE, Dead
from dashboard.interfaces.errors import NameRefused, NotFound, TokenRefused
from dashboard.links import opening
from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace

log = logging.getLogger(__name__)


@contextmanager
def acting_for(share: Share) -> Iterator[Workspace]:
    """The owner's workspace for as long as the block runs; afterwards it is written down how the stored token fared.

    Raises `Inactive`, `TokenMissing` and `TokenBroken`: then the link is dead.
    """
    workspace = Workspace(share.owner)
    words = ""
    try:
        yield workspace
    except TokenRefused as refused:
        words = refused.text or str(refused)
        raise
    finally:
        try:
            workspace.flush(words)
        except DatabaseError:
            log.exception("It could not be written down how the stored token fared.")


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
