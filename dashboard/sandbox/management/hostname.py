"""M15 … M19: the custom hostname, whose state only M18 and M19 advance, depending on DNS.

nothing ──M17──> 2 ──M18: both TXT records seen──> 3 ──M18: CNAME seen──> 4 ──M19──> 5      M16 from any: nothing
"""

import re
import secrets

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from dashboard.sandbox import faults, generations
from dashboard.sandbox.answers import answer, nothing
from dashboard.sandbox.dns.lookup import Found, look_up
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.management.bodies import Members, json_body, refuse
from dashboard.sandbox.models import Hostname, Project
from dashboard.sandbox.operations import operation

NOT_STARTED, INITIATED, VERIFIED, SET_UP, ACTIVE = (
    "1_not_started",
    "2_initiated",
    "3_challenge_verified",
    "4_origin_setup_completed",
    "5_services_reconfigured",
)
LABEL = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
NAME = re.compile(rf"(?:{LABEL}\.){{2,}}{LABEL}")
NO_CNAME = "custom hostname does not CNAME to this zone."


def certificate_value(*, old_form: bool) -> str:
    """Return the certificate's TXT value: `ca3-` and 32 hex in the old form, else 43 of base64url."""
    return "ca3-" + secrets.token_hex(16) if old_form else secrets.token_urlsafe(32)


@operation("M15", "GET", "/v1/projects/{ref}/custom-hostname")
def get(_request: HttpRequest, project: Project) -> HttpResponse:
    hostname = _of(project)
    if hostname is not None and hostname.status != NOT_STARTED:
        return answer(record(hostname))
    if generations.is_older():
        # not shown: the answer of M15 when nothing is set up. The document has a status for it.
        return answer({"status": NOT_STARTED, "custom_hostname": "", "data": {}})
    raise ManagementRefusal(400, "No custom hostname configuration found.")


@operation("M16", "DELETE", "/v1/projects/{ref}/custom-hostname")
def delete(_request: HttpRequest, project: Project) -> HttpResponse:
    hostname = _of(project)
    if hostname is None or hostname.status == NOT_STARTED:
        raise ManagementRefusal(400, "Custom hostname not configured for project")
    hostname.delete()
    return nothing()


@operation("M17", "POST", "/v1/projects/{ref}/custom-hostname/initialize")
def initialize(request: HttpRequest, project: Project) -> HttpResponse:
    name = Members(json_body(request)).text("custom_hostname", least=1, most=253).lower().rstrip(".")
    if not NAME.fullmatch(name):
        # not shown: the answer to an invalid host name
        raise refuse("custom_hostname", "Invalid hostname, use a subdomain such as app.example.com")
    if not project.hostname_allowed:
        raise ManagementRefusal(400, "Please enable the Custom Domain add-on for the project first.")
    with transaction.atomic():
        old = _of(project)
        if old is not None and old.status != NOT_STARTED:
            raise ManagementRefusal(
                544, "Delete the custom hostname associated with your project before attempting to create a new one."
            )
        if old is not None:
            old.delete()
        hostname = Hostname.objects.create(
            project=project, custom_hostname=name, certificate_value=certificate_value(old_form=False)
        )
    return answer(record(hostname), 201)


@operation("M18", "POST", "/v1/projects/{ref}/custom-hostname/reverify")
def reverify(_request: HttpRequest, project: Project) -> HttpResponse:
    hostname = _of(project)
    if hostname is None or hostname.status == NOT_STARTED:
        raise ManagementRefusal(400, "Project is not pending custom hostname verification.")
    if hostname.status in {SET_UP, ACTIVE}:
        raise ManagementRefusal(400, "Verification has been completed, please proceed to activation.")
    found = look_up(hostname.custom_hostname, target(hostname), ownership_name(hostname), certificate_name(hostname))
    with transaction.atomic():
        hostname = Hostname.objects.get(pk=hostname.pk)
        _move(hostname, found)
        hostname.save()
    return answer(record(hostname), 201)


