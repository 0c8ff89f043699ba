"""Share links with their targets and download tickets, and records of signed links."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.functional import cached_property

from dashboard.links.codes import digest, new_code, place_digest
from dashboard.links.states import Rule, State, state_column, state_of
from dashboard.links.terms import CommonTerms
from dashboard.team.models import Person, Role
from dashboard.team.rights import allows
from dashboard.tokens.grants import Granted, granted
from dashboard.tokens.models import Grant
from dashboard.tokens.models import Kind as TokenKind
from dashboard.tokens.scope import Scope
from dashboard.vault.fields import SealedField
from dashboard.vault.seals import CannotOpen, Sealed
from dashboard.web.input.expiry import NO_END
from dashboard.web.process.database import read_rows

C = TypeVar("C", bound="CodedLink")


class CodedLinks(models.QuerySet[C]):
    def current(self, now: datetime | None = None) -> Self:
        """Return links that haven't ended by their own terms. Their owner or grant may still keep them from opening."""
        over = [rule.where(self, now or timezone.now()) for rule in self.model.rules() if rule.state in self.model.OVER]
        return self.filter(*(~where for where in over))

    def in_state(self, *wanted: str) -> Self:
        """Return links whose `state` is one of these."""
        return self.alias(shown=state_column(self, self.model.rules(), timezone.now())).filter(shown__in=wanted)

    def visible_to(self, person: Person) -> Self:
        """Return the links a person may see, with their people: their own; all of them for owners of the team."""
        found = self.select_related("owner", "revoked_by")
        return found if person.is_owner else found.filter(owner=person)

    def cut_off(self) -> Q:
        """Match current links that are cut off (see `is_cut_off`)."""
        found = Q(pk__in=())
        for owner, grant, through in self.grants_in_use():
            if not through:
                found |= Q(owner=owner, grant=grant)
        return found

    def grants_in_use(self) -> Iterator[tuple[int, int, Granted | None]]:
        """Yield each pair of owner and grant of current links, with the grant if it still works. Judges each pair once."""
        pairs = set(self.current().filter(grant__isnull=False).order_by().values_list("owner_id", "grant_id").distinct())
        owners = Person.objects.in_bulk({owner for owner, _ in pairs})
        for owner, grant in pairs:
            yield owner, grant, _working(owners[owner], grant)


class Shares(CodedLinks["Share"]):
    pass


def with_right(right: str) -> Q:
    """Match links whose owner's role still has this right."""
    return Q(owner__role__in=[role for role in Role if allows(role, right)])


class CodedLink(models.Model):
    """Base of links that anyone with the code can open until they expire or are revoked.

    `code_digest` finds it, `sealed_code` lets its owner copy the link again. `ONE` is what people call one that is not over.
    `SUBJECT` tells apart the codes, attempts and cookies of each kind of link. `OVER` are the states of links that ended by
    their own terms. `RIGHT` is what the owner's role must allow.
    """

    ONE: ClassVar[str]
    SUBJECT: ClassVar[str]
    RIGHT: ClassVar[str]
    OVER: ClassVar[frozenset[State]] = frozenset({State.ENDED, State.EXPIRED})
    objects: Any

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="%(class)ss")
    # The grant that opens it; null: the owner's own token.
    grant = models.ForeignKey(Grant, on_delete=models.PROTECT, related_name="+", null=True)
    space = models.CharField("space, or the project's ref", max_length=64)
    bucket = models.CharField(max_length=255, blank=True)
    code_digest = models.CharField(max_length=64, unique=True)
    sealed_code = SealedField()
    note = models.CharField(max_length=500, blank=True)
    password = models.CharField("hash of the password", max_length=200, blank=True)
    ends_at = models.DateTimeField()
    zone = models.CharField("IANA time zone that the end was chosen in", max_length=64, blank=True)
    made_at = models.DateTimeField(default=timezone.now)
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)

    class Meta:
        abstract = True

    @classmethod
    def rules(cls) -> tuple[Rule[Any], ...]:
        """Return the rules that define its state, first match first."""
        raise NotImplementedError

    def shown_in(self, _scope: Scope) -> set[int]:
        """Return the numbers of what a grant of this scope shows through the link."""
        raise NotImplementedError

    @classmethod
    def purpose_of_codes(cls) -> str:
        """The purpose for which codes are digested."""
        return f"{cls.SUBJECT} link"

    @property
    def purpose(self) -> str:
        """The purpose for which the code is sealed."""
        return f"{self.SUBJECT}:{self.code_digest}"

    def issue_code(self) -> str:
        """Give the link a new code, and return it."""
        code = new_code()
        self.code_digest = digest(code, purpose=self.purpose_of_codes())
        self.sealed_code = Sealed.seal(code, owner=self.owner_id, purpose=self.purpose)
        return code

    @property
    def token_kind(self) -> TokenKind:
        """The kind of the token that opens it."""
        return TokenKind.STORAGE

    def give_to(self, person: Person, **changed: Any) -> None:
        """Transfer it to somebody whose own token opens it, and save it. They can copy the link if the previous owner could."""
        code, self.owner, self.grant = self.code, person, None
        if code:
            self.sealed_code = Sealed.seal(code, owner=person.pk, purpose=self.purpose)
        for name, value in changed.items():
            setattr(self, name, value)
        self.save(update_fields=("owner", "grant", "sealed_code", *changed))

    def agree(self, terms: CommonTerms) -> None:
        """Set these terms; a password is stored as its hash."""
        self.ends_at, self.note, self.zone = terms.ends_at, terms.note, terms.zone or self.zone
        if terms.password is not None:
            self.password = make_password(terms.password) if terms.password else ""

    @property
    def expires_at(self) -> datetime | None:
        """Return when it expires; None for no expiry, which `ends_at` stores as `NO_END`."""
        return self.ends_at if self.ends_at < NO_END else None

    @property
    def state(self) -> State:
        """Return the state that badges show and filters match."""
        return self.state_but()

    def state_but(self, *states: State) -> State:
        """Return its state, ignoring these."""
        return state_of(self, self.rules(), timezone.now(), but=states)

    def word_of(self, state: State) -> str:
        """Return the words for its state: if somebody else revoked it, with their name."""
        if state is State.ENDED and self.revoked_by is not None and self.revoked_by_id != self.owner_id:
            return f"Revoked by {self.revoked_by}"
        return state.label

    @property
    def is_current(self) -> bool:
        """Whether it hasn't ended by its own terms, so that it can be revoked."""
        return state_of(self, (rule for rule in self.rules() if rule.state in self.OVER), timezone.now()) is State.LIVE

    def can_be_restored_by(self, person: Person) -> bool:
        """Whether it is revoked, and this person revoked it, or owns it and the team."""
        return self.revoked_at is not None and person.pk in {self.revoked_by_id, self.owner_id * person.is_owner}

    @property
    def is_cut_off(self) -> bool:
        """Whether the grant that it opens with no longer works."""
        return self.grant_id is not None and _working(self.owner, self.grant_id) is None

    @property
    def grants(self) -> list[int]:
        """Return the grant that opens it, if any, for `acting_as`."""
        return [self.grant_id] if self.grant_id else []

    @property
    def code(self) -> str:
        """Return the code for its owner to copy again; "" if it can't be decrypted or the owner is locked."""
        if self.owner.is_locked:
            return ""
        try:
            return self.sealed_code.open(owner=self.owner_id, purpose=self.purpose)
        except CannotOpen:
            return ""


