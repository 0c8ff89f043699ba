"""File requests: links by which outsiders send files into one folder, and the files they sent."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.functional import cached_property

from dashboard.links.models import ENDING, OPENING, CodedLink, CodedLinks
from dashboard.links.states import Rule, State
from dashboard.team.models import Person
from dashboard.tokens.grants import granted
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.scope import Scope


class FileRequests(CodedLinks["FileRequest"]):
    def cut_off(self) -> Q:
        own = StoredToken.objects.filter(
            kind=Kind.STORAGE, person=OuterRef("owner"), space=OuterRef("space"), fingerprint=OuterRef("token")
        )
        found = Q(~Exists(own), grant=None)
        for owner, grant, through in self.grants_in_use():
            found |= Q(~Q(token=through.fingerprint if through else ""), owner=owner, grant=grant)
        return found


class FileRequest(CodedLink):
    """A link by which outsiders send files into one folder of a private bucket.

    `token` is the fingerprint of the owner's token when it was made: the request stops working without it. `types` are patterns
    as in HTML's `accept`, separated by spaces. `files` and `bytes` count what was received and what is being sent.
    """

    ONE = "file request"
    SUBJECT = "request"
    RIGHT = "files requested"

    title = models.CharField(max_length=100)
    folder = models.TextField(blank=True)
    token = models.CharField(max_length=32)
    types = models.CharField(max_length=500, blank=True)
    most_bytes = models.PositiveBigIntegerField("bytes allowed per file")
    most_files = models.PositiveIntegerField("files allowed")
    most_total = models.PositiveBigIntegerField("bytes allowed in all")
    files = models.PositiveIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)

    objects = FileRequests.as_manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=("owner", "-id"), name="request_owner"),)

    def __str__(self) -> str:
        return self.title

    @classmethod
    def rules(cls) -> tuple[Rule[Any], ...]:
        return RULES

    @property
    def is_cut_off(self) -> bool:
        """Whether it would now open with another token than the one it was made with, or with none."""
        if self.grant_id is None:
            return self.own_fingerprint != self.token
        through = granted(self.owner, self.grant_id)
        return not through or bool(through.reason) or through.fingerprint != self.token

    def shown_in(self, scope: Scope) -> set[int]:
        return {self.pk} if scope.allows("upload") and scope.holds_folder(self.bucket, self.folder) else set()

    def give_to(self, person: Person, **changed: Any) -> None:
        own = StoredToken.objects.get(kind=Kind.STORAGE, person=person, space=self.space)
        super().give_to(person, token=own.fingerprint, **changed)

    @cached_property
    def own_fingerprint(self) -> str:
        """The fingerprint of its owner's own token; "" if there is none. `rows` sets it for lists."""
        own = StoredToken.objects.filter(kind=Kind.STORAGE, person=self.owner_id, space=self.space)
        return own.values_list("fingerprint", flat=True).first() or ""

    @property
    def place(self) -> str:
        return f"{self.bucket}/{self.folder}"


RULES: tuple[Rule[Any], ...] = (
    *ENDING,
    Rule[FileRequest](
        State.USED_UP,
        lambda asked, _: asked.files >= asked.most_files or asked.bytes >= asked.most_total,
        lambda *_: Q(files__gte=F("most_files")) | Q(bytes__gte=F("most_total")),
    ),
    *OPENING,
)


class ReceivedFile(models.Model):
    """A file of a request, stored from the moment its place is reserved.

    `visit` is the digest of the sender's visit. `entry` is the journal entry of the current write, by which an unknown outcome is
    settled. `accepted_key` is the key that the file was moved to.
    """

    class State(models.TextChoices):
        SENDING = "sending", "Being sent"
        RECEIVED = "received", "To review"
        ACCEPTING = "accepting", "Being accepted"
        REJECTING = "rejecting", "Being rejected"
        ACCEPTED = "accepted", "Accepted"
        REJECTED = "rejected", "Rejected"
        MISSING = "missing", "Missing"

    request = models.ForeignKey(FileRequest, on_delete=models.CASCADE, related_name="received")
    visit = models.CharField(max_length=64)
    sender = models.CharField(max_length=80)
    name = models.CharField(max_length=255)
    key = models.TextField()
    size = models.PositiveBigIntegerField()
    mimetype = models.CharField(max_length=200)
    state = models.CharField(max_length=9, choices=State.choices, default=State.SENDING)
    entry = models.BigIntegerField(null=True)
    made_at = models.DateTimeField(default=timezone.now)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    decided_at = models.DateTimeField(null=True)
    accepted_key = models.TextField(blank=True)

    objects: ClassVar[models.Manager["ReceivedFile"]] = models.Manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("request", "state"), name="received_state"),
            models.Index(fields=("request", "visit"), name="received_visit"),
        )

    def __str__(self) -> str:
        return self.name
