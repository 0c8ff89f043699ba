"""The shared page with DNS records for the owner of the zone, and the e-mail that goes with it."""

from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from dashboard.features.hostname.services import hostname, instructions
from dashboard.features.hostname.views import panel
from dashboard.links.models import Share
from dashboard.links.pages import Mail, SharedPage
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import exact, local


def read(workspace: Workspace, share: Share) -> Mapping[str, object] | None:
    """Return the records with their states; None once the hostname is deleted."""
    host = _host(share)
    memory = instructions.read(workspace, share.space, host)
    if memory is None:
        return None
    examination, age = instructions.look_up(memory, settings.DNS_RESOLVERS)
    records = panel.records_of(memory, examination)
    return {
        "host": host,
        "records": records,
        "rows": [row for row in records.rows if row.asked or row.keep],
        "ready": [row for row in records.rows if not row.asked and not row.keep],
        "looked": exact(timezone.now() - timedelta(seconds=age)),
    }


def mail(workspace: Workspace, share: Share, address: str) -> Mail:
    """Write the e-mail from what is remembered, without a call."""
    host = _host(share)
    memory = hostname.recall(workspace, share.space)
    text = panel.text_of(memory.records) if memory else ""
    lines = [
        "Hello,",
        "",
        f"add the DNS records for {host}. This page lists them and shows whether each is correct:",
        "",
        address,
        "",
        f"You don't need an account.{_expiry(share)}",
    ]
    if share.password:
        lines.append("It asks for a password, which I'll send separately.")
    if text:
        lines += ["", "The same, for a DNS console that imports records:", "", text]
    return Mail(f"DNS records for {host}", "\n".join(lines))


def _expiry(share: Share) -> str:
    if share.expires_at is None:
        return ""
    there, until = local(share.expires_at, share.zone), exact(share.expires_at)
    return f" The link expires at {f'{there} ({until})' if there else until}."


def _host(share: Share) -> str:
    return next((target.key for target in share.targets.all()), "")


PAGE = SharedPage(
    template="hostname/instructions.html",
    find=instructions.find,
    read=read,
    mail=mail,
)
