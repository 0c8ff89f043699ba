"""Labels as pages read them."""

from dataclasses import asdict, dataclass

from dashboard.labels.models import Label


@dataclass(frozen=True, slots=True)
class ProjectLabel:
    """What the team says of a project. `colour` is a token's name ("red") or empty; `production` asks for more care."""

    name: str = ""
    colour: str = ""
    production: bool = False
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.colour or self.production or self.note)

    @property
    def is_shown(self) -> bool:
        """Whether there is something to draw: a note alone is read on the project's own page."""
        return bool(self.name or self.colour or self.production)

    @property
    def facts(self) -> dict[str, str | bool]:
        """What the journal keeps: the members that say something."""
        return {name: value for name, value in asdict(self).items() if value}


NOTHING = ProjectLabel()


def label_of(ref: str) -> ProjectLabel:
    """The label of one project; an empty one where the team gave none."""
    row = Label.objects.filter(ref=ref).first()
    return _read(row) if row else NOTHING


def labels() -> dict[str, ProjectLabel]:
    """Every label, by the project's ref."""
    return {row.ref: _read(row) for row in Label.objects.all()}


def is_production(ref: str) -> bool:
    """Whether the team calls this project production: what destroys there asks one question more than elsewhere."""
    return Label.objects.filter(ref=ref, production=True).exists()


def _read(row: Label) -> ProjectLabel:
    return ProjectLabel(name=row.name, colour=row.colour, production=row.production, note=row.note)
