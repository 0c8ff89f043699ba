"""When steps and records were first seen belongs to the project, and is shown to each token that reads the hostname now."""

from datetime import timedelta

from django.utils import timezone

from dashboard.features.hostname.models import Event, Known, SeenRecord
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.features.hostname.desk import Desk
from tests.features.service import Faults
from tests.pages import PageClient
from tests.people import client_of, hold


def test_a_new_token_sees_since_when_a_step_and_a_record_are_known(as_keeper: PageClient, owner: Person, desk: Desk) -> None:
    ref, _, _ = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    earlier = timezone.now() - timedelta(days=3)
    assert Event.objects.filter(ref=ref).update(first_seen_at=earlier)
    assert SeenRecord.objects.filter(ref=ref).update(first_seen_at=earlier)
    StoredToken.objects.filter(person=owner, space="").update(fingerprint="0" * 32)
    panel = as_keeper.get(desk.address("index", ref)).context["panel"]
    assert earlier in {stage.seen_at for stage in panel.stages}
    records = SeenRecord.objects.filter(ref=ref, fingerprint="0" * 32)
    assert {record.first_seen_at for record in records} == {earlier}


def test_a_token_that_cannot_read_the_hostname_sees_none_of_it(
    as_keeper: PageClient, ada: Person, desk: Desk, faults: Faults
) -> None:
    ref, host, _ = desk.set_up()
    as_keeper.get(desk.address("index", ref))
    token = hold(ada, desk.reader_token())
    faults("M15", status=403)
    page = client_of(ada).get(desk.address("index", ref))
    assert "Your token may not do this" in page.text
    assert host not in page.text
    assert not Known.objects.filter(fingerprint=token.fingerprint, ref=ref).exists()
    assert not SeenRecord.objects.filter(fingerprint=token.fingerprint, ref=ref).exists()
