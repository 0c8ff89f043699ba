"""Look up an address in every project: where it is banned and where it is allowed (M1, M22, M24)."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.features.network.rules.addresses import canonical, read_address
from dashboard.features.network.rules.lists import Admission, admission
from dashboard.features.network.services.restrictions import State, state_of
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.network import NetworkBans, NetworkRestrictions
from dashboard.interfaces.management.projects import Project
from dashboard.interfaces.records import Record
from dashboard.tokens.refusals import covers
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Result:
    """The result for one project; either read may have failed."""

    banned: bool | None
    bans_failure: InterfaceError | None
    admission: Admission | None
    state: State | None
    restrictions_failure: InterfaceError | None

    @property
    def failures(self) -> list[tuple[str, str]]:
        """What could not be read, and why; one line if both failed alike."""
        read = (("Bans", self.bans_failure), ("Restrictions", self.restrictions_failure))
        found = [(what, why.text or str(why)) for what, why in read if why is not None]
        if len(found) == 2 and (found[0][1] == found[1][1] or type(self.bans_failure) is type(self.restrictions_failure)):
            return [("Bans and restrictions", found[0][1])]
        return found


def list_projects(workspace: Workspace) -> list[Project]:
    """Return every project whose network the token can read (M1), by name."""
    listed = [project for project in workspace.management.projects.all() if covers(workspace, project.ref, "network")]
    return sorted(listed, key=lambda project: (project.name.casefold(), project.ref))


def reads(workspace: Workspace, ref: str) -> tuple[Callable[[], Record], Callable[[], Record]]:
    """Return the two reads of one project (M22, M24), to be run in parallel."""
    network = workspace.management.network
    return lambda: network.bans(ref), lambda: network.restrictions(ref)


def result_of(address: str, bans: Record | InterfaceError, restrictions: Record | InterfaceError) -> Result:
    """Combine the two answers or failures."""
    state = state_of(restrictions) if isinstance(restrictions, NetworkRestrictions) else None
    admitted = None
    if state is not None:
        admitted = Admission(allowed=True) if state.is_untouched else admission(state.in_force, read_address(address))
    banned = None
    if isinstance(bans, NetworkBans):
        banned = address in {canonical(one) for one in bans.banned_ipv4_addresses}
    return Result(
        banned=banned,
        bans_failure=bans if isinstance(bans, InterfaceError) else None,
        admission=admitted,
        state=state,
        restrictions_failure=restrictions if isinstance(restrictions, InterfaceError) else None,
    )
