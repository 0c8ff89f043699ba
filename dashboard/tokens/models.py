"""Stored tokens (sealed), grants for their use, and the last known data of each credential."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.tokens.errors import TokenBroken, TokenLocked, TokenMissing
from dashboard.tokens.scope import Scope
from dashboard.vault.fields import SealedField
from dashboard.vault.seals import CannotOpen, Sealed


class Kind(models.TextChoices):
    MANAGEMENT = "management", "Management"
    STORAGE = "storage", "Storage"

    @classmethod
    def of(cls, operation: str) -> "Kind":
        """Return the kind of token that an operation of the document uses."""
        return cls.STORAGE if operation.startswith("S") else cls.MANAGEMENT

    @classmethod
    def space(cls, kind: str, place: str) -> str:
        """Return the space for which the token used at a place is stored: "" for management, whose token serves all projects."""
        return "" if kind == cls.MANAGEMENT else place


class StoredToken(models.Model):
    """One person's token for the management interface (`space` empty) or for the storage of one space."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="stored_tokens")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    space = models.CharField(max_length=63, blank=True)
    sealed = SealedField()
    last4 = models.CharField(max_length=4)
    fingerprint = models.CharField(max_length=32)
    placement = models.CharField("how storage takes it", max_length=8, blank=True)
    reach = models.JSONField("what it reached when it was last checked", default=dict)
    added_at = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    refused_at = models.DateTimeField("last refusal", null=True)
    refusal = models.CharField("the service's words", max_length=300, blank=True)

    objects: ClassVar[models.Manager["StoredToken"]] = models.Manager()

    class Meta:
        ordering = ("kind", "space")
        constraints = (models.UniqueConstraint(fields=("person", "kind", "space"), name="one_token_per_person_and_space"),)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} token …{self.last4}"

    def seal(self, text: str) -> None:
        """Seal `text` for this person, kind and space."""
        self.sealed = Sealed.seal(text, owner=self.person_id, purpose=self._purpose)

    def open(self) -> str:
        """Return the token. Raises `TokenLocked`, or `TokenBroken` if it can't be unsealed."""
        if self.is_locked:
            raise TokenLocked(kind=self.kind, space=self.space)
        try:
            return self.sealed.open(owner=self.person_id, purpose=self._purpose)
        except CannotOpen:
            raise TokenBroken(kind=self.kind, space=self.space) from None

    @property
    def is_locked(self) -> bool:
        """Whether its owner's account is locked, because another person's link set the password."""
        return bool(self.person.is_locked)

    @property
    def opens(self) -> bool:
        try:
            self.open()
        except TokenMissing:
            return False
        return True

    @property
    def is_refused(self) -> bool:
        """Whether the service has refused it since it last worked."""
        return self.refused_at is not None and (self.last_used_at is None or self.refused_at > self.last_used_at)

    @property
    def _purpose(self) -> str:
        return f"token:{self.kind}:{self.space}"


class Grant(models.Model):
    """Permission to use a person's stored token, within a scope, without seeing it.

    It is for one person, or for everybody with at least a role. It works while the giver stores the token that it was confirmed
    for (`token`): with another one it pauses until the giver confirms it. Rows are kept, because journal entries name them.
    """

    giver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="grants_given")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    space = models.CharField("of the giver's token", max_length=63, blank=True)
    place = models.CharField("project or space", max_length=64)
    name = models.CharField("of the place, as the giver last confirmed it", max_length=200, blank=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="grants", null=True)
    role = models.CharField("least role, if not for one person", max_length=16, blank=True)
    acts = models.JSONField(default=list)
    sections = models.JSONField("of a project", default=list)
    folders = models.JSONField("of a space, as bucket/folder/", default=list)
    note = models.CharField(max_length=200, blank=True)
    version = models.PositiveIntegerField("of the scope", default=1)
    token = models.CharField("fingerprint of the token that the giver confirmed", max_length=32)
    ends_at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField("when it was made or its scope was changed", default=timezone.now)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Grant"]] = models.Manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("person", "revoked_at"), name="grants_of_a_person"),
            models.Index(fields=("giver", "kind", "space"), name="grants_of_a_token"),
        )
        constraints = (
            models.CheckConstraint(condition=models.Q(person=None) ^ models.Q(role=""), name="grant_for_a_person_or_a_role"),
        )

    def __str__(self) -> str:
        return f"Grant {self.pk} for {self.place}"

    @property
    def scope(self) -> Scope:
        return Scope(self.kind, self.place, frozenset(self.acts), frozenset(self.sections), tuple(self.folders))


class ActiveGrant(models.Model):
    """The credential that a person chose for a place: a grant, or null for their own token. Without a row, see `Workspace`."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    place = models.CharField("project or space", max_length=64)
    grant = models.ForeignKey(Grant, on_delete=models.CASCADE, related_name="+", null=True)

    objects: ClassVar[models.Manager["ActiveGrant"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("person", "kind", "place"), name="one_credential_per_place"),)

    def __str__(self) -> str:
        return f"{self.kind} at {self.place}"


class Act(models.TextChoices):
    """An act that row policies allow or refuse."""

    LIST = "list", "List"
    READ = "read", "Read"
    INSERT = "insert", "Insert"
    UPDATE = "update", "Update"
    DELETE = "delete", "Delete"


class Ability(models.Model):
    """Whether a storage token may do something in a bucket, as an answer proved."""

    fingerprint = models.CharField(max_length=64)
    space = models.CharField(max_length=63)
    bucket = models.CharField(max_length=255)
    act = models.CharField(max_length=6, choices=Act.choices)
    is_allowed = models.BooleanField()
    seen_at = models.DateTimeField(db_index=True)

    objects: ClassVar[models.Manager["Ability"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("fingerprint", "space", "bucket", "act"), name="one_ability_per_act"),)

    def __str__(self) -> str:
        return f"{self.act} in {self.bucket}"


class LastKnown(models.Model):
    """The last answer to one read by one credential. `question` is a digest of its arguments."""

    fingerprint = models.CharField(max_length=64)
    operation = models.CharField(max_length=4)
    question = models.CharField(max_length=64)
    body = models.BinaryField()
    read_at = models.DateTimeField()

    objects: ClassVar[models.Manager["LastKnown"]] = models.Manager()

    class Meta:
        ordering = ("-read_at",)
        constraints = (
            models.UniqueConstraint(fields=("fingerprint", "operation", "question"), name="one_last_known_per_question"),
        )
        indexes = (models.Index(fields=("fingerprint", "-read_at"), name="last_known_of_a_token"),)

    def __str__(self) -> str:
        return f"{self.operation} as of {self.read_at:%Y-%m-%d %H:%M}"
