"""What giver and receiver are told of access."""

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.notifications import delivery
from dashboard.notifications.models import Notification
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, StoredToken
from tests.sandboxes import Sandbox


def test_files_and_sections_of_one_form_are_told_at_once(
    owner: Person, ada: Person, storage_token: StoredToken, service: Sandbox, ref: str
) -> None:
    store(owner, Kind.MANAGEMENT, "", service.personal_token)
    files, secrets = Terms(acts=("read",), folders=("handbook/",)), Terms(acts=("read", "change"), sections=("secrets",))

    def titles() -> list[str]:
        delivery.remind()
        return list(Notification.objects.filter(person=ada).order_by("pk").values_list("title", flat=True))

    tree = grants.tree_of(grants.give(owner, ref, {"storage": files, "management": secrets}, people=[ada])[0])
    told = ["Olga Owner gave you access: View · handbook/; View, change · Secrets"]
    assert titles() == told
    assert Notification.objects.get(person=owner).title == f"You gave access: Ada Member, {told[0].partition(': ')[2]}"
    grants.change(owner, tree, {"storage": Terms(acts=("read", "upload"), folders=("handbook/",))})
    told.append("Olga Owner changed your access: View, upload · handbook/; no longer View, change · Secrets")
    assert titles() == told
    grants.change(owner, grants.tree_of(tree["storage"]), {"storage": files, "management": secrets})
    told.append("Olga Owner changed your access: View · handbook/; View, change · Secrets")
    assert titles() == told
    grants.revoke(owner, tree["storage"])
    told.append("Your access through Olga Owner's token was revoked")
    assert titles() == told, "nothing is told again of the grant that stays"
    grants.revoke(owner, *grants.tree_of(tree["storage"]).values())
    assert titles() == [*told, told[-1]]
