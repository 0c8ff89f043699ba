"""One address over all projects: where it is banned, and where the restrictions let it in (M1, M22, M24)."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.features.network.rules.addresses import canonical, read_address
from dashboard.features.network.rules.lists import Admission, admission
from dashboard.features.network.services.restrictions import State, state_of
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.network import NetworkBans, NetworkRestrictions
from dashboard.interfaces.records import Record
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Place:
    """One project to be asked, ready to print. `part` is the id of its row."""

    ref: str
    name: str
    part: str
    href: str


@dataclass(frozen=True, slots=True)
class Found:
    """What one project says about an address; a question that failed keeps its own reason."""

    banned: bool | None
    bans_failure: InterfaceError | None
    admission: Admission | None
    state: State | None
    restrictions_failure: InterfaceError | None
    lift_href: str

    @property
    def failures(self) -> list[tuple[str, str]]:
        """What could not be asked, and why in the service's words or else ours; one line where both failed alike."""
        asked = (("Bans", self.bans_failure), ("Restrictions", self.restrictions_failure))
        found = [(what, why.text or str(why)) for what, why in asked if why is not None]
        if len(found) == 2 and (found[0][1] == found[1][1] or type(self.bans_failure) is type(self.restrictions_failure)):
            return [("Bans and restrictions", found[0][1])]
        return found


def list_places(workspace: Workspace, address: str) -> list[Place]:
    """Every project that the token reaches (M1), by name."""
    projects = sorted(workspace.management.projects.all(), key=lambda project: (project.name.casefold(), project.id))
    return [place_of(project.id, project.name, address) for project in projects]


def place_of(ref: str, name: str, address: str) -> Place:
    query = urlencode({"address": address})
    return Place(ref=ref, name=name, part=part_of(ref), href=f"{reverse('network:finding', args=[ref])}?{query}")


def part_of(ref: str) -> str:
    return f"address-in-{ref}"


def questions(workspace: Workspace, ref: str) -> tuple[Callable[[], Record], Callable[[], Record]]:
    """What is to be asked of one project, side by side (M22, M24)."""
    network = workspace.management.network
    return lambda: network.bans(ref), lambda: network.restrictions(ref)


def found_of(ref: str, address: str, bans: Record | InterfaceError, restrictions: Record | InterfaceError) -> Found:
    """The two answers, or why there was none, put together."""
    state = state_of(restrictions) if isinstance(restrictions, NetworkRestrictions) else None
    admitted = None
    if state is not None:
        admitted = Admission(allowed=True) if state.untouched else admission(state.in_force, read_address(address))
    banned = None
    if isinstance(bans, NetworkBans):
        banned = address in {canonical(one) for one in bans.banned_ipv4_addresses}
    return Found(
        banned=banned,
        bans_failure=bans if isinstance(bans, InterfaceError) else None,
        admission=admitted,
        state=state,
        restrictions_failure=restrictions if isinstance(restrictions, InterfaceError) else None,
        lift_href=f"{reverse('network:lift', args=[ref])}?{urlencode({'address': address})}",
    )
