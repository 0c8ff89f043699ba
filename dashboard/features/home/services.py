"""What the start page shows: what needs doing, projects or buckets at a glance, the last changes."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from dashboard.interfaces.management.projects import REGIONS, Project
from dashboard.journal import queries
from dashboard.journal.models import Entry
from dashboard.tokens import spaces
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace

FEW = 6
CHANGES = 6
# How far back a project counts as the one somebody is working on.
LOOKED_BACK = 200


@dataclass(frozen=True, slots=True)
class Sections:
    """What this installation has: projects, storage of its own for each of them, or one storage for all."""

    management: bool
    storage: bool
    per_project: bool


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do first: what and why, and the button that leads there."""

    title: str
    reason: str
    button: str
    href: str
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A project, space or bucket at a glance, ready to print. `links` are label and address."""

    name: str
    ref: str
    href: str
    note: str
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Glance:
    """The first few of `total`, those with the latest own changes first."""

    places: tuple[Place, ...]
    total: int


def sections() -> Sections:
    mode = spaces.mode()
    return Sections(management=bool(settings.MANAGEMENT_URL), storage=mode != "none", per_project=mode == "per project")


def tasks_of(workspace: Workspace) -> list[Task]:
    """Tokens that are missing or were refused. Asks no service."""
    here = sections()
    found: list[Task] = []
    if here.management and not workspace.has(Kind.MANAGEMENT):
        found.append(
            Task(
                title="Add your management token",
                reason="Pilothouse shows your organizations and projects with a token of your own. None is stored yet.",
                button="Add the token",
                href=_token_form(Kind.MANAGEMENT),
            )
        )
    single = here.storage and not here.per_project
    if (single and not workspace.has(Kind.STORAGE, spaces.SHARED)) or _lacks_any_key(workspace):
        found.append(
            Task(
                title="Add your storage token",
                reason="Pilothouse opens buckets and objects with a token of your own. None is stored yet.",
                button="Add the token",
                href=_token_form(Kind.STORAGE, spaces.SHARED if single else ""),
            )
        )
    found.extend(_replace(token) for token in StoredToken.objects.filter(person=workspace.person) if token.is_refused)
    return found


def _lacks_any_key(workspace: Workspace) -> bool:
    """Storage of projects without a management interface, and no key for any of them."""
    here = sections()
    return here.per_project and not here.management and not workspace.spaces()


def list_projects(workspace: Workspace) -> Glance:
    """Projects that the token reaches (M1)."""
    projects = workspace.management.projects.all()
    order = _lately(workspace)
    projects.sort(key=lambda project: (order.get(project.id, len(order)), project.name.casefold(), project.id))
    return Glance(places=tuple(_project(project) for project in projects[:FEW]), total=len(projects))


def list_buckets(workspace: Workspace, space: str) -> Glance:
    """Buckets that the key may see (S2)."""
    buckets = sorted(workspace.storage(space).buckets.all(), key=lambda bucket: (bucket.name.casefold(), bucket.id))
    base = reverse("buckets:index", args=[space])
    few = (
        Place(
            name=bucket.name,
            ref="",
            href=reverse("objects:index", args=[space, bucket.id]) if "/" not in bucket.id else base,
            note="Public" if bucket.public else "Private",
        )
        for bucket in buckets[:FEW]
    )
    return Glance(places=tuple(few), total=len(buckets))


def list_spaces(workspace: Workspace) -> Glance:
    """Spaces that a key is stored for, where no management interface could name more. Asks no service."""
    found = workspace.spaces()
    few = (
        Place(name=space.title, ref="", href=reverse("buckets:index", args=[space.name]), note="Key stored")
        for space in found[:FEW]
    )
    return Glance(places=tuple(few), total=len(found))


def last_changes(workspace: Workspace) -> list[queries.Row]:
    """The person's own latest changes, without sign-ins and sign-outs."""
    found = Entry.objects.filter(person=workspace.person).exclude(operation__startswith="sign-")
    return queries.rows(found.select_related("person")[:CHANGES])


def _lately(workspace: Workspace) -> dict[str, int]:
    """Rank by project of the person's latest changes."""
    changes = Entry.objects.filter(person=workspace.person).exclude(place="").exclude(operation__startswith="token")
    latest = changes.values_list("place", flat=True)[:LOOKED_BACK]
    return {place: rank for rank, place in enumerate(dict.fromkeys(latest))}


def _project(project: Project) -> Place:
    links = [("Secrets", reverse("secrets:index", args=[project.id]))]
    if spaces.can_be(project.id):
        links.append(("Storage", reverse("buckets:index", args=[project.id])))
    return Place(
        name=project.name,
        ref=project.id,
        href=reverse("projects:show", args=[project.id]),
        note=REGIONS.get(project.region, project.region),
        links=tuple(links),
    )


def _replace(token: StoredToken) -> Task:
    named = "management token" if token.kind == Kind.MANAGEMENT else "storage token"
    place = f" for {token.space}" if token.space and token.space != spaces.SHARED else ""
    said = f" It said: “{token.refusal}”" if token.refusal else ""
    return Task(
        title=f"Replace your {named}{place}",
        reason=f"The service refused the stored one, which ends in {token.last4}.{said}",
        button="Look at your tokens",
        href=reverse("account:tokens"),
        urgent=True,
    )


def _token_form(kind: str, space: str = "") -> str:
    return reverse("account:token_new") + f"?kind={kind}" + (f"&space={space}" if space else "")
