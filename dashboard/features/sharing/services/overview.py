"""Facts about share links: how many work, and how many are about to expire."""

from collections.abc import Mapping

from django.db.models import Count, Q
from django.utils import timezone

from dashboard.facts.registry import Fact, Need, Problem, Shown
from dashboard.links import ledger
from dashboard.links.ledger import expires_soon
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import counted

MISSING = Q(gone_at__isnull=False)
BROKEN = Problem("links-broken", "with links to missing files")


def _show(workspace: Workspace, places: Mapping[str, None]) -> dict[str, Shown]:
    own = ledger.visible(workspace.person).prefetch_related(None).select_related(None).order_by()
    current = own.current().filter(owner__is_active=True, space__in=places)
    rows = current.values_list("space").annotate(
        live=Count("pk"), soon=Count("pk", filter=expires_soon(timezone.now())), gone=Count("pk", filter=MISSING)
    )
    none = dict.fromkeys(places, Shown("0"))
    return none | {space: _shown(space, live, soon, gone) for space, live, soon, gone in rows}


def _shown(space: str, live: int, soon: int, gone: int) -> Shown:
    words = f"{counted(gone, 'share link')} {'lead' if gone > 1 else 'leads'} to a missing file"
    need = Need(BROKEN, words, "Show links", "sharing:ledger", query=f"?state=gone&q={space}", is_global=True) if gone else None
    text = f"{live} · {soon} expire{'' if soon > 1 else 's'} soon" if soon else str(live)
    return Shown(text, str(live), tone="danger" if gone else "attention" if soon else "", number=live, need=need)


FACT = Fact("links", "Links", "sharing:ledger", 80, _show, kind=Kind.STORAGE, is_global=True, icon="link")
