"""The catalog of a bucket's objects, one per space, bucket and token: it shows what that token may read.

Keys are ASCII (the service accepts nothing else) and compared byte by byte on both databases, so a folder is one range of keys.
"""

from typing import TYPE_CHECKING, Any, ClassVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q

from dashboard.jobs.models import Job
from dashboard.team.models import Person

KEY_LIMIT = 1200
TYPE_LIMIT = 100
ETAG_LIMIT = 100


if TYPE_CHECKING:
    _TextField = models.TextField[str, str]
else:
    _TextField = models.TextField


class PlainText(_TextField):
    """Text that sorts and compares by bytes, whatever the database's collation."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        return {
            **super().db_parameters(connection),
            "collation": {"postgresql": "C", "sqlite": "BINARY"}.get(connection.vendor),
        }


class Catalog(models.Model):
    """One bucket as one token sees it.

    `as_of`: start of the last finished crawl (empty before the first); our own writes since then are included. `crawl` numbers
    the crawls; `begun_at` and `job` belong to the one in progress. `named`: opened by its name, as the token can't list buckets.
    """

    space = models.CharField(max_length=63)
    bucket = models.CharField(max_length=200)
    token = models.CharField("fingerprint of the token", max_length=32)
    as_of = models.DateTimeField(null=True)
    count = models.BigIntegerField("objects", default=0)
    bytes = models.BigIntegerField(default=0)
    folder_count = models.BigIntegerField("folders", default=0)
    left_out = models.PositiveIntegerField("entries that can't be listed or kept", default=0)
    newest = models.DateTimeField("the latest change of an object", null=True)
    crawl = models.PositiveIntegerField(default=0)
    begun_at = models.DateTimeField(null=True)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    named = models.BooleanField("opened by its name", default=False)

    objects: ClassVar[models.Manager["Catalog"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "bucket", "token"), name="one_catalog_per_token"),)

    def __str__(self) -> str:
        return f"{self.space}/{self.bucket}"

    @property
    def is_crawled(self) -> bool:
        """Whether a crawl is running, or was interrupted and can be resumed."""
        return self.begun_at is not None


class Folder(models.Model):
    """A folder. Those not yet `listed` are the frontier of the crawl, which survives a killed worker.

    `count` and `bytes` are those of its direct objects, without subfolders; empty until counted. `last` is the name of the row
    before `offset`. If the next page doesn't begin with it, the folder has changed and is listed again. `digests` are those of
    its pages, by offset, where the index holds exactly what is listed. Objects that no crawl saw from `since` on are gone.
    """

    catalog = models.ForeignKey(Catalog, on_delete=models.CASCADE, related_name="folders")
    path = PlainText("ends in a slash, empty for the root")
    count = models.BigIntegerField("objects", null=True)
    bytes = models.BigIntegerField(default=0)
    crawl = models.PositiveIntegerField("the latest that saw it", default=0)
    listed = models.BooleanField(default=True)
    offset = models.PositiveIntegerField(default=0)
    last = models.TextField(blank=True)
    restarts = models.PositiveSmallIntegerField(default=0)
    digests = models.JSONField(null=True)
    since = models.PositiveIntegerField(default=0, db_default=0)

    objects: ClassVar[models.Manager["Folder"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("catalog", "path"), name="one_folder_per_path"),)
        indexes = (models.Index(fields=("catalog", "id"), name="catalog_frontier", condition=Q(listed=False)),)

    def __str__(self) -> str:
        return self.path


class Indexed(models.Model):
    """An object. `name` is its last segment in lower case.

    The index covers all columns that are searched or sorted by, since reading the rows takes SQLite eight times as long. Indexed
    keys have at most 1,200 characters, which keeps the index below PostgreSQL's limit.
    """

    catalog = models.ForeignKey(Catalog, on_delete=models.CASCADE, related_name="+", db_index=False)
    folder = models.ForeignKey(Folder, on_delete=models.CASCADE, related_name="+")
    key = PlainText()
    name = PlainText()
    size = models.BigIntegerField("bytes", null=True)
    mimetype = models.CharField(max_length=TYPE_LIMIT, blank=True)
    etag = models.CharField(max_length=ETAG_LIMIT, blank=True)
    created_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(null=True)
    # Never updated by the service. The previous version still writes it.
    accessed_at = models.DateTimeField(null=True)
    is_marker = models.BooleanField(default=False)
    crawl = models.PositiveIntegerField("the latest that saw it", default=0)

    objects: ClassVar[models.Manager["Indexed"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("catalog", "key"), name="one_row_per_key"),)
        indexes = (
            models.Index(
                fields=("catalog", "key", "name", "size", "updated_at", "created_at", "mimetype", "is_marker"),
                name="catalog_search",
            ),
            models.Index(fields=("catalog", "name"), name="catalog_names"),
        )

    def __str__(self) -> str:
        return self.key


class Trace(models.Model):
    """One of our own writes during a crawl. Pages requested before it may be out of date for this key."""

    catalog = models.ForeignKey(Catalog, on_delete=models.CASCADE, related_name="traces", db_index=False)
    key = PlainText()
    at = models.DateTimeField()

    objects: ClassVar[models.Manager["Trace"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("catalog", "key"), name="one_trace_per_key"),)

    def __str__(self) -> str:
        return self.key


class UnkeptBucket(models.Model):
    """A bucket of which the trash keeps nothing, as its settings say. Not in the store: that would be asked for each dialog."""

    space = models.CharField(max_length=63)
    bucket = models.CharField(max_length=200)

    objects: ClassVar[models.Manager["UnkeptBucket"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "bucket"), name="one_row_per_unkept_bucket"),)

    def __str__(self) -> str:
        return f"{self.space}/{self.bucket}"


class KeyLease(models.Model):
    """A lease on a key. `name` is a digest of space, bucket and key, `holder` identifies one upload of `person`, or a job."""

    name = models.CharField(max_length=64, primary_key=True)
    holder = models.CharField(max_length=32)
    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    expires_at = models.DateTimeField(db_index=True)

    objects: ClassVar[models.Manager["KeyLease"]] = models.Manager()

    def __str__(self) -> str:
        return self.name
