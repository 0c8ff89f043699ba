"""The page behind a link for whoever owns the DNS, and the letter that goes with it."""

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone

from dashboard.features.hostname.services import hostname, instructions
from dashboard.features.hostname.views import panel
from dashboard.links.models import Share
from dashboard.links.pages import Mail, SharedPage
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import exact, local


def read(workspace: Workspace, share: Share) -> Mapping[str, object] | None:
    """The records with their states; None where this hostname is set up no more."""
    host = _host(share)
    memory = instructions.read(workspace, share.space, host)
    if memory is None:
        return None
    examination, age = instructions.look(memory)
    records = panel.records_of(memory, examination)
    return {
        "host": host,
        "records": records,
        "rows": [row for row in records.rows if row.asked or row.keep],
        "ready": [row for row in records.rows if not row.asked and not row.keep],
        "looked": exact(timezone.now() - timedelta(seconds=age)),
    }


def mail(workspace: Workspace, share: Share, address: str) -> Mail:
    """What is remembered, as a letter. Asks nobody."""
    host = _host(share)
    memory = hostname.recall(workspace, share.space)
    file = panel.zone_file(memory.records) if memory else ""
    there, until = local(share.ends_at, share.zone), exact(share.ends_at)
    lines = [
        "Hello,",
        "",
        f"please publish the DNS records for {host}. They stand on this page, which also shows whether each can be seen:",
        "",
        address,
        "",
        f"It needs no account, and works until {f'{there} ({until})' if there else until}.",
    ]
    if share.password:
        lines.append("It asks for a password, which I send you on another way.")
    if file:
        lines += ["", "The same as lines of a zone file:", "", file]
    return Mail(f"DNS records for {host}", "\n".join(lines))


def _host(share: Share) -> str:
    return next((target.key for target in share.targets.all()), "")


PAGE = SharedPage(
    template="hostname/instructions.html",
    find=instructions.find,
    read=read,
    mail=mail,
)
