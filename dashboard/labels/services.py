"""Read and change project labels."""

from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils import timezone

from dashboard.journal.recorder import record
from dashboard.labels.models import Label
from dashboard.team.models import Person
from dashboard.team.rights import require
from dashboard.web.process.database import read_rows

MARK = "production mark changed"


@dataclass(frozen=True, slots=True)
class ProjectLabel:
    """A project's label. `colour` is a token's name ("red") or empty."""

    name: str = ""
    colour: str = ""
    production: bool = False
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.colour or self.production or self.note)

    @property
    def is_shown(self) -> bool:
        """Whether lists show the label. A note alone appears only on the project's own page."""
        return bool(self.name or self.colour or self.production)

    @property
    def facts(self) -> dict[str, str | bool]:
        """The non-empty members, for the journal."""
        return {name: value for name, value in asdict(self).items() if value}


NOTHING = ProjectLabel()


def label_of(ref: str) -> ProjectLabel:
    """Return a project's label, empty if there is none. Raw SQL, because every page calls it."""
    rows = read_rows(Label, "WHERE ref = %s", (ref,))
    return _read(rows[0]) if rows else NOTHING


def labels() -> dict[str, ProjectLabel]:
    """Return every label by the project's ref."""
    return {row.ref: _read(row) for row in Label.objects.all()}


def is_production(ref: str) -> bool:
    """Return whether the project is marked as production."""
    return Label.objects.filter(ref=ref, production=True).exists()


def set_label(person: Person, ref: str, label: ProjectLabel, *, project: str) -> None:
    """Save a project's label; an empty one deletes it. `project` is the project's name.

    Raises `RoleMissing` if the person's role doesn't allow changing the production mark.
    """
    before = label_of(ref)
    if before == label:
        return
    if before.production != label.production:
        require(person, MARK)
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


def _read(row: Label) -> ProjectLabel:
    return ProjectLabel(name=row.name, colour=row.colour, production=row.production, note=row.note)
