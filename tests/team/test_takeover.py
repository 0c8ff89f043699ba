"""An owner must not get at another person's tokens by choosing that person's password."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.http import Http404
from django.utils import timezone
from pytest_django import Settings

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms as GrantTerms
from dashboard.features.sharing.models import LinkSet
from dashboard.features.sharing.services import batch
from dashboard.journal.models import Entry
from dashboard.journal.recorder import record
from dashboard.links.lifecycle import Terms, make
from dashboard.reviews import reviews
from dashboard.team import mail, providers
from dashboard.team.models import Person, Role
from dashboard.tokens import actor
from dashboard.tokens.errors import TokenLocked
from dashboard.tokens.workspace import Workspace
from tests.pages import PageClient
from tests.people import PASSWORD, client_of, confirmed, hold
from tests.sandboxes import Sandbox
from tests.team.test_factors import with_app

CHOSEN, NEW = "a pass phrase chosen by somebody else", "seven green bicycles at noon"
LOCK = "/account/lock/"


@pytest.fixture
def victim(ada: Person, service: Sandbox, ref: str) -> Person:
    """Ada has a password, a management token and a storage token."""
    ada.set_password(PASSWORD)
    ada.save()
    hold(ada, service.personal_token)
    hold(ada, service.storage_tokens[ref]["service"], ref)
    return ada


def link_for(owner: PageClient, person: Person) -> str:
    text = owner.post(f"/team/{person.pk}/link/").text
    found = re.search(r'value="http://testserver(/account/password/reset/key/[^"]+)"', text)
    assert found
    return found[1]


def use(link: str, password: str = CHOSEN) -> PageClient:
    """Open a link as anyone with it can, choose a password, and be signed in."""
    client = PageClient()
    form = client.get(link, follow=True).redirect_chain[-1][0]
    assert client.post(form, {"password1": password, "password2": password}).status_code == 302
    return client


def take_over(owner: Person, victim: Person) -> PageClient:
    return use(link_for(confirmed(owner), victim))


def unlock(client: PageClient) -> None:
    """Prove the old password and choose a new one."""
    assert client.post(LOCK, {"password": PASSWORD}).status_code == 302
    assert client.post(f"{LOCK}password/", {"password": NEW, "again": NEW}).status_code == 303


def is_locked(page: Any) -> bool:
    return (page.status_code, page.get("Location")) == (302, LOCK)


def test_a_password_set_through_an_owners_link_opens_nothing(owner: Person, victim: Person, ref: str) -> None:
    attacker = take_over(owner, victim)
    for path in ("/", f"/projects/{ref}/secrets/", f"/storage/{ref}/", "/account/reauthenticate/", "/journal/"):
        assert is_locked(attacker.get(path)), path
    for token in victim.stored_tokens.all():
        assert is_locked(attacker.post(f"/account/tokens/{token.pk}/check/"))


def test_forgetting_one_token_and_replacing_another_unlocks_nothing(
    owner: Person, victim: Person, service: Sandbox, ref: str
) -> None:
    attacker = take_over(owner, victim)
    management = victim.stored_tokens.get(space="")
    assert is_locked(attacker.post(f"/account/tokens/{management.pk}/forgetting/"))
    stored = victim.stored_tokens.get(space=ref)
    key = service.storage_tokens[ref]["service"]
    assert is_locked(attacker.post(f"/account/tokens/{stored.pk}/replacement/", {"token": key}))
    assert is_locked(attacker.get(f"/storage/{ref}/"))
    victim.refresh_from_db()
    assert victim.is_locked
    assert victim.stored_tokens.count() == 2


def test_no_passkey_or_app_is_added_while_locked(owner: Person, victim: Person) -> None:
    attacker = take_over(owner, victim)
    for page in ("app/new/", "passkeys/new/", "passkeys/challenge/"):
        assert is_locked(attacker.get(f"/account/sign-in/{page}"))
        assert is_locked(attacker.post(f"/account/sign-in/{page}"))
    assert not Authenticator.objects.filter(user=victim).exists()


def test_what_is_remembered_of_a_locked_token_is_not_found_either(owner: Person, victim: Person, ref: str) -> None:
    take_over(owner, victim)
    victim.refresh_from_db()
    workspace = Workspace(victim)
    assert workspace.fingerprint("management") == workspace.fingerprint("storage", ref) == ""
    with pytest.raises(TokenLocked):
        workspace.require("storage", ref)


def test_the_password_that_the_owner_chose_does_not_unlock_also_after_a_second_link(owner: Person, victim: Person) -> None:
    attacker = take_over(owner, victim)
    again = take_over(owner, victim)
    for client in (attacker, again):
        client.post(LOCK, {"password": CHOSEN})
    answer = again.post(LOCK, {"password": CHOSEN})
    assert (answer.status_code, "not your password from before" in answer.text) == (422, True)
    assert is_locked(again.get("/organizations/"))


def test_a_token_stored_since_opens_nothing_and_the_first_moment_is_kept(owner: Person, victim: Person, service: Sandbox) -> None:
    take_over(owner, victim)
    victim.refresh_from_db()
    first = victim.trusted_until
    assert not hold(victim, service.personal_token).opens
    take_over(owner, victim)
    victim.refresh_from_db()
    assert first
    assert victim.locked_at
    assert (victim.trusted_until, victim.locked_at > first) == (first, True)


def test_the_persons_old_password_unlocks_everything(owner: Person, victim: Person, ref: str) -> None:
    client = take_over(owner, victim)
    page = client.get(LOCK).text
    assert "Your account is locked" in page
    assert "Olga Owner" in page
    unlock(client)
    assert not is_locked(client.get("/organizations/"))
    assert not is_locked(client.get(f"/storage/{ref}/"))
    victim.refresh_from_db()
    assert victim.check_password(NEW)


def test_storing_the_same_tokens_again_is_no_proof(owner: Person, victim: Person, service: Sandbox, ref: str) -> None:
    client = take_over(owner, victim)
    for space, token in (("", service.personal_token), (ref, service.storage_tokens[ref]["service"])):
        stored = victim.stored_tokens.get(space=space)
        assert is_locked(client.post(f"/account/tokens/{stored.pk}/replacement/", {"token": token}))
    assert victim.stored_tokens.count() == 2


def test_guessing_the_old_password_ends_after_ten_attempts(owner: Person, victim: Person) -> None:
    attacker = take_over(owner, victim)
    for _ in range(10):
        assert attacker.post(LOCK, {"password": "not the one"}).status_code == 422
    answer = attacker.post(LOCK, {"password": PASSWORD})
    assert (answer.status_code, "Too many wrong passwords" in answer.text) == (422, True)
    assert is_locked(attacker.get("/organizations/"))


def test_the_persons_share_links_do_not_open_while_locked(owner: Person, victim: Person, ref: str) -> None:
    share, code = make(victim, ref, "any", keys=["a.txt"], terms=Terms(ends_at=timezone.now() + timedelta(days=1)))
    attacker = take_over(owner, victim)
    opened = PageClient().get(f"/l/{code}")
    assert (opened.status_code, "must confirm their access first" in opened.text) == (410, True)
    share.refresh_from_db()
    assert share.code == ""
    assert is_locked(attacker.get(f"/links/{share.pk}/"))
    unlock(attacker)
    share.owner.refresh_from_db()
    assert share.code == code


def test_signed_links_that_the_person_made_are_not_shown_while_locked(owner: Person, victim: Person, ref: str) -> None:
    kept = LinkSet.objects.create(
        owner=victim, space=ref, bucket="any", selection={}, keeps_until=timezone.now() + timedelta(days=1)
    )
    attacker = take_over(owner, victim)
    assert is_locked(attacker.get(f"/storage/{ref}/any/~sign/{kept.pk}/"))
    victim.refresh_from_db()
    with pytest.raises(TokenLocked):
        batch.find(Workspace(victim), ref, "any", kept.pk)


def test_drafts_that_the_person_typed_are_not_shown_while_locked(owner: Person, victim: Person) -> None:
    review = reviews.create(Workspace(victim), "any purpose", {"value": "typed by the person"})
    take_over(owner, victim)
    victim.refresh_from_db()
    assert reviews.find_unfinished(Workspace(victim), "any purpose") == []
    with pytest.raises(Http404):
        reviews.find(Workspace(victim), "any purpose", review.pk)


def test_the_persons_jobs_stop_with_a_sentence(owner: Person, victim: Person) -> None:
    take_over(owner, victim)
    with pytest.raises(TokenLocked) as stopped, actor.workspace_of(victim.pk) as workspace:
        workspace.management.projects.all()
    assert "can unlock it" in (actor.stop_reason(stopped.value) or "")


@pytest.mark.parametrize("way", ["command", "mail", "own"])
def test_ones_own_ways_back_in_lock_nothing(
    way: str, owner: Person, victim: Person, mailoutbox: list[EmailMessage], capsys: pytest.CaptureFixture[str]
) -> None:
    """`manage.py link`, a reset by one's own mailbox, and an owner's link for oneself."""
    if way == "command":
        call_command("link", victim.email, address="http://testserver")
        link = capsys.readouterr().out.strip()
    elif way == "mail":
        PageClient().post("/account/password/reset/", {"email": victim.email})
        mail.wait_for_delivery()
        link = next(word for word in mailoutbox[-1].body.split() if "/key/" in word)
    else:
        Person.objects.filter(pk=victim.pk).update(role=Role.OWNER)
        victim.refresh_from_db()
        link = link_for(confirmed(victim), victim)
    assert not is_locked(use(link).get("/organizations/"))


def test_the_makers_name_can_not_be_cut_off_a_link(owner: Person, victim: Person) -> None:
    link = link_for(confirmed(owner), victim)
    uid, time, digest, maker = link.rstrip("/").rpartition("/")[2].split("-")
    for key in (
        f"{uid}-{time}-{digest}",
        f"{uid}-{time}-{digest}-0",
        f"{uid}-{time}-{digest}-zz",
        f"{uid}-{time}-{digest}--{maker}",
    ):
        answer = PageClient().get(f"/account/password/reset/key/{key}/")
        assert answer.status_code == 200
        assert "no longer works" in answer.text


def test_a_mailed_link_does_not_launder_an_owners_link(owner: Person, victim: Person, mailoutbox: list[EmailMessage]) -> None:
    link = link_for(confirmed(owner), victim)
    PageClient().post("/account/password/reset/", {"email": victim.email})
    assert is_locked(use(link).get("/organizations/"))


def test_another_owners_link_does_not_open_the_access_of_somebody_who_never_signed_in(
    owner: Person, ada: Person, service: Sandbox, ref: str
) -> None:
    """The owner who gave the access may make the link as well."""
    other = Person.objects.create(email="other@example.org", name="Other Owner", role=Role.OWNER)
    hold(owner, service.personal_token)
    grants.give(owner, ref, {"management": GrantTerms(acts=("read",), folders=())}, people=[ada])
    assert not is_locked(use(link_for(confirmed(owner), ada)).get("/people/"))
    Person.objects.filter(pk=ada.pk).update(last_login=None)
    assert is_locked(use(link_for(confirmed(other), ada)).get("/people/"))


@pytest.mark.parametrize("way", ["factor", "provider"])
def test_an_account_with_another_way_in_is_locked(owner: Person, ada: Person, settings: Settings, way: str) -> None:
    if way == "factor":
        with_app(ada)
    else:
        settings.OIDC_ISSUER = "https://login.example.com"
        SocialAccount.objects.create(user_id=ada.pk, provider=providers.provider_id(), uid="subject")
    use(link_for(confirmed(owner), ada))
    ada.refresh_from_db()
    assert ada.is_locked


def test_a_list_of_what_happened_since_says_where_it_ends(owner: Person, victim: Person) -> None:
    client = take_over(owner, victim)
    for _ in range(120):
        with record(person_id=victim.pk, operation="sign-in", target=victim.email):
            pass
    text = client.post(LOCK, {"password": PASSWORD}, follow=True).text
    more = Entry.objects.filter(person=victim, started_at__gte=victim_since(victim)).count() - 100
    assert more >= 20
    assert f"And {more} earlier entries" in text


def victim_since(victim: Person) -> datetime:
    victim.refresh_from_db()
    assert victim.trusted_until
    return victim.trusted_until


def test_an_account_that_never_held_anything_is_not_locked(owner: Person, ada: Person, service: Sandbox) -> None:
    client = use(link_for(confirmed(owner), ada))
    ada.refresh_from_db()
    assert not ada.is_locked
    assert client.get(LOCK).status_code == 302


@pytest.mark.parametrize("act", ["link", "role", "deactivation"])
def test_acts_on_people_need_the_password_once_more(owner: Person, ada: Person, act: str) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    left_open = client_of(owner)
    path = f"/team/{ada.pk}/{act}/"
    assert left_open.get(path)["Location"].startswith("/account/reauthenticate/")
    assert left_open.post(path, {"role": "owner", "typed": ada.email}).status_code == 403
    assert left_open.post("/team/new/", {"email": "new@example.org", "role": "owner"}).status_code == 403
    ada.refresh_from_db()
    assert (ada.is_active, ada.role, ada.link_serial, Person.objects.count()) == (True, Role.ADMINISTRATOR, 0, 2)


def test_the_person_is_told_by_mail_and_at_the_next_sign_in(
    owner: Person, victim: Person, mailoutbox: list[EmailMessage]
) -> None:
    device = PageClient()
    device.post("/account/login/", {"login": victim.email, "password": PASSWORD})
    device.post("/account/logout/")
    other = confirmed(owner)
    other.post(f"/team/{victim.pk}/deactivation/", {"typed": victim.email})
    other.post(f"/team/{victim.pk}/activation/")
    other.post(f"/team/{victim.pk}/role/", {"role": "owner"})
    take_over(owner, victim)
    mail.wait_for_delivery()
    texts = "\n".join(str(sent.body) for sent in mailoutbox if sent.to == [victim.email])
    assert "Olga Owner changed your role to Owner." in texts
    assert "Your password was set with a link that Olga Owner made. Your account is locked." in texts
    answer = device.post("/account/login/", {"login": victim.email, "password": CHOSEN}, follow=True)
    for act in ("deactivated your account", "reactivated your account", "changed your role to Owner"):
        assert f"Olga Owner {act}" in answer.text
    assert "Your password was set with a link that Olga Owner made" in answer.text
    device.post("/account/logout/")
    again = device.post("/account/login/", {"login": victim.email, "password": CHOSEN}, follow=True)
    assert "changed your role" not in again.text


def test_without_mail_nothing_is_sent_and_all_works(
    owner: Person, victim: Person, mailoutbox: list[EmailMessage], settings: Settings
) -> None:
    settings.EMAIL_BACKEND = mail.DUMMY
    assert is_locked(take_over(owner, victim).get("/organizations/"))
    assert mailoutbox == []


def test_using_the_link_is_in_the_persons_and_the_owners_journal(owner: Person, victim: Person) -> None:
    attacker = take_over(owner, victim)
    entry = Entry.objects.get(operation="link used")
    assert (entry.person, entry.after) == (victim, {"made_by": "Olga Owner", "account_locked": True})
    assert is_locked(attacker.get("/journal/"))
    assert "Used a sign-in link" in client_of(owner).get("/journal/").text
