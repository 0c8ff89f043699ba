"""How each operation whose answer can get lost is sent from a page, for one generated test over all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.hostname.forms import CHECKLIST
from dashboard.interfaces import StorageInterface, Token, errors
from dashboard.interfaces.management.hostname import HostnameStatus
from dashboard.team.models import Person
from tests.features.buckets import desk as buckets
from tests.features.encryption.desk import key_desk
from tests.features.functions import desk as functions
from tests.features.hostname import desk as hostname
from tests.features.lost import Lost
from tests.features.network import desk as network
from tests.features.network.reviewed import seen_in
from tests.features.objects import conftest as objects
from tests.features.projects.desk import Creation
from tests.features.secrets import desk as secrets
from tests.pages import PageClient

LAB = secrets.REF


@dataclass(frozen=True, slots=True)
class Sender:
    """One write, sent from its page: the page with its button, its request, and whether the service shows the new state.

    `waits`: the words shown instead of the usual ones while it is still being sent or checked. `proved`: False if only the
    process that sent it could tell its outcome.
    """

    operation: str
    page: str
    request: str
    send: Callable[..., Any]
    is_applied: Callable[[], bool]
    waits: str = ""
    proved: bool = True


def root_key(lost: Lost, client: PageClient, owner: Person, _ref: str) -> Sender:
    desk = key_desk(lost.management, client, owner)
    new = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdeffedcba9876543210"

    def send() -> Any:
        chosen = desk.choose(new)
        return desk.confirm(chosen) if chosen.status_code == 200 else chosen

    return Sender("M21", desk.address("index"), f"PUT /v1/projects/{LAB}/pgsodium", send, lambda: desk.key() == new)


def secret_saved(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = secrets.Desk(lost.management)
    name = desk.name()
    return Sender(
        "M6",
        desk.address("index"),
        f"POST /v1/projects/{LAB}/secrets",
        lambda: client.send(desk.address("new"), name=name, value="canary"),
        lambda: desk.value(name) is not None,
    )


def secret_deleted(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = secrets.Desk(lost.management)
    name = desk.put()
    return Sender(
        "M7",
        desk.address("index"),
        f"DELETE /v1/projects/{LAB}/secrets",
        lambda: client.send(desk.address("delete", name=name), typed=name),
        lambda: desk.value(name) is None,
    )


def ban_lifted(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    bans = network.Bans(lost.service, lost.management)
    bans.put("198.51.100.7")
    return Sender(
        "M23",
        bans.address("bans"),
        f"DELETE /v1/projects/{network.STAGING}/network-bans",
        lambda: client.send(bans.address("lift", address="198.51.100.7")),
        lambda: "198.51.100.7" not in bans.now,
    )


def restrictions_applied(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = network.Desk(lost.management)
    desk.put(*network.V4)
    text = "\n".join([*network.V4, "203.0.114.0/24", *network.V6])

    def send() -> Any:
        review = client.post(desk.address("plan"), {"text": text})["Location"]
        return client.post(review, seen_in(client.get(review).text))

    return Sender(
        "M25",
        desk.address("restrictions"),
        f"POST /v1/projects/{network.TRACKING}/network-restrictions/apply",
        send,
        lambda: "203.0.114.0/24" in desk.now.config.allowed,
    )


def hostname_set_up(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = hostname.Desk(lost.service, lost.management)
    ref, host = desk.project(), desk.host()
    return Sender(
        "M17",
        desk.address("index", ref),
        f"POST /v1/projects/{ref}/custom-hostname/initialize",
        lambda **more: client.send(desk.address("new", ref), custom_hostname=host, anyway="on", **more),
        lambda: _hostname(lost, ref) == host,
    )


def hostname_verified(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = hostname.Desk(lost.service, lost.management)
    ref, _, found = desk.set_up()
    desk.publish_all(ref, found)
    before = found.status
    return Sender(
        "M18",
        desk.address("index", ref),
        f"POST /v1/projects/{ref}/custom-hostname/reverify",
        lambda: client.send(desk.address("verification", ref)),
        lambda: lost.management.hostname.get(ref).status is not before,
    )


def hostname_activated(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = hostname.Desk(lost.service, lost.management)
    ref, _, found = desk.set_up()
    desk.publish_all(ref, found)
    while lost.management.hostname.get(ref).status is not HostnameStatus.ORIGIN_SETUP_COMPLETED:
        lost.management.hostname.reverify(ref)
    return Sender(
        "M19",
        desk.address("index", ref),
        f"POST /v1/projects/{ref}/custom-hostname/activate",
        lambda: client.send(desk.address("activation", ref), **dict.fromkeys(CHECKLIST, "on")),
        lambda: lost.management.hostname.get(ref).status is HostnameStatus.SERVICES_RECONFIGURED,
    )


def hostname_deleted(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = hostname.Desk(lost.service, lost.management)
    ref, host, _ = desk.set_up()
    return Sender(
        "M16",
        desk.address("index", ref),
        f"DELETE /v1/projects/{ref}/custom-hostname",
        lambda: client.send(desk.address("delete", ref), typed=host),
        lambda: _hostname(lost, ref) == "",
    )


def _hostname(lost: Lost, ref: str) -> str:
    try:
        return lost.management.hostname.get(ref).custom_hostname
    except errors.NotFound:
        return ""


def function_deployed(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = functions.Desk(lost.management)
    slug = desk.slug()

    def send() -> Any:
        form = {"slug": slug, "name": slug, "text": functions.SOURCE, "verify_jwt": "on"}
        planned = client.post(desk.address("new"), form)
        return desk.send(client, planned["Location"])

    return Sender("M9", desk.address("index"), f"POST /v1/projects/{LAB}/functions", send, lambda: desk.is_there(slug))


def function_changed(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = functions.Desk(lost.management)
    slug = desk.put()
    address = desk.address("edit", slug)
    # The form is opened once, and sent repeatedly as it is.
    shown = str((client.part(address, "dialog").context or {})["form"]["shown"].value())

    def send() -> Any:
        return client.send(address, shown=shown, name="other", verify_jwt="on")

    return Sender(
        "M12",
        desk.address("show", slug),
        f"PATCH /v1/projects/{LAB}/functions/{slug}",
        send,
        lambda: desk.get(slug).name == "other",
    )


def function_deleted(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    desk = functions.Desk(lost.management)
    slug = desk.put()
    return Sender(
        "M13",
        desk.address("show", slug),
        f"DELETE /v1/projects/{LAB}/functions/{slug}",
        lambda: client.send(desk.address("delete", slug), typed=slug),
        lambda: not desk.is_there(slug),
    )


def organization_created(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    name = f"org {uuid4().hex[:10]}"
    return Sender(
        "M4",
        reverse("organizations:index"),
        "POST /v1/organizations",
        lambda: client.send(reverse("organizations:new"), name=name),
        lambda: any(found.name == name for found in lost.management.organizations.all()),
    )


def project_created(lost: Lost, client: PageClient, _owner: Person, _ref: str) -> Sender:
    creation = Creation(client, lost.service)
    return Sender("M2", reverse("home:index"), "POST /v1/projects", lambda: creation.ask().send(), lambda: bool(creation.there()))


def bucket_created(lost: Lost, client: PageClient, _owner: Person, ref: str) -> Sender:
    desk = _buckets(lost, ref)
    name = desk.name()
    return Sender(
        "S1",
        desk.address("index"),
        f"POST /{ref}/storage/v1/bucket/",
        lambda: client.send(desk.address("new"), name=name),
        lambda: desk.bucket(name) is not None,
    )


def bucket_changed(lost: Lost, client: PageClient, _owner: Person, ref: str) -> Sender:
    desk = _buckets(lost, ref)
    name = desk.put()

    def is_public() -> bool:
        bucket = desk.bucket(name)
        return bool(bucket and bucket.public)

    return Sender(
        "S5",
        desk.address("index"),
        f"PUT /{ref}/storage/v1/bucket/{name}",
        lambda: client.send(desk.address("edit", name), public="on", publish="on"),
        is_public,
    )


def bucket_deleted(lost: Lost, client: PageClient, _owner: Person, ref: str) -> Sender:
    desk = _buckets(lost, ref)
    name = desk.put()
    return Sender(
        "S6",
        desk.address("index"),
        f"DELETE /{ref}/storage/v1/bucket/{name}",
        lambda: client.send(desk.address("delete", name), typed=name),
        lambda: desk.bucket(name) is None,
    )


def object_desk(lost: Lost, client: PageClient, ref: str, *keys: str) -> objects.Desk:
    storage = StorageInterface(lost.service.storage(ref), Token(lost.service.storage_tokens[ref]["service"]))
    desk = objects.Desk(client, storage, ref, f"lost-{uuid4().hex[:12]}")
    storage.buckets.create(desk.bucket)
    desk.put(*keys, body=b"1234")
    return desk


def object_deleted(lost: Lost, client: PageClient, _owner: Person, ref: str) -> Sender:
    desk = object_desk(lost, client, ref, "a.txt")
    return Sender(
        "S7",
        desk.address("index"),
        f"DELETE /{ref}/storage/v1/object/{desk.bucket}/a.txt",
        lambda: client.send(f"{desk.address('deletion')}?key=a.txt"),
        lambda: desk.names() == [],
    )


def objects_deleted(lost: Lost, client: PageClient, _owner: Person, ref: str) -> Sender:
    desk = object_desk(lost, client, ref, "a.txt", "b.txt")

    def send() -> Any:
        question = client.post(desk.address("selection"), {"key": ["a.txt", "b.txt"]})["Location"]
        return client.send(question, count="2")

    return Sender(
        "S8",
        desk.address("index"),
        f"DELETE /{ref}/storage/v1/object/{desk.bucket}",
        send,
        lambda: desk.names() == [],
    )


def file_accepted(lost: Lost, client: PageClient, owner: Person, ref: str) -> Sender:
    desk = object_desk(lost, client, ref)
    received = objects_of_a_request(desk, owner)
    address = reverse("file_requests:accept", args=(received.request_id,))
    return Sender(
        "S11",
        reverse("file_requests:inbox", args=(received.request_id,)),
        f"POST /{ref}/storage/v1/object/move",
        lambda: client.post(address, {"file": received.pk}, follow=True),
        lambda: desk.names("sent/") == ["a.txt"],
        waits="still being checked",
    )


def objects_of_a_request(desk: objects.Desk, owner: Person) -> ReceivedFile:
    """A file that an outsider sent into `sent/`."""
    asked = FileRequest(owner=owner, space=desk.space, bucket=desk.bucket, folder="sent/", title="Files")
    asked.most_bytes, asked.most_files, asked.most_total = 100, 10, 1000
    asked.ends_at = timezone.now() + timedelta(days=1)
    asked.issue_code()
    asked.save()
    key = f"sent/.requests/{asked.pk}/0/a.txt"
    desk.put(key)
    state = ReceivedFile.State.RECEIVED
    return ReceivedFile.objects.create(request=asked, sender="Ann", name="a.txt", key=key, size=1, state=state)


def _uploaded(operation: str, verb: str, policy: str, *there: str) -> Callable[[Lost, PageClient, Person, str], Sender]:
    def make(lost: Lost, client: PageClient, _owner: Person, ref: str) -> Sender:
        desk = object_desk(lost, client, ref, *there)
        query = {"key": "a.txt", "policy": policy}
        return Sender(
            operation,
            desk.address("index"),
            f"{verb} /{ref}/storage/v1/object/{desk.bucket}/a.txt",
            lambda: client.put(desk.address("upload"), b"67890", content_type="text/plain", query_params=query),
            lambda: desk.names() == ["a.txt"] and desk.bytes_of("a.txt") == b"67890",
            waits="already uploading",
            proved=operation != "S10",
        )

    return make


def _buckets(lost: Lost, ref: str) -> buckets.Desk:
    storage = StorageInterface(lost.service.storage(ref), Token(lost.service.storage_tokens[ref]["service"]))
    return buckets.Desk(storage, ref)


SENDERS: dict[str, Callable[[Lost, PageClient, Person, str], Sender]] = {
    "M2": project_created,
    "M4": organization_created,
    "M6": secret_saved,
    "M7": secret_deleted,
    "M9": function_deployed,
    "M12": function_changed,
    "M13": function_deleted,
    "M16": hostname_deleted,
    "M17": hostname_set_up,
    "M18": hostname_verified,
    "M19": hostname_activated,
    "M21": root_key,
    "M23": ban_lifted,
    "M25": restrictions_applied,
    "S1": bucket_created,
    "S5": bucket_changed,
    "S6": bucket_deleted,
    "S7": object_deleted,
    "S8": objects_deleted,
    "S9": _uploaded("S9", "POST", "new"),
    "S11": file_accepted,
    "S10": _uploaded("S10", "PUT", "replace", "a.txt"),
}
