"""Share links as rows that are ready to print."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q
from django.urls import reverse

from dashboard.links.codes import place_digest
from dashboard.links.models import Share, Shares, State, Target
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace

TONES = {
    State.LIVE: "good",
    State.EXPIRED: "neutral",
    State.ENDED: "neutral",
    State.USED_UP: "attention",
    State.GONE: "danger",
    State.HIDDEN: "attention",
    State.OWNER_LEFT: "attention",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One share link in a list. `edit`, `end` and `reopen` are addresses of its dialogs.

    `word` is the state in words, with who ended it; `gone_at` when it was seen to lead to nothing, or to what
    its owner's token can't read.
    """

    id: int
    name: str
    place: str
    note: str
    owner: str
    is_mine: bool
    state: State
    word: str
    tone: str
    gone_at: datetime | None
    ends_at: datetime
    opened: str
    opened_at: datetime | None
    has_password: bool
    edit: str
    end: str
    reopen: str
    can_reopen: bool

    @property
    def is_live(self) -> bool:
        """Whether there is something to end."""
        return self.state in (State.LIVE, State.GONE, State.HIDDEN, State.OWNER_LEFT)


def visible(person: Person) -> Shares:
    """What a person may see: the own links, and everybody's for an owner of the team."""
    shares = Share.objects.select_related("owner", "revoked_by").prefetch_related("targets")
    return shares if person.is_owner else shares.filter(owner=person)


def returning(by: Person, person: Person) -> list[str]:
    """What the team page says of links that open again when `by` reactivates `person`."""
    live = list(Share.objects.live().filter(owner=person).values_list("pk", flat=True))
    count = "1 share link opens" if len(live) == 1 else f"{len(live):,} share links open"
    return [f"{count} again: {', '.join(named(by, live))}."] if live else []


def rows(person: Person, shares: Iterable[Share]) -> list[Row]:
    return [_row(person, share) for share in shares]


def of_object(workspace: Workspace, space: str, bucket: str, key: str) -> list[Row]:
    """The live links that lead to one object, by itself, in a set or by a folder above it; only those this person may see."""
    parts = key.split("/")
    folders = ["", *("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))]
    above = Q(is_folder=True, digest__in=[place_digest(bucket, folder) for folder in folders])
    here = Target.objects.filter(Q(digest=place_digest(bucket, key)) | above, bucket=bucket)
    found = visible(workspace.person).live().filter(kind=Share.Kind.OBJECTS, space=space, targets__in=here).distinct()
    return rows(workspace.person, found.order_by("ends_at"))


def of_page(person: Person, kind: str, place: str, name: str) -> list[Row]:
    """The live links to a page about `name` of a project; only those this person may see."""
    about = Target.objects.filter(digest=place_digest("", name), bucket="")
    found = visible(person).live().filter(kind=kind, space=place, targets__in=about)
    return rows(person, found.order_by("ends_at"))


def named(person: Person, ids: Iterable[int], *, most: int = 3) -> list[str]:
    """Which links these are, for a warning: the first of those that the person may see, and a number for the others."""
    wanted = sorted(ids)
    found = list(visible(person).filter(pk__in=wanted[-500:]).order_by("-opened", "-pk")[:most])
    words = [f"“{share.note[:60] or name_of(share)}” of {share.owner}, ends {share.ends_at:%Y-%m-%d}" for share in found]
    left = len(wanted) - len(found)
    return [*words, *([f"{left:,} more"] if left and words else [])]


def counts(space: str, buckets: Sequence[str]) -> dict[str, int]:
    """Live links per bucket; 0 for a bucket without."""
    live = Target.objects.filter(share__in=Share.objects.live().filter(space=space), bucket__in=buckets)
    found = dict(live.order_by().values_list("bucket").annotate(number=Count("share", distinct=True)))
    return {bucket: found.get(bucket, 0) for bucket in buckets}


def name_of(share: Share) -> str:
    """What a link leads to, in few words: a name, or a number of objects."""
    targets = list(share.targets.all())
    if len(targets) == 1:
        key = targets[0].key
        return key.rstrip("/").rpartition("/")[2] + "/" * targets[0].is_folder if key else targets[0].bucket
    folders = sum(target.is_folder for target in targets)
    parts = [(len(targets) - folders, "object"), (folders, "folder")]
    return " and ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in parts if count)


def opened_text(share: Share) -> str:
    """ "2 of 5 downloads", "never"."""
    if share.limit is not None:
        return f"{share.opened:,} of {share.limit:,}"
    return f"{share.opened:,}" if share.opened else "never"


def _row(person: Person, share: Share) -> Row:
    state = share.shown_state
    targets = list(share.targets.all())
    return Row(
        id=share.pk,
        name=name_of(share),
        place=_place(share, targets),
        note=share.note,
        owner=str(share.owner),
        is_mine=share.owner_id == person.pk,
        state=state,
        word=_word(share, state),
        gone_at={State.GONE: share.gone_at, State.HIDDEN: share.hidden_at}.get(state),
        tone=TONES[state],
        ends_at=share.ends_at,
        opened=opened_text(share),
        opened_at=share.opened_at,
        has_password=bool(share.password),
        edit=reverse("sharing:edit", args=(share.pk,)),
        end=reverse("sharing:end", args=(share.pk,)),
        reopen=reverse("sharing:reopen", args=(share.pk,)),
        can_reopen=state is State.ENDED and person.pk in {share.revoked_by_id, share.owner_id * person.is_owner},
    )


def _place(share: Share, targets: Sequence[Target]) -> str:
    if share.kind != Share.Kind.OBJECTS:
        return share.get_kind_display()
    return f"{targets[0].bucket}/{targets[0].key}" if len(targets) == 1 else share.bucket


def _word(share: Share, state: State) -> str:
    if state is State.ENDED and share.revoked_by is not None and share.revoked_by_id != share.owner_id:
        return f"Ended by {share.revoked_by}"
    return state.label
