"""The people who sign in."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.crypto import salted_hmac


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    MEMBER = "member", "Member"


class People(BaseUserManager["Person"]):
    def create(self, *, email: str, name: str = "", role: str = Role.MEMBER) -> "Person":  # type: ignore[override] # narrower on purpose
        """A person without a password: the way in is the link that the team page hands out."""
        person = self.model(email=self.normalize_email(email), name=name, role=role)
        person.set_unusable_password()
        person.save(using=self._db)
        return person

    def active_owners(self) -> models.QuerySet["Person"]:
        return self.filter(role=Role.OWNER, is_active=True)

    def get_by_natural_key(self, username: str | None) -> "Person":
        return self.get(email__iexact=username)


class Person(AbstractBaseUser):
    """Somebody of the team. The e-mail address is the name to sign in with."""

    email = models.EmailField("e-mail address", max_length=254, unique=True)
    name = models.CharField(max_length=100, blank=True)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.MEMBER)
    is_active = models.BooleanField("may sign in", default=True)
    joined_at = models.DateTimeField(default=timezone.now)
    # Raised to end every session, and every handed-out link, of this person at once.
    session_serial = models.PositiveIntegerField(default=0)
    link_serial = models.PositiveIntegerField(default=0)

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

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session must carry to stay valid: changes with the password and with `session_serial`."""
        text = f"{self.password}:{self.session_serial}"
        return salted_hmac("dashboard.team.session", text, secret=secret, algorithm="sha256").hexdigest()
