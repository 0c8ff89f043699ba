"""A request's body in the pieces in which it comes from the client.

Gunicorn's own reader answers `read(1 MiB)` when the whole block is there. That copies every byte three times on its way
(two fifths of the CPU of an upload), and a client that drips a byte a second keeps it waiting for days without a timeout
ever falling. Taking each piece as it was received costs neither.
"""

from gunicorn.http.body import Body, LengthReader


class Arriving:
    """`read(n)` gives what the next receive brings, n bytes at most; b"" when the client is gone.

    It takes gunicorn's parts at their documented word: `Unreader.read(None, read_ahead=n)` is one receive, `unread` gives
    back what belongs to the next request, `failed` keeps a connection from being used again.
    """

    def __init__(self, body: Body, reader: LengthReader) -> None:
        self._body = body
        self._reader = reader

    def read(self, size: int, /) -> bytes:
        wanted = min(size, self._reader.length)
        if wanted <= 0:
            return b""
        try:
            piece: bytes = self._reader.unreader.read(None, read_ahead=wanted)
        except OSError:
            self._body.failed = True
            raise
        if len(piece) > wanted:
            self._reader.unreader.unread(piece[wanted:])
            piece = piece[:wanted]
        self._reader.length -= len(piece)
        return piece


def arriving(source: object) -> Arriving | None:
    """The pieces of an untouched body of known length (`wsgi.input`), or None where the server is another one."""
    if not isinstance(source, Body) or not isinstance(source.reader, LengthReader) or source.buf.tell():
        return None
    return Arriving(source, source.reader)
