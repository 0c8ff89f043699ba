"""Journal entries: written once, closed once, deleted only after archiving (`archive`).

Only an unknown outcome is corrected later, when reading back shows the result.
"""

from datetime import timedelta

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone

from dashboard.interfaces.operations import OVER_AFTER, WRITES, Pace
from dashboard.web.failures.problems import answer_of
from dashboard.web.process.database import read_rows

TEXT_LIMIT = 300
# A crash left an entry that stays open for longer. Transfers may take hours.
OPEN_FOR = OVER_AFTER
# Stop reading back when the service has been unreadable this long after `check_until`.
GIVE_UP_AFTER = timedelta(hours=1)
# How the digest of a secret begins, which stands for its value.
DIGEST = "sha256:"
TRANSFERS = tuple(ident for ident, write in WRITES.items() if write.pace is Pace.TRANSFER)
TRANSFER_OPEN_FOR = timedelta(hours=12)


class Outcome(models.TextChoices):
    OPEN = "open", "Under way"
    DONE = "done", "Done"
    REFUSED = "refused", "Refused"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Outcome unknown"
    # Only these are set by reading back, well after the request was sent. `after` then counts: {"done": 2, "of": 5}.
    NOT_APPLIED = "absent", "Not applied"
    PARTLY = "partly", "Partly applied"


# How the target of a write begins that only finds out what the service does.
QUESTION = "a question: "
_QUESTIONS = Q(operation="S12", action="", target__startswith=QUESTION)


class Entries(models.QuerySet["Entry"]):
    def listed(self) -> "Entries":
        """Leave out questions to the service: they change nothing that people know of."""
        return self.exclude(_QUESTIONS)

    def count_listed(self) -> int:
        """Count without questions. Counts these apart, so that an index counts all others."""
        return self.count() - self.filter(_QUESTIONS).count()

    def being_checked(self, place: str) -> list["Entry"]:
        """Return writes whose outcome is being checked, oldest first. Raw SQL, because every page asks."""
        where = "WHERE place = %s AND check_until > %s ORDER BY id"
        return read_rows(self.model, where, (place, timezone.now() - GIVE_UP_AFTER))

    def in_doubt_of(self, person_id: int) -> list["Entry"]:
        """Return a person's writes whose outcome is being checked, oldest first. Raw SQL as above."""
        where = "WHERE person_id = %s AND check_until > %s ORDER BY id"
        return list(read_rows(self.model, where, (person_id, timezone.now() - GIVE_UP_AFTER)))

    def under_way(self, place: str) -> "Entries":
        """Return open writes that can be read back, oldest first."""
        return self.filter(place=place, outcome=Outcome.OPEN).exclude(expected="").order_by("pk")

    def left_open(self, longest_deadline: timedelta) -> "Entries":
        """Return entries left open by a crashed process, oldest first.

        An entry that can be read back covers a single request, so it is overdue after that request's longest deadline.
        """
        single = ~Q(expected="") & Q(check_until=None, outcome__in=(Outcome.OPEN, Outcome.UNKNOWN))
        late = Q(started_at__lt=timezone.now() - longest_deadline)
        return self.filter(_left_behind() | (single & late)).order_by("pk")

    def with_outcome(self, outcome: str) -> "Entries":
        """Filter by the displayed outcome: entries left open count as unknown."""
        if outcome == Outcome.OPEN:
            return self.filter(outcome=Outcome.OPEN).exclude(_left_behind())
        if outcome == Outcome.UNKNOWN:
            return self.filter(Q(outcome=Outcome.UNKNOWN) | _left_behind())
        return self.filter(outcome=outcome)


class Entry(models.Model):
    """One change: person, operation, target, token and outcome.

    `operation` is an operation id of the interface document ("S1"), or a short name for a change in Pilothouse ("token stored").
    `before` and `after` hold digests instead of secrets.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    operation = models.CharField(max_length=40)
    place = models.CharField("project or space", max_length=64, blank=True)
    action = models.CharField("a person's action that makes several changes", max_length=40, blank=True)
    part_of = models.ForeignKey("self", models.PROTECT, null=True, related_name="parts", verbose_name="first entry of its action")
    target = models.TextField(blank=True)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    token = models.CharField("fingerprint of the token", max_length=32, blank=True)
    through = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        verbose_name="whose token was used by a grant",
    )
    outcome = models.CharField(max_length=8, choices=Outcome.choices, default=Outcome.OPEN)
    status = models.PositiveSmallIntegerField("status of the answer", null=True)
    message = models.CharField("what the service said", max_length=TEXT_LIMIT, blank=True)
    started_at = models.DateTimeField(default=timezone.now)
    expected = models.TextField("sealed: what reading back has to show, until the outcome is known", blank=True)
    check_until = models.DateTimeField("unknown, and read back until then", null=True)
    settled_at = models.DateTimeField("when reading back showed the outcome", null=True)
    duration_ms = models.PositiveIntegerField(null=True)

    objects = Entries.as_manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("person", "-id"), name="journal_person"),
            models.Index(fields=("place", "-id"), name="journal_place"),
            models.Index(fields=("operation", "-id"), name="journal_operation"),
            models.Index(fields=("place",), name="journal_unsettled", condition=Q(check_until__isnull=False)),
            models.Index(fields=("place", "started_at"), name="journal_expected", condition=~Q(expected="")),
            models.Index(fields=("started_at",), name="journal_open", condition=Q(outcome="open")),
            models.Index(fields=("person", "action"), name="journal_action", condition=~Q(action="") & Q(part_of=None)),
        )
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return f"{self.operation} {self.target}"

    @property
    def shown_outcome(self) -> Outcome:
        """The outcome to display: an entry left open counts as unknown."""
        if self.outcome == Outcome.OPEN and self.started_at < timezone.now() - _open_for(self.operation):
            return Outcome.UNKNOWN
        return Outcome(self.outcome)

    @property
    def answer(self) -> str:
        """The service's answer to a write with unknown outcome, as a sentence."""
        if self.duration_ms is None:
            return "Pilothouse stopped before an answer came."
        return answer_of(self.status)


def _open_for(operation: str) -> timedelta:
    return TRANSFER_OPEN_FOR if operation in TRANSFERS else OPEN_FOR


def _left_behind() -> Q:
    now = timezone.now()
    transfer = Q(operation__in=TRANSFERS)
    old = (transfer & Q(started_at__lt=now - TRANSFER_OPEN_FOR)) | (~transfer & Q(started_at__lt=now - OPEN_FOR))
    return Q(outcome=Outcome.OPEN) & old
