"""States, flags and times of functions in words."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from dashboard.interfaces.management.functions import Function, FunctionStatus

# Our word, its tone, and what it means for a person.
STATES = {
    "ACTIVE": ("Active", "good", ""),
    "REMOVED": (
        "Removed",
        "neutral",
        "It was deleted, and the service still lists it for a while. Nobody can call it. Deploying its slug makes a new one.",
    ),
    "THROTTLED": (
        "Throttled",
        "attention",
        "The service holds back calls to it. By which rule, and for how long, the interface does not say.",
    ),
}
NEW_STATE = "This state is not in the documentation of the service. It is shown as it came."
_SERVICE_BEGAN = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class State:
    """A status: our word, its tone, the service's own value, and what it means where that is not plain."""

    word: str
    tone: str
    raw: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that came as a number. `raw` is that number where it makes no likely time, so that its unit is in doubt."""

    at: datetime | None
    raw: str

    @property
    def day(self) -> str:
        return f"{self.at:%-d %b %Y}" if self.at else ""

    @property
    def iso(self) -> str:
        return self.at.isoformat() if self.at else ""


@dataclass(frozen=True, slots=True)
class Flags:
    """What every deployment and every change sends along. `import_map` is None where the service never told it.

    The paths name files inside a bundle, and are sent with one only.
    """

    name: str
    verify_jwt: bool
    import_map: bool | None
    entrypoint_path: str = ""
    import_map_path: str = ""

    def journaled(self) -> dict[str, object]:
        paths = {"entrypoint_path": self.entrypoint_path, "import_map_path": self.import_map_path}
        flags = {"name": self.name, "verify_jwt": self.verify_jwt, "import_map": self.import_map}
        return flags | {name: path for name, path in paths.items() if path}


def state_of(function: Function) -> State:
    raw = function.status.value
    word, tone, meaning = STATES.get(raw, (raw, "neutral", NEW_STATE))
    return State(word=word, tone=tone, raw=raw, meaning=meaning)


def flags_of(function: Function) -> Flags:
    """The flags as the service has them; a missing `verify_jwt` counts as on."""
    return Flags(
        name=function.name,
        verify_jwt=function.checks_jwt,
        import_map=function.import_map,
        entrypoint_path=function.entrypoint_path or "",
        import_map_path=function.import_map_path or "",
    )


def is_open(function: Function) -> bool:
    """Whether anybody who knows the address can call it. Nobody can call a removed one."""
    return not function.checks_jwt and function.status is not FunctionStatus.REMOVED


def version_of(number: float) -> str:
    return f"{number:g}" if number < 1e6 else f"{number:.0f}"


def moment_of(number: float, found: datetime | None) -> Moment:
    """The time of a number, its unit detected by its size; with the number itself where that gives no likely time."""
    likely = found is not None and _SERVICE_BEGAN < found < timezone.now() + timedelta(days=1)
    return Moment(at=found, raw="" if likely else f"{number:g}" if number != int(number) else f"{int(number)}")


def marker(function: Function | None) -> str:
    """What a form carries to notice that the function changed meanwhile."""
    if function is None:
        return "none"
    return f"{function.id} {version_of(function.version)} {function.updated_at:.0f}"


def yes(flag: bool | None) -> str:
    return "not told" if flag is None else "on" if flag else "off"
