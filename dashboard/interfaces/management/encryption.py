"""The encryption root key, M20 and M21."""

from dashboard.interfaces.records import HIDDEN, Record
from dashboard.interfaces.transport import Ask, Part


class RootKey(Record, frozen=True):
    """The live root key: 64 lower-case hex characters in today's form. Its repr hides it."""

    root_key: str

    def __repr__(self) -> str:
        return f"RootKey(root_key={HIDDEN})"


class Encryption(Part):
    def get(self, ref: str) -> RootKey:
        """M20 · GET /v1/projects/{ref}/pgsodium

        Return the root key, a live secret.
        """
        return self._transport.fetch(Ask("M20", {"ref": ref}), RootKey)

    def update(self, ref: str, *, root_key: str) -> RootKey:
        """M21 · PUT /v1/projects/{ref}/pgsodium

        Replace the root key and return the new one. Data encrypted with the old key can become unreadable for good. Rejected
        for anything but 64 hex characters.
        """
        # not shown: the body, and the form of the key; lower-case hex is what the service itself writes.
        return self._transport.fetch(Ask("M21", {"ref": ref}, json={"root_key": root_key.lower()}), RootKey)
