"""An IP address in the command palette: where it is banned or allowed, as far as that was read."""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.urls import reverse

from dashboard.facts.addresses import read_address
from dashboard.facts.overview import Overview, overviews
from dashboard.facts.registry import NETWORK
from dashboard.tokens import palette
from dashboard.tokens.access import WorkspaceRequest
from dashboard.web.pages.finder import Hit
from dashboard.web.text import relative


def found(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Yield the search of an address in all projects, then what is known of it in each, problems first. Reads nothing of them."""
    address = read_address(query)
    if address is None or not request.workspace.can_manage:
        return
    asked = urlencode({"view": NETWORK, "address": str(address)})
    yield Hit(name=f"Find {address} in all projects", href=f"{reverse('home:index')}?{asked}", icon="search")
    names = {project.id: project.name for project in palette.projects(request)}
    known = overviews(request.workspace, list(names), NETWORK, str(address)).values()
    for one in sorted(known, key=lambda one: (not any(need.problem.urgent for need in one.needs), not one.needs)):
        if note := _words(one):
            href = f"{reverse('home:index')}?{asked}&{urlencode({'q': one.place})}"
            yield Hit(name=names[one.place], href=href, icon="ban" if one.needs else "shield-check", note=note)


def _words(one: Overview) -> str:
    """Return "Banned · Allowed by 0.0.0.0/0 · checked 2 minutes ago"; empty if nothing is known."""
    cells = [cell for key in ("bans", "access") if (cell := one.cells.get(key)) and cell.shown and cell.read_at]
    words = [cell.shown.text for cell in cells if cell.shown]
    read_at = min((cell.read_at for cell in cells if cell.read_at), default=None)
    return " · ".join((*words, f"checked {relative(read_at)}")) if read_at else ""
