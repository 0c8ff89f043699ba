"""Signed links, S14 to S16."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import quote

import msgspec
from msgspec import field

from dashboard.interfaces import errors, paths
from dashboard.interfaces.credentials import Token
from dashboard.interfaces.records import HIDDEN, Record
from dashboard.interfaces.transport import Ask, ObjectStream, Part

PREFIX = "/object/sign/"
_MARK = "?token="


class SignedLink(msgspec.Struct, frozen=True):
    """A signed link: `path` is relative to the storage address, not percent-encoded, with a token.

    Its repr hides the token. Anyone with `address(…)` can read the object until `expires_at`.
    """

    path: str

    @property
    def expires_at(self) -> datetime | None:
        """The expiry in its token, or None if that is not a JWT with one."""
        # not shown: the form of the token, and that it expires. It is a JWT, whose claims are not verified here.
        parts = self.token.reveal().split(".")
        try:
            claims = msgspec.json.decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
            return datetime.fromtimestamp(claims["exp"], UTC)
        except (
            IndexError,
            KeyError,
            TypeError,
            ValueError,
            OverflowError,
            OSError,
            RecursionError,
            binascii.Error,
            msgspec.MsgspecError,
        ):
            return None

    def address(self, base: str, download: str | Literal[True] | None = None) -> str:
        """Return the absolute, percent-encoded URL.

        `download` is a file name, or True for the object's own: browsers then save it.
        """
        link = f"{base.rstrip('/')}{paths.quoted(self.object_path)}{_MARK}{quote(self.token.reveal(), safe='')}"
        if download is None:
            return link
        # not shown: the values of `download`. Empty asks for a download without naming it.
        return f"{link}&download={'' if download is True else quote(download, safe='')}"

    @property
    def object_path(self) -> str:
        """The path without the token."""
        return self.path.rpartition(_MARK)[0]

    @property
    def token(self) -> Token:
        """The token that grants access to the object."""
        return Token(self.path.rpartition(_MARK)[2])

    def __repr__(self) -> str:
        return f"SignedLink({self.object_path!r}, token={HIDDEN})"


class SignedItem(Record, frozen=True):
    """One item of S15: the key, and its link or the error."""

    path: str
    error: str | None = None
    link: SignedLink | None = None


class _Signed(Record, frozen=True):
    signed_url: str = field(name="signedURL")

    def __repr__(self) -> str:
        return f"_Signed({HIDDEN})"


class _Item(Record, frozen=True):
    error: str | None = None
    path: str | None = None
    signed_url: str | None = field(name="signedURL", default=None)

    def __repr__(self) -> str:
        return f"_Item({HIDDEN})"


class Signing(Part):
    def sign(self, bucket: str, key: str, *, expires_in: int) -> SignedLink:
        """S14 · POST /object/sign/{bucketName}/{wildcard}

        Return a link that reads this object for `expires_in` seconds (1 or more). NotFound if the object doesn't exist or the
        token may not read it. The link of a key or bucket with a question mark doesn't work: use `sign_many` for it.
        """
        # not shown: the body.
        ask = Ask("S14", {"bucketName": bucket, "wildcard": key}, json={"expiresIn": expires_in})
        link = _link(self._transport.fetch(ask, _Signed).signed_url)
        if link is None:
            raise errors.Unexpected("The answer holds no link.", operation="S14", service="storage")
        return link

    def sign_many(self, bucket: str, keys: Sequence[str], *, expires_in: int) -> list[SignedItem]:
        """S15 · POST /object/sign/{bucketName}

        Return one item per key (1 to 1000), in order, with a link for `expires_in` seconds or the reason why there is none.
        """
        # not shown: the body.
        ask = Ask("S15", {"bucketName": bucket}, json={"expiresIn": expires_in, "paths": list(keys)})
        return _matched(keys, self._transport.fetch(ask, list[_Item]))

    def open(
        self, link: SignedLink | str, *, headers: Mapping[str, str] | None = None, download: str | Literal[True] | None = None
    ) -> ObjectStream:
        """S16 · GET /object/sign/{bucketName}/{wildcard}

        Return the bytes that a signed link reads, without our credential. NotAllowed for a link that has expired or belongs to
        another object, NotFound if the object is gone. `headers` as in `read`, `download` as in `SignedLink.address`.
        """
        signed = _link(link if isinstance(link, str) else link.path)
        link = HIDDEN  # hide it from tracebacks with local values
        if signed is None:
            raise errors.NameRefused("This is no signed link of the storage service.", operation="S16", service="storage")
        asked = {"Accept": "*/*", "Accept-Encoding": "identity", **(headers or {})}
        query = {} if download is None else {"download": "" if download is True else download}
        path = paths.quoted(signed.object_path)
        ask = Ask("S16", path=path, query=query, link=signed.token, headers=asked, credential=False)
        return self._transport.open(ask)


def _link(text: str | None) -> SignedLink | None:
    """Return the link if it is a path below `/object/sign/` with a token, as we prepend our address."""
    link = SignedLink(text or "")
    path, mark, token = link.path.rpartition(_MARK)
    try:
        paths.check_segments(path)
    except paths.BadPathError:
        return None
    return link if mark and path.startswith(PREFIX) and re.fullmatch(r"[!-%'-~]+", token) else None


def _matched(keys: Sequence[str], items: Sequence[_Item]) -> list[SignedItem]:
    """Pair keys and items by `path`, or by position where items lack it."""
    by_path = {item.path: item for item in items if item.path is not None}
    matched = []
    for position, key in enumerate(keys):
        item = by_path.get(key)
        if item is None and position < len(items) and items[position].path is None:
            item = items[position]
        link = _link(item.signed_url) if item else None
        error = None if link else (item and item.error) or "The service gave no link for this object."
        matched.append(SignedItem(path=key, error=error, link=link))
    return matched