# Rules of every kind of link: those before and those after rules about its own limits.
EXPIRY = Rule[Any](State.EXPIRED, lambda link, now: link.ends_at <= now, lambda _, now: Q(ends_at__lte=now))
ENDING: tuple[Rule[CodedLink], ...] = (
    Rule(State.ENDED, lambda link, _: link.revoked_at is not None, lambda *_: Q(revoked_at__isnull=False)),
    EXPIRY,
)
OPENING: tuple[Rule[CodedLink], ...] = (
    Rule(State.OWNER_LEFT, lambda link, _: not link.owner.is_active, lambda *_: Q(owner__is_active=False)),
    Rule(State.LOCKED, lambda link, _: link.owner.is_locked, lambda *_: Q(owner__locked_at__isnull=False)),
    Rule(State.HIDDEN, lambda link, _: not allows(link.owner.role, link.RIGHT), lambda found, _: ~with_right(found.model.RIGHT)),
    Rule(State.HIDDEN, lambda link, _: link.is_cut_off, lambda found, _: found.cut_off()),
)


class Share(CodedLink):
    """A link to objects or to a page.

    `opened` counts downloads. `bucket` is where it was created; each target has its own, since objects move.
    """

    ONE = "active share link"
    SUBJECT = "share"
    RIGHT = "link shared"
    OVER = CodedLink.OVER | {State.USED_UP}

    class Kind(models.TextChoices):
        OBJECTS = "objects", "Objects"
        HOSTNAME = "hostname", "Hostname instructions"

    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.OBJECTS)
    limit = models.PositiveIntegerField("downloads allowed", null=True)
    landing = models.BooleanField("shows a page first", default=True)
    hides_download = models.BooleanField("the page has no download button", default=False)
    download_name = models.CharField("name that its download is saved under", max_length=200, blank=True)
    opened = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField("last opened", null=True)
    gone_at = models.DateTimeField("when it was seen to lead to nothing", null=True)
    private_note = models.CharField("note that only its owner sees", max_length=200, blank=True, default="", db_default="")
    tells_first = models.BooleanField("its owner is still to be told of the first opening", default=False, db_default=False)
    hidden_at = models.DateTimeField("when its owner's token was seen not to read what another one read", null=True)
    reader = models.CharField("fingerprint of the owner's token that read it last", max_length=64, blank=True)

    objects = Shares.as_manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("space", "bucket"), name="share_place"),
            models.Index(fields=("owner", "-id"), name="share_owner"),
            models.Index(fields=("ends_at",), name="share_end"),
            models.Index(fields=("id",), condition=Q(tells_first=True), name="share_tells"),
        )

    def __str__(self) -> str:
        return f"Share {self.pk} of {self.owner_id}"

    @classmethod
    def rules(cls) -> tuple[Rule[Any], ...]:
        return RULES

    @property
    def token_kind(self) -> TokenKind:
        return TokenKind.STORAGE if self.kind == self.Kind.OBJECTS else TokenKind.MANAGEMENT

    def shown_in(self, scope: Scope) -> set[int]:
        return {target.pk for target in self.targets.all() if target.is_shown_in(scope)}

    def give_to(self, person: Person, **changed: Any) -> None:
        super().give_to(person, hidden_at=None, private_note="", tells_first=False, **changed)

    @cached_property
    def first_targets(self) -> list["Target"]:
        """The first two targets: enough to know whether there is only one."""
        return read_rows(Target, "WHERE share_id = %s ORDER BY id LIMIT 2", (self.pk,))