@operation("M19", "POST", "/v1/projects/{ref}/custom-hostname/activate")
def activate(_request: HttpRequest, project: Project) -> HttpResponse:
    with transaction.atomic():
        hostname = _of(project)
        if hostname is not None and hostname.status == ACTIVE:
            raise ManagementRefusal(400, "Custom hostname has already been activated.")
        if hostname is None or hostname.status != SET_UP:
            raise ManagementRefusal(400, "Verification has not been completed.")
        hostname.status = ACTIVE
        hostname.save()
    return answer(record(hostname), 201)


def _move(hostname: Hostname, found: Found) -> None:
    """Advance by at most one state, unless a fault prevents it."""
    hostname.points_here = found.points_here
    hostname.caa_error = found.caa_error
    if faults.stays("M18"):
        return
    hostname.owned = hostname.owned or str(hostname.ownership_value) in found.ownership
    hostname.validated = hostname.validated or (not found.caa_error and hostname.certificate_value in found.certificate)
    if hostname.status == VERIFIED and found.points_here:
        hostname.status, hostname.ssl_status = SET_UP, "active"
    elif hostname.status == INITIATED:
        hostname.ssl_status = "pending_deployment" if hostname.validated else "pending_validation"
        if hostname.owned and hostname.validated:
            hostname.status = VERIFIED


def _of(project: Project) -> Hostname | None:
    return Hostname.objects.filter(project=project).first()


def target(hostname: Hostname) -> str:
    return f"{hostname.project_id}.supabase.co"


def ownership_name(hostname: Hostname) -> str:
    return f"_cf-custom-hostname.{hostname.custom_hostname}"


def certificate_name(hostname: Hostname) -> str:
    """Return the name of the certificate's TXT record; in the old form it is the host itself."""
    return hostname.custom_hostname if hostname.old_form else f"_acme-challenge.{hostname.custom_hostname}"


def record(hostname: Hostname) -> dict[str, object]:
    result: dict[str, object] = {
        "id": str(hostname.identifier),
        "hostname": hostname.custom_hostname,
        "status": "active" if hostname.owned else "pending",
        "custom_origin_server": target(hostname),
        "ownership_verification": _ownership(hostname),
        "ssl": _certificate(hostname),
    }
    if not hostname.points_here and hostname.status in {INITIATED, VERIFIED} and hostname.ssl_status != "initializing":
        result["verification_errors"] = [NO_CNAME]
    if hostname.old_form:
        result |= _old_members(hostname)
    data = {"success": True, "errors": [], "messages": [], "result": result}
    return {"status": hostname.status, "custom_hostname": hostname.custom_hostname, "data": data}


def _ownership(hostname: Hostname) -> dict[str, str]:
    if hostname.owned:
        return {"type": "", "name": "", "value": ""}
    return {"type": "txt", "name": ownership_name(hostname), "value": str(hostname.ownership_value)}


def _certificate(hostname: Hostname) -> dict[str, object]:
    """Return the certificate without verified records; the older form has no list while initializing."""
    ssl: dict[str, object] = {"status": hostname.ssl_status}
    pending = [] if hostname.validated else [{"txt_name": certificate_name(hostname), "txt_value": hostname.certificate_value}]
    # not shown: the members of `data`. Today's contract requires the list; the official command line also copes without it.
    if hostname.ssl_status != "initializing" or not generations.is_older():
        ssl["validation_records"] = pending if hostname.ssl_status == "pending_validation" else []
    if hostname.caa_error:
        ssl["validation_errors"] = [{"message": hostname.caa_error}]
    if hostname.old_form:
        ssl |= {
            "id": str(hostname.project_id),
            "type": "dv",
            "method": "txt",
            "txt_name": certificate_name(hostname),
            "txt_value": hostname.certificate_value,
            "validation_records": [{"status": "pending"} | one for one in pending],
            "settings": {"http2": "on", "tls_1_3": "on", "min_tls_version": "1.0"},
            "wildcard": False,
            "bundle_method": "ubiquitous",
            "certificate_authority": "digicert",
        }
    return ssl


def _old_members(hostname: Hostname) -> dict[str, object]:
    address = f"http://{hostname.custom_hostname}/.well-known/cf-custom-hostname-challenge/{hostname.identifier}"
    return {
        "created_at": hostname.created_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "custom_metadata": {},
        "ownership_verification_http": {"http_url": address, "http_body": str(hostname.ownership_value)},
    }
