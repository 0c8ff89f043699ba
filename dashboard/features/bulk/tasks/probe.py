"""Does this service reach into another bucket? Older ones pass over the destination bucket in silence and stay in the first."""

from dashboard.catalog.lookup import facts_of
from dashboard.features.bulk.rules.targets import Transfer
from dashboard.interfaces.errors import Conflict, NotFound
from dashboard.jobs.batch import Stop
from dashboard.tokens.workspace import Workspace

# No bucket is called so: a service that looks at the destination refuses, and nothing is written.
NOWHERE = "pilothouse-asks-where-this-goes"
STAYS = (
    "This storage service is an older one: it passes over the other bucket and would have stored everything in the first. "
    "Nothing was moved, copied or deleted. Download the objects and upload them to the other bucket instead."
)


def ask_whether_it_reaches(workspace: Workspace, wanted: Transfer, key: str) -> None:
    """S12 of one object into a bucket that there is not. Where that is done all the same, the copy is taken away.

    Raises `Stop`, and whatever else the service refuses it with.
    """
    storage = workspace.storage(wanted.space)
    with workspace.record(
        "S12", target=f"a question: does {wanted.source} reach other buckets?", place=wanted.space, before={"from": key}
    ) as change:
        try:
            storage.objects.copy(wanted.source, key, NOWHERE, destination_bucket=NOWHERE)
        except NotFound:
            change.after = {"answer": "yes: there is no such bucket"}
            if facts_of(storage, wanted.source, key) is None:
                raise
            return
        except Conflict:
            # Asked before, and ended before the copy was taken away.
            change.after = {"answer": "no"}
        else:
            change.after = {"answer": "no: it was stored in the first bucket"}
    with workspace.record("S8", target=f"object {wanted.source}/{NOWHERE}", place=wanted.space):
        storage.objects.delete_many(wanted.source, [NOWHERE])
    raise Stop(STAYS)
