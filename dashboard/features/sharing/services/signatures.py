"""S15 for any number of keys: 1,000 at once, fewer where the service refuses that many."""

from collections.abc import Callable, Iterator, Sequence

from dashboard.interfaces import errors
from dashboard.interfaces.storage.signed_links import SignedItem

MOST = 1000
TOO_MUCH = (errors.Rejected, errors.TooLarge)
# So many single keys refused with the same words, and none signed: it is not the keys, so the rest is not asked for.
HOPELESS = 3

Sign = Callable[[Sequence[str]], Sequence[SignedItem]]


class Batches:
    """`most` is how many go at once; it shrinks when the service refuses, and grows again once the key at fault is found."""

    def __init__(self, sign: Sign, *, most: int = MOST) -> None:
        self.most = most
        self._sign = sign
        self._best = 0
        self._words: list[str] = []

    def run(self, keys: Sequence[str]) -> Iterator[list[SignedItem]]:
        """The answers in the order of the keys, as they come. A key that is refused even alone has the service's words."""
        left = list(keys)
        while left:
            some = left[: self.most]
            try:
                items = list(self._sign(some))
                self._best = max(self._best, len(some))
            except TOO_MUCH as refusal:
                if len(some) > 1:
                    self.most = len(some) // 2
                    continue
                items = self._refused(left, refusal.text or str(refusal))
                self.most = max(self._best, 1)
            left = left[len(items) :]
            yield items

    def _refused(self, left: Sequence[str], words: str) -> list[SignedItem]:
        self._words.append(words)
        alike = len(self._words) >= HOPELESS and set(self._words[-HOPELESS:]) == {words}
        lost = left if alike and not self._best else left[:1]
        return [SignedItem(path=key, error=words) for key in lost]
