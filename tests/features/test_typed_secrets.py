"""A secret that was typed into a form stays when the form is refused: sealed, in the dialog, on a page and without script."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.hashers import check_password
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from dashboard.features.account.forms import ChosenSpaceForm, KeysForm, TokenForm, TypedSpaceForm
from dashboard.features.encryption.forms import NewKeyForm
from dashboard.features.file_requests.forms import EditForm as RequestEditForm
from dashboard.features.file_requests.forms import RequestForm
from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.services import requests as file_requests
from dashboard.features.patterns.forms import EveryField, ShortForm
from dashboard.features.projects.forms import ConfirmationForm
from dashboard.features.secrets.forms import RowForm, SecretForm, ValueForm
from dashboard.features.sharing.forms.share import EditForm, NewShareForm, PageForm, ShareForm
from dashboard.interfaces import ManagementInterface, Token
from dashboard.links.forms import ChangeForm, TermsForm
from dashboard.links.lifecycle import Terms, make
from dashboard.links.models import Share
from dashboard.reviews.models import Part, Review
from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from dashboard.tokens.workspace import Workspace
from dashboard.web.input.forms import Form
from tests.features.encryption.desk import key_desk
from tests.features.file_requests.conftest import TERMS
from tests.features.service import Faults
from tests.pages import PageClient, htmx
from tests.sandboxes import Sandbox

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f00123456789abcdeffedcba9876543210"
PASSWORD = "four random words"
LAB, ORGANIZATION = "xreugplnbwsqhdvfyakt", "quiet-harbour-heron"
LIFE = {"life": "604800"}
LIMITS = {"title": "Photos", "most_mb": "10", "most_files": "5", "total_mb": "20"}
LONG_NOTE = {"note": "x" * 501}


@dataclass(frozen=True, slots=True)
class Rig:
    """Somebody with tokens, and a service that can fail."""

    client: PageClient
    owner: Person
    service: Sandbox
    ref: str
    bucket: str
    faults: Faults
    settings: Any

    @property
    def key(self) -> str:
        return self.service.storage_tokens[self.ref]["service"]

    def forget(self, kind: Kind) -> None:
        StoredToken.objects.filter(person=self.owner, kind=kind).delete()

    def holds(self, kind: Kind, text: str) -> bool:
        return StoredToken.objects.get(person=self.owner, kind=kind).open() == text


@dataclass(frozen=True, slots=True)
class Case:
    """One form with secrets. It is refused by `wrong` in other fields, or while an operation fails; `holds`: it was accepted."""

    form: type[Form]
    address: str
    secrets: Mapping[str, str]
    typed: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    fails: str = ""
    holds: Callable[[], bool] = lambda: True
    is_dialog: bool = True


def management(rig: Rig) -> Case:
    rig.forget(Kind.MANAGEMENT)
    text = rig.service.personal_token
    address = f"{reverse('account:token_new')}?kind=management"
    return Case(TokenForm, address, {"token": text}, fails="M1", holds=lambda: rig.holds(Kind.MANAGEMENT, text))


def replaced(rig: Rig) -> Case:
    token, text = StoredToken.objects.get(person=rig.owner, kind=Kind.MANAGEMENT), rig.service.personal_token
    address = reverse("account:replacement", args=[token.pk])
    return Case(TokenForm, address, {"token": text}, fails="M1", holds=lambda: rig.holds(Kind.MANAGEMENT, text))


def first(rig: Rig) -> Case:
    rig.forget(Kind.MANAGEMENT)
    text = rig.service.personal_token
    holds = lambda: rig.holds(Kind.MANAGEMENT, text)  # noqa: E731 - short
    return Case(TokenForm, reverse("account:setup"), {"management-token": text}, fails="M1", holds=holds, is_dialog=False)


def keys(rig: Rig) -> Case:
    rig.forget(Kind.STORAGE)
    holds = lambda: rig.holds(Kind.STORAGE, rig.key)  # noqa: E731 - short
    return Case(KeysForm, reverse("account:setup"), {"tokens": f"{rig.ref}={rig.key}"}, fails="S2", holds=holds, is_dialog=False)


def keys_of_unknown_projects(rig: Rig) -> Case:
    return replace(keys(rig), fails="M1")


def chosen(rig: Rig) -> Case:
    rig.forget(Kind.STORAGE)
    address = f"{reverse('account:token_new')}?kind=storage"
    wrong = {"space": "nowhere"}
    return Case(
        ChosenSpaceForm, address, {"token": rig.key}, {"space": rig.ref}, wrong, holds=lambda: rig.holds(Kind.STORAGE, rig.key)
    )


def by_ref(rig: Rig) -> Case:
    rig.forget(Kind.STORAGE)
    rig.settings.MANAGEMENT_URL = ""
    address = f"{reverse('account:token_new')}?kind=storage"
    wrong = {"space": "Not a ref"}
    return Case(
        TypedSpaceForm, address, {"token": rig.key}, {"space": rig.ref}, wrong, holds=lambda: rig.holds(Kind.STORAGE, rig.key)
    )


def secret(rig: Rig) -> Case:
    name, interface = (
        f"TEST_{uuid4().hex[:10]}",
        ManagementInterface(rig.service.management_url, Token(rig.service.personal_token)),
    )
    address = reverse("secrets:new", args=[LAB])
    holds = lambda: name in {secret.name for secret in interface.secrets.all(LAB)}  # noqa: E731 - short
    return Case(SecretForm, address, {"value": "typed once"}, {"name": name}, {"name": "SUPABASE_X"}, "M6", holds)


def root_key(rig: Rig) -> Case:
    interface = ManagementInterface(rig.service.management_url, Token(rig.service.personal_token))
    key_desk(interface, rig.client, rig.owner).save()
    typed = {"saved": "on", "source": "paste"}
    address = reverse("encryption:replacement", args=[LAB])
    return Case(NewKeyForm, address, {"key": KEY}, typed, {"saved": ""}, "M20", is_dialog=False)


def database(rig: Rig) -> Case:
    made = {"name": f"atlas {uuid4().hex[:10]}", "organization": ORGANIZATION, "region": "eu-west-1", "plan": "free"}
    address = str(rig.client.post(reverse("projects:new"), made)["Location"])
    return Case(ConfirmationForm, address, {"password": PASSWORD}, {"kind": "own", "another": "on"}, fails="M2", is_dialog=False)


def share(rig: Rig) -> Case:
    address = f"{reverse('sharing:new', args=[rig.ref, rig.bucket])}?key=a.jpg"
    holds = lambda: check_password(PASSWORD, Share.objects.latest("pk").password)  # noqa: E731 - short
    return Case(NewShareForm, address, {"password": PASSWORD}, {**LIFE, "landing": "page"}, LONG_NOTE, holds=holds)


def share_edited(rig: Rig) -> Case:
    made, _ = make(rig.owner, rig.ref, rig.bucket, keys=["a.jpg"], terms=Terms(ends_at=timezone.now() + timedelta(days=7)))
    holds = lambda: check_password(PASSWORD, Share.objects.get(pk=made.pk).password)  # noqa: E731 - short
    typed = {"life": "keep", "landing": "page"}
    return Case(EditForm, reverse("sharing:edit", args=[made.pk]), {"password": PASSWORD}, typed, LONG_NOTE, holds=holds)


def request(rig: Rig) -> Case:
    address = f"{reverse('file_requests:new', args=[rig.ref, rig.bucket])}?path=fair/"
    holds = lambda: check_password(PASSWORD, FileRequest.objects.latest("pk").password)  # noqa: E731 - short
    return Case(RequestForm, address, {"password": PASSWORD}, {**LIFE, **LIMITS}, LONG_NOTE, holds=holds)


def request_edited(rig: Rig) -> Case:
    terms = file_requests.Terms(**TERMS, ends_at=timezone.now() + timedelta(days=7))
    asked, _ = file_requests.make(Workspace(rig.owner), rig.ref, rig.bucket, "fair/", terms)
    holds = lambda: check_password(PASSWORD, FileRequest.objects.get(pk=asked.pk).password)  # noqa: E731 - short
    address = reverse("file_requests:edit", args=[asked.pk])
    return Case(RequestEditForm, address, {"password": PASSWORD}, {**LIMITS, "life": "keep"}, LONG_NOTE, holds=holds)


CASES = {
    case.__name__: case
    for case in (
        *(management, replaced, first, keys, keys_of_unknown_projects, chosen, by_ref),
        *(secret, root_key, database, share, share_edited, request, request_edited),
    )
}
# Forms that no case posts, and why.
OTHERS: dict[type[Form], str] = {
    ValueForm: "the base of SecretForm and RowForm",
    RowForm: "it has no other field, and a value that is taken is sealed in a review before the service is called",
    TermsForm: "the base of the forms of links",
    ChangeForm: "as above",
    ShareForm: "the base of NewShareForm and EditForm",
    PageForm: "a NewShareForm with fewer fields, through the same `submit`",
    EveryField: "shows fields, and stores nothing",
    ShortForm: "as above",
}


@pytest.fixture
def rig(  # noqa: PLR0917 - fixtures are named, not counted
    as_owner: PageClient,
    owner: Person,
    service: Sandbox,
    ref: str,
    storage_token: StoredToken,
    faults: Faults,
    settings: Settings,
) -> Iterator[Rig]:
    storage, bucket = (
        service.interface(ref),
        f"typed {uuid4().hex[:12]}",
    )
    storage.buckets.create(bucket)
    yield Rig(as_owner, owner, service, ref, bucket, faults, settings)
    storage.buckets.delete(bucket)


def sealed() -> int:
    return Part.objects.filter(review__purpose__startswith="typed secret").count()


def send(rig: Rig, case: Case, data: Mapping[str, str], *, in_dialog: bool) -> Any:
    return rig.client.post(case.address, data, headers=htmx("dialog") if in_dialog else {})


def hidden_of(answer: Any) -> dict[str, str]:
    found = re.search(r'name="sealed" value="([^"]+)"', answer.text)
    return {"sealed": found[1]} if found else {}


def refused(rig: Rig, case: Case, data: Mapping[str, str], *, in_dialog: bool, by_fault: bool) -> Any:
    """Post what is refused: by another field, or because the service has no time."""
    if by_fault:
        rig.faults(case.fails, status=429)
    answer = send(rig, case, data if by_fault else {**data, **case.wrong}, in_dialog=in_dialog)
    if by_fault:
        rig.faults(case.fails, status=429, rate=0)
    assert answer.status_code == 422, answer.text
    assert "The value you typed is kept. Leave this empty to use it." in answer.text
    assert not any(value in answer.text for value in case.secrets.values())
    return answer


def forms(kind: type[Form] = Form) -> Iterator[type[Form]]:
    for form in kind.__subclasses__():
        yield form
        yield from forms(form)


def test_every_form_with_a_secret_is_tried_here(rig: Rig) -> None:
    tried = {make_case(rig).form for make_case in (management, keys, chosen, by_ref, secret, share, share_edited)}
    tried |= {NewKeyForm, ConfirmationForm, RequestForm, RequestEditForm}
    with_secrets = {form for form in forms() if any("data-secret" in one.widget.attrs for one in form.base_fields.values())}
    assert with_secrets | {KeysForm} == tried | OTHERS.keys()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CASES)
def test_a_typed_secret_outlives_every_refusal_and_is_erased_once_it_is_accepted(rig: Rig, name: str) -> None:
    case = CASES[name](rig)
    empty = {**case.typed, **dict.fromkeys(case.secrets, "")}
    ways = [(in_dialog, by_fault) for in_dialog in (case.is_dialog, False) for by_fault in (True, False)]
    possible = [way for way in dict.fromkeys(ways) if (case.fails if way[1] else case.wrong)]
    kept: dict[str, str] = {}
    data = {**case.typed, **case.secrets}
    for in_dialog, by_fault in possible:
        answer = refused(rig, case, {**data, **kept}, in_dialog=in_dialog, by_fault=by_fault)
        data, kept = empty, hidden_of(answer)
        assert Review.objects.filter(purpose__startswith="typed secret").count() == (1 if kept else 0)
    answer = send(rig, case, {**empty, **kept}, in_dialog=case.is_dialog)
    assert answer.status_code in (200, 303), answer.text
    assert case.holds()
    assert not sealed(), "it is erased once it was accepted"


def test_what_its_own_field_refuses_is_not_kept(rig: Rig) -> None:
    """A token that the service doesn't know is worth nothing; an earlier one that was kept is no longer meant."""
    case = management(rig)
    first = refused(rig, case, case.secrets, in_dialog=True, by_fault=True)
    for wrong in ("sbp_" + "0" * 40, "sbp_1 2"):
        answer = send(rig, case, {"token": wrong, **hidden_of(first)}, in_dialog=True)
        assert answer.status_code == 422
        assert "is kept" not in answer.text
        assert not sealed()


def test_a_kept_secret_is_nobody_elses_and_no_other_forms(rig: Rig, as_ada: PageClient) -> None:
    case, other = share(rig), request(rig)
    kept = hidden_of(refused(rig, case, {**case.typed, **case.secrets}, in_dialog=True, by_fault=False))
    send(rig, other, {**other.typed, "password": "", **kept}, in_dialog=True)
    assert FileRequest.objects.latest("pk").password == ""
    assert sealed(), "another form has not accepted it"
    as_ada.post(reverse("account:setup"), kept)
    assert sealed()


def test_one_kept_secret_of_a_form_takes_the_place_of_the_one_before(rig: Rig) -> None:
    case = share(rig)
    for _ in range(3):
        refused(rig, case, {**case.typed, **case.secrets}, in_dialog=True, by_fault=False)
    assert sealed() == 1


def test_an_accepted_form_never_keeps_anything(rig: Rig) -> None:
    case = share(rig)
    send(rig, case, {**case.typed, **case.secrets}, in_dialog=True)
    assert case.holds()
    assert not Review.objects.exists()
