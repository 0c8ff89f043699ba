"""A person's guides. Steps are done once the person did them, as shown by the activity, links and reviews."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404
from django.utils import timezone

from dashboard.features.trial.models import Trial
from dashboard.features.trial.rules import OPENED, PASTED, PUBLISHED, PUBLISHED_AGAIN, READY, Guide, Step, guides_for, steps_done
from dashboard.interfaces.management.hostname import HostnameStatus
from dashboard.journal.models import Entry, Outcome
from dashboard.links.models import Share
from dashboard.reviews.models import Review
from dashboard.team.models import Person


@dataclass(frozen=True, slots=True)
class Progress:
    """A guide, how many of its steps are done, and the project or space of the latest one."""

    guide: Guide
    done: int = 0
    place: str = ""
    is_begun: bool = False

    @property
    def total(self) -> int:
        return len(self.guide.steps)

    @property
    def step(self) -> Step | None:
        """The next step; None when all are done."""
        return self.guide.steps[self.done] if self.done < self.total else None

    @property
    def number(self) -> int:
        return min(self.done + 1, self.total)


def trial_of(person: Person) -> Trial:
    """Return the person's stored guides; an unsaved record if there is none."""
    return Trial.objects.filter(person=person).first() or Trial(person=person)


def progress(trial: Trial, guide: Guide) -> Progress:
    """Return what the person did since the guide was started."""
    begun = trial.begun.get(guide.key)
    if not begun:
        return Progress(guide)
    proofs = _proofs(trial.person, datetime.fromisoformat(begun))
    done = steps_done(guide, proofs)
    latest = guide.steps[done - 1].proofs if done else ()
    place = next((proofs[proof] for proof in latest if proofs.get(proof)), "")
    return Progress(guide, done, place, is_begun=True)


def offered(trial: Trial) -> list[Progress]:
    return [progress(trial, guide) for guide in guides_for(trial.person.role)]


def current(trial: Trial) -> Progress | None:
    """Return the guide shown in the banner."""
    guide = next((one for one in guides_for(trial.person.role) if one.key == trial.guide), None)
    return progress(trial, guide) if guide else None


def begin(person: Person, key: str) -> Progress:
    """Start a guide, or resume one that was left. A finished one starts again. Raises `Http404` for an unknown key."""
    guide = next((one for one in guides_for(person.role) if one.key == key), None)
    if guide is None:
        raise Http404("There is no such guide.")
    trial = trial_of(person)
    if progress(trial, guide).step is None or key not in trial.begun:
        trial.begun = {**trial.begun, key: timezone.now().isoformat()}
    trial.guide = key
    trial.save()
    return progress(trial, guide)


def leave(person: Person, key: str) -> None:
    """Remove a guide from the banner. Finished steps stay done."""
    Trial.objects.filter(person=person, guide=key).update(guide="")


def hide(person: Person) -> None:
    """Stop offering guides to this person in the banner."""
    Trial.objects.update_or_create(person=person, defaults={"is_hidden": True, "guide": ""})


def _proofs(person: Person, since: datetime) -> Mapping[str, str]:
    """Return what the person did since then: operations and other proofs, with the project or space of each."""
    done = Entry.objects.filter(person=person, started_at__gte=since, outcome=Outcome.DONE).order_by("started_at")
    found = dict(done.values_list("operation", "place"))
    asked = done.filter(operation="M18").first()
    again = done.filter(operation=PUBLISHED, place=asked.place, started_at__gt=asked.started_at).last() if asked else None
    if again:
        found[PUBLISHED_AGAIN] = again.place
    verified = done.filter(operation="M18", after__status=HostnameStatus.ORIGIN_SETUP_COMPLETED.value).last()
    if verified:
        found[READY] = verified.place
    if Share.objects.filter(owner=person, made_at__gte=since, opened__gt=0).exists():
        found[OPENED] = ""
    review = Review.objects.filter(person=person, purpose__startswith="secrets of ", created_at__gte=since).last()
    if review:
        found[PASTED] = review.purpose.removeprefix("secrets of ")
    return found
