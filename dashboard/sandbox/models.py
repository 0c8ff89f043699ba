"""Models of the management half; the storage half has its own app."""

import secrets
import string
import uuid
from typing import ClassVar, Self

from django.db import models
from django.utils import timezone


def new_ref() -> str:
    """Return 20 lower-case letters."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(20))


def new_key() -> str:
    """Return 32 random bytes as 64 lower-case hex characters."""
    return secrets.token_hex(32)


def new_personal_token() -> str:
    return "sbp_" + secrets.token_hex(20)


class Person(models.Model):
    """A person with a personal token; `role` is owner or read_only."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    name = models.CharField(max_length=100)
    token = models.CharField(max_length=80, unique=True, default=new_personal_token)
    role = models.CharField(max_length=20, default="owner")
    created_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    def __str__(self) -> str:
        return self.name


class Organization(models.Model):
    id = models.CharField(primary_key=True, max_length=80)
    name = models.CharField(max_length=256)
    members = models.ManyToManyField(Person)
    created_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    def __str__(self) -> str:
        return self.name


class Project(models.Model):
    """A project; `ready_at` is when a starting one becomes healthy (None: never)."""

    ref = models.CharField(primary_key=True, max_length=20, default=new_ref)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    organization_id: str
    name = models.CharField(max_length=256)
    region = models.CharField(max_length=40)
    status = models.CharField(max_length=40, default="ACTIVE_HEALTHY")
    created_at = models.DateTimeField(default=timezone.now)
    ready_at = models.DateTimeField(null=True)
    database_version = models.CharField(max_length=40, blank=True)
    jwt_secret = models.CharField(max_length=64, default=new_key)
    root_key = models.CharField(max_length=64, default=new_key)
    hostname_allowed = models.BooleanField(default=True)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    def __str__(self) -> str:
        return self.ref


class Secret(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE)
    project_id: str
    name = models.CharField(max_length=256)
    value = models.TextField()
    updated_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "name"], name="one_secret_per_name")]

    def __str__(self) -> str:
        return self.name


class Function(models.Model):
    """A function. `created_at` and `updated_at` in milliseconds since 1970; `body` is the bundle, or UTF-8 source text."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    project = models.ForeignKey(Project, on_delete=models.CASCADE)
    project_id: str
    slug = models.CharField(max_length=256)
    name = models.TextField()
    status = models.CharField(max_length=20, default="ACTIVE")
    version = models.PositiveIntegerField(default=1)
    created_at = models.BigIntegerField()
    updated_at = models.BigIntegerField()
    verify_jwt = models.BooleanField(default=True)
    import_map = models.BooleanField(default=False)
    entrypoint_path = models.TextField(blank=True)
    import_map_path = models.TextField(blank=True)
    body = models.BinaryField()

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "slug"], name="one_function_per_slug")]

    def __str__(self) -> str:
        return self.slug


class Hostname(models.Model):
    """The custom hostname of a project. `owned` and `validated` stay true once DNS showed the TXT records."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, primary_key=True)
    project_id: str
    status = models.CharField(max_length=40, default="2_initiated")
    custom_hostname = models.CharField(max_length=253, blank=True)
    old_form = models.BooleanField(default=False)
    identifier = models.UUIDField(default=uuid.uuid4)
    ownership_value = models.UUIDField(default=uuid.uuid4)
    certificate_value = models.CharField(max_length=64)
    ssl_status = models.CharField(max_length=40, default="initializing")
    owned = models.BooleanField(default=False)
    validated = models.BooleanField(default=False)
    points_here = models.BooleanField(default=False)
    caa_error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    def __str__(self) -> str:
        return self.custom_hostname


class Ban(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE)
    project_id: str
    address = models.CharField(max_length=45)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["project", "address"], name="one_ban_per_address")]

    def __str__(self) -> str:
        return self.address


class Restrictions(models.Model):
    """The requested list, and the one in force before it (v6 None: never set). The requested one takes effect at `applies_at`."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, primary_key=True)
    project_id: str
    entitlement = models.CharField(max_length=20, default="allowed")
    v4 = models.JSONField(default=list)
    v6 = models.JSONField(null=True)
    old_v4 = models.JSONField(null=True)
    old_v6 = models.JSONField(null=True)
    status = models.CharField(max_length=20, default="applied")
    applies_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(null=True)
    applied_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    def __str__(self) -> str:
        return f"{self.project_id}: {self.status}"


class Record(models.Model):
    """One DNS record. `broken` is how the name fails instead of answering: servfail, nxdomain or silent."""

    name = models.CharField(max_length=253, db_index=True)
    kind = models.CharField(max_length=10)
    value = models.TextField()
    ttl = models.PositiveIntegerField(default=60)
    broken = models.CharField(max_length=10, blank=True)

    objects: ClassVar[models.Manager[Self]] = models.Manager()

    def __str__(self) -> str:
        return f"{self.name} {self.kind} {self.value}"
