"""Create, change, revoke and restore share links. Each is journaled, never with a code or a password."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.journal.recorder import record
from dashboard.links.access import reader_of
from dashboard.links.ledger import name_of
from dashboard.links.models import CodedLink, CodedLinks, Share, Target
from dashboard.links.terms import CommonTerms
from dashboard.team.hooks import Possession
from dashboard.team.models import Person
from dashboard.tokens.grants import Granted
from dashboard.tokens.takeover import Takeover

MOST_TARGETS = 1000
OTHERS = "You can only make somebody else's link stricter."
BATCH = 400
# The columns of `Terms`.
TERMS = (
    *("ends_at", "zone", "note", "password", "limit", "landing", "hides_download", "download_name"),
    *("private_note", "tells_first"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(CommonTerms):
    """The terms of a share link. `limit`: None is unlimited. `download_name`: "" is its own.

    `private_note` is for the owner alone: never shown to others, nor journaled. `tells_first`: notify of the first opening.
    """

    limit: int | None = None
    landing: bool = True
    hides_download: bool = False
    download_name: str = ""
    private_note: str = ""
    tells_first: bool = False


def make(
    person: Person,
    space: str,
    bucket: str,
    *,
    keys: Sequence[str] = (),
    folders: Sequence[str] = (),
    terms: Terms,
    through: Granted | None = None,
) -> tuple[Share, str]:
    """Create a link to objects and folders; return it with its code. `ValidationError` for none, or too many.

    It opens with the person's own token, or that of the grant `through`.
    """
    if not keys and not folders:
        raise ValidationError("Nothing is selected. Choose at least one object.")
    count = len(keys) + len(folders)
    if count > MOST_TARGETS:
        raise ValidationError(
            f"{count:,} items are selected, but a link can hold at most {MOST_TARGETS:,}. Share their folder instead."
        )
    targets = [_target(bucket, key, is_folder=False) for key in keys]
    targets += [_target(bucket, folder, is_folder=True) for folder in folders]
    share = Share(owner=person, space=space, bucket=bucket, grant=through.grant if through else None)
    landing = terms.landing or count > 1 or bool(folders)
    return share, _keep(share, targets, replace(terms, landing=landing))


def make_page(
    person: Person, kind: str, place: str, name: str, terms: Terms, *, through: Granted | None = None
) -> tuple[Share, str]:
    """Create a link to a page about `name` (a hostname) of a project; return it with its code. `through` as in `make`."""
    share = Share(owner=person, kind=kind, space=place, grant=through.grant if through else None)
    return share, _keep(share, [_target("", name, is_folder=False)], replace(terms, landing=True, limit=None))


def change(person: Person, share: Share, terms: Terms) -> None:
    """Change the terms. `ValidationError` if somebody else's link would become less strict."""
    if share.owner_id != person.pk and (field := loosened(share, terms)):
        raise ValidationError({field: OTHERS})
    with record(
        person_id=person.pk, operation="link changed", place=share.space, target=_named(share), before=_facts(share)
    ) as done:
        _set(share, terms)
        share.save(update_fields=TERMS)
        done.after = _facts(share)


def loosened(share: Share, terms: Terms) -> str:
    """Return the term that would make the link less strict; "" if none."""
    found = {
        "life": terms.ends_at > share.ends_at,
        "password": terms.password is not None and bool(share.password),
        "limit": share.limit is not None and (terms.limit is None or terms.limit > share.limit),
        "landing": (share.landing and not terms.landing) or (share.hides_download and not terms.hides_download),
        "note": terms.note != share.note,
        "download_name": terms.download_name != share.download_name,
        "private_note": (terms.private_note, terms.tells_first) != (share.private_note, share.tells_first),
    }
    return next((name for name, is_looser in found.items() if is_looser), "")


def revoke(person: Person, shares: QuerySet[Share]) -> list[int]:
    """Revoke links at once; return the ids of those that were not revoked before.

    Links revoked together share one `revoked_at`, by which they can be restored together.
    """
    return _all(person, shares.filter(revoked_at__isnull=True), "revoked", revoked_at=timezone.now(), revoked_by=person)


