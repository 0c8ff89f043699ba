"""Test switches: keys, DNS, certificates, faults, the upload race, wildcards.

Not part of the interface; they need a personal token, too.
"""

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import msgspec
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from dashboard.sandbox import faults, tls
from dashboard.sandbox.answers import answer
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.keys import storage_tokens
from dashboard.sandbox.management.bodies import Members, json_body
from dashboard.sandbox.models import Person, Project, Record
from dashboard.sandbox.operations import operation
from dashboard.sandbox.storage import race, wildcards

BROKEN = ("servfail", "nxdomain", "silent")
KINDS = ("A", "AAAA", "CNAME", "TXT", "CAA", "MX", "NS")


@operation("_keys", "GET", "/_keys")
def keys(_request: HttpRequest, person: Person) -> HttpResponse:
    """Return `storage_tokens` of the person's projects by ref, and everybody's personal token."""
    projects = Project.objects.filter(organization__members=person).order_by("created_at", "ref")
    people = [
        {"name": someone.name, "role": someone.role, "personal_token": someone.token}
        for someone in Person.objects.order_by("created_at", "pk")
    ]
    return answer({"storage_tokens": {project.ref: storage_tokens(project) for project in projects}, "people": people})


@operation("_dns", "GET", "/_dns")
def records(_request: HttpRequest, _person: Person) -> HttpResponse:
    """Return all DNS records."""
    return answer([_shown(record) for record in Record.objects.order_by("name", "kind", "pk")])


@operation("_dns", "POST", "/_dns")
def change_records(request: HttpRequest, _person: Person) -> HttpResponse:
    """Apply one change or an array of them; all or none.

    {"action": "publish", "name", "type", "value", "ttl"?, "beside"?: true, for a CNAME that breaks the rule to stand alone} ·
    {"action": "remove", "name", "type"?, "value"?} ·
    {"action": "break", "name", "how"?: "servfail" | "nxdomain" | "silent"} · {"action": "mend", "name"}
    """
    changes = json_body(request)
    with transaction.atomic():
        for change in changes if isinstance(changes, list) else [changes]:
            _change(Members(change))
    return records(request, _person)


def _change(body: Members) -> None:
    action = body.get("action", "publish")
    name = body.text("name", least=1, most=253).lower().rstrip(".")
    found = Record.objects.filter(name=name)
    if action == "publish":
        _publish(name, body)
    elif action == "remove":
        for member, column in (("type", "kind"), ("value", "value")):
            if member in body:
                found = found.filter(**{column: body.text(member)})
        found.delete()
    elif action == "break":
        how = body.text("how") if "how" in body else "servfail"
        if how not in BROKEN:
            raise ManagementRefusal(400, f"how: one of {', '.join(BROKEN)}")
        if not found.update(broken=how):
            Record.objects.create(name=name, kind="TXT", value="-", broken=how)
    elif action == "mend":
        found.filter(value="-").delete()
        found.update(broken="")
    else:
        raise ManagementRefusal(400, "action: one of publish, remove, break, mend")


def _publish(name: str, body: Members) -> None:
    kind, value = body.text("type").upper(), body.text("value", least=1, most=4000)
    ttl = body.get("ttl", 60)
    if kind not in KINDS:
        raise ManagementRefusal(400, f"type: one of {', '.join(KINDS)}")
    if not isinstance(ttl, int) or not 0 <= ttl <= 86400:
        raise ManagementRefusal(400, "ttl: seconds, from 0 to 86400")
    try:
        dns.name.from_text(name)
        if kind != "TXT":
            dns.rdata.from_text(dns.rdataclass.IN, dns.rdatatype.from_text(kind), value, origin=dns.name.root)
    except (dns.exception.DNSException, ValueError):
        raise ManagementRefusal(400, f"value: no {kind} record") from None
    others = Record.objects.filter(name=name).exclude(kind=kind)
    beside = others.exists() if kind == "CNAME" else others.filter(kind="CNAME").exists()
    if beside and body.get("beside") is not True:
        raise ManagementRefusal(400, "name: a CNAME can't stand beside other records")
    if kind == "CNAME" and not beside:
        Record.objects.filter(name=name).delete()
    Record.objects.update_or_create(name=name, kind=kind, value=value, defaults={"ttl": ttl})


def _shown(record: Record) -> dict[str, object]:
    return {"name": record.name, "type": record.kind, "value": record.value, "ttl": record.ttl, "broken": record.broken}


@operation("_tls", "GET", "/_tls")
def certificates(_request: HttpRequest, _person: Person) -> HttpResponse:
    """Return the address of the TLS server, its authority as PEM, and how names misbehave."""
    return answer(tls.facts())


@operation("_tls", "POST", "/_tls")
def set_certificate(request: HttpRequest, _person: Person) -> HttpResponse:
    """Serve another certificate for a name: {"name", "how": one of `tls.HOW`}."""
    body = Members(json_body(request))
    name, how = body.text("name", least=1, most=253).lower().rstrip("."), body.text("how")
    if how not in tls.HOW:
        raise ManagementRefusal(400, f"how: one of {', '.join(tls.HOW)}")
    tls.misbehave(name, how)
    return answer(tls.facts())


@operation("_faults", "GET", "/_faults")
def all_faults(_request: HttpRequest, _person: Person) -> HttpResponse:
    return answer(faults.listed())


@operation("_faults", "POST", "/_faults")
def set_faults(request: HttpRequest, _person: Person) -> HttpResponse:
    """Set one fault or an array of them (see `faults`). A fault replaces the one of the same operation."""
    wanted = json_body(request)
    try:
        found = msgspec.convert(wanted if isinstance(wanted, list) else [wanted], list[faults.Fault])
    except msgspec.ValidationError as error:
        raise ManagementRefusal(400, str(error)) from None
    for fault in found:
        faults.set_one(fault)
    return answer(faults.listed(), 201)


@operation("_faults", "DELETE", "/_faults")
def clear_faults(request: HttpRequest, _person: Person) -> HttpResponse:
    """Clear all faults, or those of `?operation=`."""
    faults.clear(request.GET.get("operation", ""))
    return answer(faults.listed())


@operation("_race", "POST", "/_race")
def set_race(request: HttpRequest, _person: Person) -> HttpResponse:
    """Switch the race of `storage.race`: {"on": true | false}."""
    race.switch(on=_on(request))
    return answer({"on": race.is_on()})


@operation("_wildcards", "POST", "/_wildcards")
def set_wildcards(request: HttpRequest, _person: Person) -> HttpResponse:
    """Switch the wildcards of `storage.wildcards`: {"on": true | false}."""
    wildcards.switch(on=_on(request))
    return answer({"on": wildcards.is_on()})


def _on(request: HttpRequest) -> bool:
    on = Members(json_body(request)).get("on")
    if not isinstance(on, bool):
        raise ManagementRefusal(400, "on: true or false")
    return on
