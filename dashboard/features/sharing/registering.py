"""The kinds of jobs of this feature."""

from dashboard.features.sharing.services.batches import MOST
from dashboard.features.sharing.services.desk import KIND
from dashboard.features.sharing.tasks import signing
from dashboard.jobs import Kind, kinds


def register() -> None:
    kinds.register(
        Kind(
            KIND,
            title="Make links",
            step=signing.sign,
            at_once=MOST,
            plan=signing.plan,
            shown=signing.shown,
            changes=("links",),
        )
    )
