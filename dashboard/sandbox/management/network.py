"""M22 … M25: bans, and restrictions of database access."""

from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from dashboard.sandbox import faults
from dashboard.sandbox.answers import answer, nothing
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.management.bodies import Members, boolean, json_body, refuse, string, texts
from dashboard.sandbox.management.projects import moment, needs_database
from dashboard.sandbox.models import Ban, Project, Restrictions
from dashboard.sandbox.operations import operation
from dashboard.sandbox.settings import SANDBOX_DELAY

PRIVATE = tuple(ip_network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))


@operation("M22", "POST", "/v1/projects/{ref}/network-bans/retrieve")
def bans(_request: HttpRequest, project: Project) -> HttpResponse:
    needs_database(project)
    return answer(
        {"banned_ipv4_addresses": list(Ban.objects.filter(project=project).order_by("pk").values_list("address", flat=True))}, 201
    )


@operation("M23", "DELETE", "/v1/projects/{ref}/network-bans")
def unban(request: HttpRequest, project: Project) -> HttpResponse:
    """Addresses that are not banned are ignored."""
    body = Members(json_body(request))
    addresses = texts(body.required("ipv4_addresses"), "ipv4_addresses")
    body.optional("identifier", string)
    if body.optional("requester_ip", boolean):
        addresses.append(str(request.META.get("REMOTE_ADDR", "")))
    for place, address in enumerate(addresses):
        _address(address, f"ipv4_addresses.{place}")
    needs_database(project)
    with transaction.atomic():
        for address in addresses:
            Ban.objects.filter(project=project, address=address).delete()
    return nothing()


@operation("M24", "GET", "/v1/projects/{ref}/network-restrictions")
def restrictions(_request: HttpRequest, project: Project) -> HttpResponse:
    needs_database(project)
    return answer(record(in_force(_of(project))))


@operation("M25", "POST", "/v1/projects/{ref}/network-restrictions/apply")
def apply(request: HttpRequest, project: Project) -> HttpResponse:
    """The whole list is replaced."""
    body = Members(json_body(request))
    v4 = _networks(body, "dbAllowedCidrs", 4)
    v6 = _networks(body, "dbAllowedCidrsV6", 6)
    if v4 is None and v6 is None:
        raise refuse("dbAllowedCidrs", "Required")
    needs_database(project)
    with transaction.atomic():
        found = in_force(_of(project))
        if found.entitlement != "allowed":
            raise ManagementRefusal(400, "project not allowed to set up network restrictions")
        if found.status == "applied":
            found.old_v4, found.old_v6 = found.v4, found.v6
        # not shown: the effect of a missing list; here it becomes empty, which allows nobody
        found.v4, found.v6 = v4 or [], v6 if v6 is not None or found.v6 is None else []
        now = timezone.now()
        found.status, found.updated_at = "stored", now
        found.applies_at = None if faults.stays("M25") else now + timedelta(seconds=SANDBOX_DELAY)
        found.save()
        found = in_force(found)
    return answer(record(found), 201)


def in_force(found: Restrictions) -> Restrictions:
    """Put a stored list in force once it is due."""
    if found.status == "stored" and found.applies_at and found.applies_at <= timezone.now():
        found.status, found.applied_at, found.applies_at = "applied", found.applies_at, None
        found.old_v4 = found.old_v6 = None
        found.save()
    return found


def record(found: Restrictions) -> dict[str, object]:
    """Return the record. `old_config` is the list in force while the new one is only stored."""
    shown: dict[str, object] = {
        "entitlement": found.entitlement,
        "config": _config(found.v4, found.v6),
        "status": found.status,
    }
    if found.old_v4 is not None:
        shown["old_config"] = _config(found.old_v4, found.old_v6)
    times: dict[str, datetime | None] = {"updated_at": found.updated_at, "applied_at": found.applied_at}
    return shown | {name: moment(when) for name, when in times.items() if when}


def _config(v4: list[str], v6: list[str] | None) -> dict[str, list[str]]:
    """Return the config, without an IPv6 list if none was ever set, as in the document."""
    return {"dbAllowedCidrs": v4} | ({} if v6 is None else {"dbAllowedCidrsV6": v6})


def _of(project: Project) -> Restrictions:
    found, _ = Restrictions.objects.get_or_create(project=project, defaults={"v4": ["0.0.0.0/0"], "v6": ["::/0"]})
    return found


def _address(text: str, at: str) -> None:
    try:
        ip_address(text)
    except ValueError:
        raise refuse(at, "Invalid IP address") from None


def _networks(body: Members, member: str, version: int) -> list[str] | None:
    """Return networks of one family, or None if absent; refuse host bits and private ranges."""
    listed = body.optional(member, texts)
    if listed is None:
        return None
    for place, text in enumerate(listed):
        at = f"{member}.{place}"
        # not shown: the texts for an invalid and for a private network
        try:
            network = ip_network(text)
        except ValueError:
            raise refuse(at, "Invalid CIDR") from None
        if "/" not in text or network.version != version:
            raise refuse(at, f"Expected an IPv{version} CIDR")
        if any(network.version == private.version and network.subnet_of(private) for private in PRIVATE):  # type: ignore[arg-type]  # same version
            raise refuse(at, "Private IP addresses are not supported")
    return listed
