"""Keep catalogs when one service key replaces another.

A service key sees every object of its storage, so we only prove that both keys open the same one: the new key must confirm a
sample of each bucket's keys. A bucket that is empty, or whose sample is not confirmed, is crawled again.
"""

from collections.abc import Callable
from functools import partial

from dashboard.catalog.models import Catalog, Indexed
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError
from dashboard.tokens.models import Kind, StoredToken
from dashboard.web.process.parallel import map_bounded

SAMPLE = 50
LINK_SECONDS = 1


def succeed(storage: StorageInterface, space: str, old: str, new: str) -> Callable[[], None]:
    """Confirm samples with the new key before it is stored (S15). Return a function that moves the confirmed catalogs."""
    catalogs = list(Catalog.objects.filter(space=space, token=old))
    samples = [(catalog.bucket, _sample(catalog)) for catalog in catalogs]
    confirmed = map_bounded(lambda one: _is_confirmed(storage, *one), samples)
    pks = [catalog.pk for catalog, is_confirmed in zip(catalogs, confirmed, strict=True) if is_confirmed]
    return partial(_move, pks, space, old, new)


def _sample(catalog: Catalog) -> list[str]:
    rows = Indexed.objects.filter(catalog=catalog, is_marker=False)
    return list(rows.order_by("?").values_list("key", flat=True)[:SAMPLE])


def _is_confirmed(storage: StorageInterface, bucket: str, keys: list[str]) -> bool:
    try:
        return bool(keys) and all(item.link for item in storage.signing.sign_many(bucket, keys, expires_in=LINK_SECONDS))
    except InterfaceError:
        return False


def _move(pks: list[int], space: str, old: str, new: str) -> None:
    """Give the catalogs to the new key, unless the old key is still stored or the new one has read the bucket already."""
    if StoredToken.objects.filter(kind=Kind.STORAGE, space=space, fingerprint=old).exists():
        return
    read = Catalog.objects.filter(space=space, token=new).values_list("bucket", flat=True)
    Catalog.objects.filter(pk__in=pks, token=old).exclude(bucket__in=list(read)).update(token=new)
