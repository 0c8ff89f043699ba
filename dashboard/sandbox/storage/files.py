"""Buckets and objects without HTTP, for the seed and for tests. Nothing here checks limits or permissions."""

from dashboard.sandbox.models import Project
from dashboard.sandbox.storage import catalog, disk
from dashboard.sandbox.storage.catalog import Content
from dashboard.sandbox.storage.models import Bucket, Entry
from dashboard.sandbox.storage.tokens import SERVICE, Caller


def create_bucket(
    project: Project,
    name: str,
    *,
    public: bool = False,
    file_size_limit: int | None = None,
    allowed_mime_types: list[str] | None = None,
) -> Bucket:
    """Create a bucket; `file_size_limit` in bytes. The name must be free."""
    moment = catalog.now()
    return Bucket.objects.create(
        project=project.ref, identifier=name, name=name, public=public, file_size_limit=file_size_limit,
        allowed_mime_types=allowed_mime_types, created_at=moment, updated_at=moment,
    )  # fmt: skip


def put(
    project: Project, bucket_name: str, key: str, data: bytes, content_type: str, *, cache_control: str = "no-cache"
) -> Entry:
    """Store or replace an object."""
    bucket = Bucket.objects.get(project=project.ref, identifier=bucket_name)
    with disk.Aside() as aside:
        aside.write(data)
        content = Content(aside.finish(), content_type, cache_control)
        return catalog.store(bucket, key, content, Caller(SERVICE, ""), upsert=True)