RULES: tuple[Rule[Any], ...] = (
    *ENDING,
    Rule[Share](
        State.USED_UP,
        lambda share, _: share.limit is not None and share.opened >= share.limit,
        lambda *_: Q(limit__isnull=False, opened__gte=F("limit")),
    ),
    *OPENING,
    Rule[Share](State.GONE, lambda share, _: share.gone_at is not None, lambda *_: Q(gone_at__isnull=False)),
    Rule[Share](State.HIDDEN, lambda share, _: share.hidden_at is not None, lambda *_: Q(hidden_at__isnull=False)),
)


def _working(owner: Person, grant_id: int) -> Granted | None:
    through = granted(owner, grant_id)
    return through if through and not through.reason else None


class Target(models.Model):
    """One object of a share, or a folder with everything below it (`key` then ends in a slash; "" is the whole bucket)."""

    share = models.ForeignKey(Share, on_delete=models.CASCADE, related_name="targets")
    bucket = models.CharField(max_length=255)
    key = models.TextField(blank=True)
    digest = models.CharField(max_length=64, db_index=True)
    is_folder = models.BooleanField(default=False)

    objects: ClassVar[models.Manager["Target"]] = models.Manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.bucket}/{self.key}"

    def is_shown_in(self, scope: Scope) -> bool:
        """Whether a scope shows it whole. The page of a project leads to its hostname's instructions."""
        if scope.kind == TokenKind.MANAGEMENT:
            return "hostname" in scope.sections
        return (scope.holds_folder if self.is_folder else scope.holds_key)(self.bucket, self.key)

    def point_to(self, bucket: str, key: str) -> None:
        """Point to another object or folder."""
        self.bucket, self.key, self.digest = bucket, key, place_digest(bucket, key)


class Ticket(models.Model):
    """One counted download of a limited share. For an hour, its client may read the object again, also in ranges."""

    share = models.ForeignKey(Share, on_delete=models.CASCADE, related_name="tickets")
    digest = models.CharField(max_length=64, unique=True)
    bucket = models.CharField(max_length=255)
    key = models.TextField(blank=True)
    address = models.CharField("digest of the client's address", max_length=64)
    made_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField(db_index=True)
    begun_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Ticket"]] = models.Manager()

    def __str__(self) -> str:
        return f"Ticket {self.pk} of share {self.share_id}"


class Device(models.TextChoices):
    PHONE = "phone", "Phone"
    TABLET = "tablet", "Tablet"
    COMPUTER = "computer", "Computer"
    OTHER = "other", "Other program"


class Opening(models.Model):
    """One opening of a share link. It says nothing about who opened it but the kind of device."""

    share = models.ForeignKey(Share, on_delete=models.CASCADE, related_name="openings")
    at = models.DateTimeField(db_index=True)
    downloaded = models.BooleanField()
    device = models.CharField(max_length=8, choices=Device.choices)

    objects: ClassVar[models.Manager["Opening"]] = models.Manager()

    def __str__(self) -> str:
        return f"Opening {self.pk} of share {self.share_id}"


class RawLink(models.Model):
    """A record of signed links given to a person: which objects, until when. Never the links themselves."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    grant = models.ForeignKey(Grant, on_delete=models.PROTECT, related_name="signed_links", null=True)
    space = models.CharField(max_length=64)
    bucket = models.CharField(max_length=255)
    keys = models.JSONField(default=list)
    count = models.PositiveIntegerField()
    made_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()

    objects: ClassVar[models.Manager["RawLink"]] = models.Manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("space", "bucket"), name="raw_place"),
            models.Index(fields=("ends_at",), name="raw_end"),
        )

    def __str__(self) -> str:
        return f"{self.count} signed links into {self.bucket}"


class PublicBuckets(models.Model):
    """Only 1.0.0 uses it: `tokens.LastKnown` keeps the buckets read with S2. The version after the next one drops the table."""

    fingerprint = models.CharField(max_length=32)
    space = models.CharField(max_length=64)
    buckets = models.JSONField(default=list)
    seen_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[models.Manager["PublicBuckets"]] = models.Manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("fingerprint", "space"), name="one_list_of_public_buckets"),)

    def __str__(self) -> str:
        return f"{len(self.buckets)} public buckets of {self.space}"