def restore(person: Person, shares: QuerySet[Share]) -> list[int]:
    """Undo one's own `revoke`. Owners of the team can also restore their own links that another owner revoked."""
    ended = shares.filter(revoked_at__isnull=False)
    mine = Q(revoked_by=person) | Q(owner=person) if person.is_owner else Q(revoked_by=person)
    return _all(person, ended.filter(mine), "reopened", revoked_at=None, revoked_by=None)


def possession(name: str, links: type[CodedLink]) -> Possession:
    """Return how links of a kind are handed over: the current ones, to somebody whose own token opens them."""

    def current_of(person: Person) -> QuerySet[CodedLink]:
        return CodedLinks(links).current().filter(owner=person).select_related("owner")

    def hand_over(person: Person, receiver: Person) -> int:
        takeover, moved = Takeover(person, receiver), 0
        for link in current_of(person).select_for_update(of=("self",)):
            if takeover.allows(link.token_kind, link.space, link.grants):
                link.give_to(receiver)
                moved += 1
        return moved

    return Possession(name, current_of, hand_over, (links.RIGHT,))


def _keep(share: Share, targets: list[Target], terms: Terms) -> str:
    code = share.issue_code()
    share.reader = reader_of(share)
    _set(share, terms)
    names = [target.key for target in targets]
    what = f"{share.bucket}/{names[0]}".lstrip("/") if len(names) == 1 else f"{len(names):,} objects in {share.bucket}"
    title = f"share link to {what}" if share.kind == Share.Kind.OBJECTS else f"link with instructions for {what}"
    through_id = share.grant.giver_id if share.grant else None
    with record(
        person_id=share.owner_id, operation="link shared", place=share.space, target=title, through_id=through_id
    ) as done:
        with transaction.atomic():
            share.save(force_insert=True)
            for target in targets:
                target.share = share
            Target.objects.bulk_create(targets, batch_size=200)
        done.after = {**_facts(share), "link": share.pk, "keys": names[:100]}
    return code


def _all(person: Person, shares: QuerySet[Share], verb: str, **values: Any) -> list[int]:
    """Update links, with a single journal entry."""
    found = list(shares.prefetch_related("targets"))
    if not found:
        return []
    ids = [share.pk for share in found]
    spaces = {share.space for share in found}
    if len(found) == 1:
        operation, target = f"link {verb}", _named(found[0])
        after: dict[str, Any] = {"link": ids[0], "owner": found[0].owner_id}
    else:
        operation, target = f"links {verb}", f"{len(found):,} share links"
        after = {"links": ids, "owners": sorted({share.owner_id for share in found})}
    place = spaces.pop() if len(spaces) == 1 else ""
    with record(person_id=person.pk, operation=operation, place=place, target=target) as done, transaction.atomic():
        for start in range(0, len(ids), BATCH):
            Share.objects.filter(pk__in=ids[start : start + BATCH]).update(**values)
        done.after = after
    return ids


def _set(share: Share, terms: Terms) -> None:
    share.agree(terms)
    share.limit, share.landing = terms.limit, terms.landing
    share.hides_download, share.download_name = terms.hides_download, terms.download_name
    share.private_note, share.tells_first = terms.private_note, terms.tells_first


def _target(bucket: str, key: str, *, is_folder: bool) -> Target:
    target = Target(is_folder=is_folder)
    target.point_to(bucket, key)
    return target


def _named(share: Share) -> str:
    return f"share link {share.pk} to {name_of(share)}"


def _facts(share: Share) -> dict[str, Any]:
    return {
        "ends_at": share.expires_at.isoformat() if share.expires_at else None,
        "note": share.note,
        "password": bool(share.password),
        "limit": share.limit,
        "landing": share.landing,
        "hides_download": share.hides_download,
        "download_name": share.download_name,
    }
