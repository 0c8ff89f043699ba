"""The index moves along when one service key replaces another.

Each of them sees every object of its storage, so all that is to be proved is that both open the same one: the new key confirms
a sample of each bucket's keys. A bucket whose sample is not confirmed, or that has no object to ask about, is indexed anew.
"""

from collections.abc import Callable
from functools import partial

from dashboard.catalog.models import Catalog, Indexed
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError
from dashboard.tokens.models import Kind, StoredToken
from dashboard.web.parallel import map_bounded

SAMPLE = 50
LINK_SECONDS = 1


def succeed(storage: StorageInterface, space: str, old: str, new: str) -> Callable[[], None]:
    """Confirm samples with the new key (S15), before it is stored; return what moves the confirmed catalogs."""
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
    """Hand the catalogs over, unless somebody still holds the old key or the new one has read the bucket already."""
    if StoredToken.objects.filter(kind=Kind.STORAGE, space=space, fingerprint=old).exists():
        return
    read = Catalog.objects.filter(space=space, token=new).values_list("bucket", flat=True)
    Catalog.objects.filter(pk__in=pks, token=old).exclude(bucket__in=list(read)).update(token=new)
