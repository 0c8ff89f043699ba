"""Label a project."""

from dataclasses import asdict

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from dashboard.journal.recorder import record
from dashboard.labels.models import Label
from dashboard.labels.queries import ProjectLabel, label_of
from dashboard.team.models import Person

OWNERS_ONLY = "Only an owner of the team can set or remove the production mark."


def set_label(person: Person, ref: str, label: ProjectLabel, *, project: str) -> None:
    """Label the project for the whole team, journaled; an empty label takes the old one away. `project` is its name.

    Raises `PermissionDenied` where somebody but an owner of the team sets or removes the production mark.
    """
    before = label_of(ref)
    if before == label:
        return
    if before.production != label.production and not person.is_owner:
        raise PermissionDenied(OWNERS_ONLY)
    with record(
        person_id=person.pk,
        operation="label changed",
        target=f"label of project {project}",
        place=ref,
        before=before.facts or None,
    ) as change:
        with transaction.atomic():
            if label:
                Label.objects.update_or_create(
                    ref=ref, defaults={**asdict(label), "changed_at": timezone.now(), "changed_by": person}
                )
            else:
                Label.objects.filter(ref=ref).delete()
        change.after = label.facts or None
