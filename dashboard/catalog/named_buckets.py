"""Buckets opened by name, stored per token, for tokens that may read buckets but not list them."""

from django.db.models import QuerySet

from dashboard.catalog.models import Catalog
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace


def names(workspace: Workspace, space: str) -> list[str]:
    return list(_mine(workspace, space).filter(named=True).order_by("bucket").values_list("bucket", flat=True))


def remember(workspace: Workspace, space: str, bucket: str) -> None:
    token = workspace.fingerprint(Kind.STORAGE, space)
    Catalog.objects.update_or_create(space=space, bucket=bucket, token=token, defaults={"named": True})


def forget(workspace: Workspace, space: str, bucket: str) -> None:
    _mine(workspace, space).filter(bucket=bucket).update(named=False)


def _mine(workspace: Workspace, space: str) -> QuerySet[Catalog]:
    return Catalog.objects.filter(space=space, token=workspace.fingerprint(Kind.STORAGE, space))
