"""What other floors learn of items that were done, in the transaction that writes the outcomes: both stand, or neither."""

from collections.abc import Callable, Mapping, Sequence

from dashboard.jobs.batch import Batch, ItemOutcome
from dashboard.jobs.models import ItemState, JobItem

Note = Callable[[Sequence[tuple[JobItem, ItemOutcome]]], object]


class Noting:
    """Collects the items of one slice that were done or skipped, and tells them as they are written."""

    def __init__(self, batch: Batch, note: Note) -> None:
        self._rows = {row.pk: row for row in batch.items}
        self._note = note
        self.done: list[tuple[JobItem, ItemOutcome]] = []
        batch.on_save = self

    def __call__(self, said: Mapping[int, ItemOutcome]) -> None:
        done = [(self._rows[pk], one) for pk, one in said.items() if one.state == ItemState.DONE]
        if done:
            self._note(done)
            self.done += done
