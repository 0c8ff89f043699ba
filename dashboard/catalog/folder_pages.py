"""The pages of folders (S13), as a crawl requests them: beside each other, and again where a folder changed between two."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.catalog.models import Folder
from dashboard.catalog.walk import Listing, list_page
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError

MOST_RESTARTS = 5


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a folder from `offset` on. `shifted`: it doesn't continue the page before."""

    folder: Folder
    offset: int
    asked_at: datetime
    listing: Listing
    digest: str
    shifted: bool

    @property
    def is_alone(self) -> bool:
        """Whether its folder has no other page."""
        return not self.offset and self.listing.next_offset is None


def _request_page(storage: StorageInterface, bucket: str, folder: Folder, most: int) -> Page:
    """S13, overlapping the page before by one row."""
    offset, last = folder.offset, folder.last
    asked_at = datetime.now(UTC)
    listing = list_page(storage, bucket, folder.path, offset=max(0, offset - 1), most=most)
    joins = not offset or [row.name for _, row in listing.rows[:1]] == [last]
    return Page(folder, offset, asked_at, listing, listing.digest, shifted=not joins and folder.restarts < MOST_RESTARTS)


def request_pages(
    storage: StorageInterface, bucket: str, goes_on: Callable[[], bool], folders: Sequence[Folder], *, most: int, rows: int
) -> list[Page]:
    """Return pages of these folders, one after the other, while it `goes_on` and until they have so many rows; at least one. S13.

    Raises what the first request raises. A later one only ends the list: what is left is requested again.
    """
    pages: list[Page] = []
    waiting = deque(folders)
    while waiting and (not pages or (rows > 0 and goes_on())):
        try:
            page = _request_page(storage, bucket, waiting.popleft(), most)
        except InterfaceError:
            if not pages:
                raise
            break
        pages.append(page)
        most, rows = max(most, len(page.listing.rows)), rows - len(page.listing.rows)
        if following := _following(page):
            waiting.appendleft(following)
    return pages


def left_of(requested: Iterable[Folder], found: list[Page]) -> list[Folder]:
    """Return what is left of the requested folders: the rest of the last one that was reached, and the others."""
    reached, following = {page.folder.pk for page in found}, _following(found[-1])
    return [*([following] if following else []), *(folder for folder in requested if folder.pk not in reached)]


def _following(page: Page) -> Folder | None:
    """Return the folder's state after this page. None if it has ended or must be listed again."""
    if page.shifted or page.listing.next_offset is None:
        return None
    folder = page.folder
    return Folder(
        pk=folder.pk,
        catalog_id=folder.catalog_id,
        path=folder.path,
        restarts=folder.restarts,
        offset=page.listing.next_offset,
        last=page.listing.names[-1],
    )
