"""A sign-in with a password or a factor counts as a confirmation for five minutes; one by a one-time link doesn't."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from dashboard.team import gate
from dashboard.team.models import Person
from tests.pages import PageClient
from tests.people import PASSWORD, confirmed
from tests.team.oidc_provider import Provider
from tests.team.test_factors import code_of, first_step, with_app
from tests.team.test_single_sign_on import provider, sign_in
from tests.team.test_takeover import link_for, use

__all__ = ["provider"]

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.team.urls")]


def acts(client: PageClient) -> bool:
    return bool(client.get("/act/").status_code == 200)


def signed_in(person: Person) -> PageClient:
    person.set_password(PASSWORD)
    person.save()
    client = PageClient()
    client.post("/account/login/", {"login": person.email, "password": PASSWORD})
    return client


def test_a_sign_in_with_the_password_counts_for_five_minutes_which_no_use_extends(ada: Person) -> None:
    now = timezone.now()
    with time_machine.travel(now, tick=False) as clock:
        client = signed_in(ada)
        assert acts(client)
        clock.move_to(now + timedelta(minutes=4, seconds=59))
        assert acts(client)
        clock.move_to(now + timedelta(minutes=5))
        assert not acts(client)


def test_a_sign_in_with_a_second_factor_counts(ada: Person) -> None:
    secret = with_app(ada)
    client = first_step(ada)
    client.post("/account/login/factor/", {"code": code_of(secret)})
    assert acts(client)


def test_a_sign_in_by_a_one_time_link_or_at_the_provider_does_not_count(owner: Person, ada: Person, provider: Provider) -> None:
    assert not acts(use(link_for(confirmed(owner), ada)))
    client = PageClient()
    sign_in(client, provider)
    assert not acts(client)


def test_no_sign_in_counts_while_locked(owner: Person, ada: Person) -> None:
    ada.lock(owner)
    client = signed_in(ada)
    assert gate.MARK not in client.session
    assert not acts(client)
