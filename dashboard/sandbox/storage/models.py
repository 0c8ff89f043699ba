"""Buckets, and one table of entries: a folder's listing is one range of one index."""

from typing import ClassVar, Self
from uuid import uuid4

from django.db import models
from django.db.models import Q


class Bucket(models.Model):
    """A bucket. Paths use its `identifier`; times are in milliseconds since 1970."""

    project = models.CharField(max_length=20)
    identifier = models.TextField()
    name = models.CharField(max_length=100)
    owner = models.CharField(max_length=36, blank=True)
    public = models.BooleanField(default=False)
    file_size_limit = models.BigIntegerField(null=True)
    allowed_mime_types = models.JSONField(null=True)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "identifier"], name="one_bucket_per_id"),
            models.UniqueConstraint(fields=["project", "name"], name="one_bucket_per_name"),
        ]

    def __str__(self) -> str:
        return self.identifier


class Kind(models.IntegerChoices):
    FOLDER = 0
    OBJECT = 1


class Entry(models.Model):
    """One row that a listing can show: an object, or a folder that exists through the objects below it.

    `parent` is the folder's path in lower case with its closing slash ("" for the root): listings ignore the case of a prefix.
    `name` is the last segment as written, `sort_name` the same in lower case, with a slash for a folder, because the service
    sorts whole keys. Folders that differ only in case are shown as one when sorting by name: the one with `leads` 1; by time
    each shows. A folder's `descendants` counts the objects anywhere below; at zero the row goes.
    Fields after `descendants` are for objects only. `file` names the file with the bytes, never shared between rows.
    Times in milliseconds since 1970; `written_at` is when the bytes arrived. An indexed flag is an integer, because SQLite does
    not look up bare booleans in an index.
    """

    bucket = models.ForeignKey(Bucket, on_delete=models.CASCADE, related_name="entries", db_index=False)
    bucket_id: int
    parent = models.TextField()
    name = models.TextField()
    sort_name = models.TextField()
    kind = models.PositiveSmallIntegerField(choices=Kind)
    leads = models.PositiveSmallIntegerField(default=1)
    descendants = models.BigIntegerField(default=0)

    key = models.TextField(null=True)  # noqa: DJ001 - folders have none, and any number of nulls is unique
    object_id = models.UUIDField(default=uuid4)
    version = models.UUIDField(default=uuid4)
    file = models.CharField(max_length=32, blank=True)
    owner = models.CharField(max_length=36, blank=True)
    owner_id = models.TextField(blank=True)
    size = models.BigIntegerField(default=0)
    etag = models.CharField(max_length=40, blank=True)
    mimetype = models.TextField(blank=True)
    cache_control = models.TextField(blank=True)
    robots_tag = models.TextField(blank=True)
    user_metadata = models.JSONField(default=dict)
    created_at = models.BigIntegerField(default=0)
    updated_at = models.BigIntegerField(default=0)
    written_at = models.BigIntegerField(default=0)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["bucket", "key"], name="one_object_per_key"),
            models.UniqueConstraint(
                fields=["bucket", "parent", "name"], condition=Q(kind=Kind.FOLDER), name="one_folder_per_path"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["bucket", "parent", "leads", "sort_name", "name"], name="entry_by_name"),
            models.Index(fields=["bucket", "parent", "kind", "sort_name", "name"], name="entry_by_kind"),
            models.Index(fields=["bucket", "parent", "kind", "created_at", "sort_name", "name"], name="entry_by_created"),
            models.Index(fields=["bucket", "parent", "kind", "updated_at", "sort_name", "name"], name="entry_by_updated"),
        ]

    def __str__(self) -> str:
        return f"{self.parent}{self.name}"
