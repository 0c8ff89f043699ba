"""The Person model, its roles and the token lock."""

from datetime import datetime
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.crypto import salted_hmac


class Role(models.TextChoices):
    """A person's role, from the least rights to the most (`team.rights`)."""

    VIEWER = "viewer", "Viewer"
    OPERATOR = "operator", "Operator"
    ADMINISTRATOR = "administrator", "Administrator"
    OWNER = "owner", "Owner"

    @property
    def rank(self) -> int:
        return list(Role).index(self)

    @property
    def phrase(self) -> str:
        """The role with its article."""
        return f"{'a' if self is Role.VIEWER else 'an'} {self.label.lower()}"


class People(BaseUserManager["Person"]):
    def create(self, *, email: str, name: str = "", role: str = Role.OPERATOR) -> "Person":  # type: ignore[override] # narrower on purpose
        """Create a person without a password; they set one with a one-time link."""
        person = self.model(email=self.normalize_email(email), name=name, role=role)
        person.set_unusable_password()
        person.save(using=self._db)
        return person

    def active_owners(self) -> models.QuerySet["Person"]:
        return self.filter(role=Role.OWNER, is_active=True)

    def get_by_natural_key(self, username: str | None) -> "Person":
        return self.get(email__iexact=username)


class Person(AbstractBaseUser):
    """A member of the team. Signs in with the e-mail address."""

    email = models.EmailField("e-mail address", max_length=254, unique=True)
    name = models.CharField(max_length=100, blank=True)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.OPERATOR)
    is_active = models.BooleanField("may sign in", default=True)
    public_address = models.GenericIPAddressField("that they come from, as they state it", null=True)
    joined_at = models.DateTimeField(default=timezone.now)
    # Incremented to end all of this person's sessions, or links.
    session_serial = models.PositiveIntegerField(default=0)
    link_serial = models.PositiveIntegerField(default=0)
    # When another person's link last set the password. The account stays locked (`team.locked`) until the person proves something
    # from before the first such link.
    locked_at = models.DateTimeField(null=True)
    first_locked_at = models.DateTimeField(null=True)
    locked_by = models.ForeignKey("self", on_delete=models.PROTECT, related_name="+", null=True)
    former_password = models.CharField("hash of the password from before the lock", max_length=128, blank=True)

    objects: ClassVar[People] = People()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        ordering = ("name", "email")
        constraints = (models.UniqueConstraint(Lower("email"), name="one_person_per_address"),)

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def is_owner(self) -> bool:
        return self.role == Role.OWNER

    @property
    def is_locked(self) -> bool:
        return self.locked_at is not None

    @property
    def trusted_until(self) -> datetime | None:
        """The moment of the first lock. Anything added to the account since proves nothing."""
        return (self.first_locked_at or self.locked_at) if self.is_locked else None

    def lock(self, by: "Person") -> None:
        """Lock the account before a new password is set. Keeps the time and the password from before the first lock."""
        now = timezone.now()
        if not self.is_locked:
            self.first_locked_at, self.former_password = now, self.password
        self.locked_at, self.locked_by = now, by

    def unlock(self) -> None:
        self.locked_at, self.first_locked_at, self.locked_by, self.former_password = None, None, None, ""

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """End sessions when the password or `session_serial` changes."""
        text = f"{self.password}:{self.session_serial}"
        return salted_hmac("dashboard.team.session", text, secret=secret, algorithm="sha256").hexdigest()
