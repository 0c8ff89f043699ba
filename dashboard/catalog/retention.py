"""Delete catalogs of deleted buckets, and of tokens that are no longer stored."""

from django.db import transaction
from django.db.models import Exists, OuterRef

from dashboard.catalog.models import Catalog, Folder, Indexed
from dashboard.jobs.retention import delete_some
from dashboard.tokens.models import Kind, StoredToken


def forget(catalog: Catalog) -> None:
    """Delete a catalog with all its rows."""
    while _forget_some(catalog):
        pass


def forget_unread() -> None:
    """Delete some rows of one catalog whose token is no longer stored."""
    readers = StoredToken.objects.filter(kind=Kind.STORAGE, space=OuterRef("space"), fingerprint=OuterRef("token"))
    unread = Catalog.objects.filter(~Exists(readers)).order_by("pk").first()
    if unread:
        _forget_some(unread)


def _forget_some(catalog: Catalog) -> bool:
    """Delete one batch of rows under the catalog's lock. Return False if nothing is left."""
    with transaction.atomic():
        locked = Catalog.objects.select_for_update().filter(pk=catalog.pk).first()
        if locked is None:
            return False
        if delete_some(Indexed.objects.filter(catalog=locked)) or delete_some(Folder.objects.filter(catalog=locked)):
            # Hide the catalog now, so that it isn't shown half deleted if the token is stored again.
            Catalog.objects.filter(pk=locked.pk).update(as_of=None, begun_at=None)
            return True
        locked.delete()
    return False
