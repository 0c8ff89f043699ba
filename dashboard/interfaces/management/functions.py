"""Functions, M9 to M14."""

from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.interfaces import errors
from dashboard.interfaces.management.sources import BadPartsError, SourceFile, is_parts, source_files
from dashboard.interfaces.records import OpenEnum, Record
from dashboard.interfaces.transport import Answer, Ask, Part
from dashboard.interfaces.transport.bodies import Payload

# not shown: how a bundle is sent.
BUNDLE_TYPE = "application/vnd.denoland.eszip"
_MILLISECONDS_FROM = 100_000_000_000


class FunctionStatus(OpenEnum):
    ACTIVE = "ACTIVE"
    REMOVED = "REMOVED"
    THROTTLED = "THROTTLED"


class Function(Record, frozen=True):
    """A function. Its slug identifies it; `created_at` and `updated_at` are numbers as the service sends them.

    Newer services name the files of a bundle: `entrypoint_path` and `import_map_path`, file URLs or relative paths.
    """

    id: str
    slug: str
    name: str
    status: FunctionStatus
    version: float
    created_at: float
    updated_at: float
    verify_jwt: bool | None = None
    import_map: bool | None = None
    entrypoint_path: str | None = None
    import_map_path: str | None = None

    @property
    def created(self) -> datetime | None:
        """The creation time, or None for an invalid number."""
        return _moment(self.created_at)

    @property
    def updated(self) -> datetime | None:
        """The time of the last change, or None for an invalid number."""
        return _moment(self.updated_at)

    @property
    def checks_jwt(self) -> bool:
        """Whether calls need a valid JWT."""
        # not shown: what a missing `verify_jwt` means; the service checks unless told otherwise.
        return self.verify_jwt is not False


@dataclass(frozen=True, slots=True, repr=False)
class FunctionBody:
    """The deployed body: the bytes of a bundle or source text, with their media type.

    `files` are the source files, if the service sent those, the entry point first. `data` is then the bytes of the only file, or
    the whole answer if there are several.
    """

    data: bytes
    content_type: str | None
    files: tuple[SourceFile, ...] = ()

    def __repr__(self) -> str:
        return f"FunctionBody({len(self.data)} bytes, {self.content_type})"


class Functions(Part):
    def create(self, ref: str, *, slug: str, name: str, body: str, verify_jwt: bool = True, import_map: bool = False) -> Function:
        """M9 · POST /v1/projects/{ref}/functions

        Deploy a function from source text and return it. Conflict if the slug is taken, NotAllowed if the plan's number of
        functions is reached, TooLarge or Broken for a large body.
        """
        # not shown: the body. It repeats the document's query parameters, except `import_map`.
        json = {"slug": slug, "name": name, "body": body, "verify_jwt": verify_jwt}
        query = _query(slug, name, verify_jwt, import_map)
        return self._transport.fetch(Ask("M9", {"ref": ref}, query=query, json=json), Function)

    def create_bundle(
        self,
        ref: str,
        *,
        slug: str,
        name: str,
        bundle: bytes,
        verify_jwt: bool = True,
        import_map: bool = False,
        entrypoint_path: str = "",
        import_map_path: str = "",
    ) -> Function:
        """M9 · POST /v1/projects/{ref}/functions

        Deploy a function from a bundle (eszip) and return it. The two paths name files inside the bundle; empty ones are not
        sent. Errors as `create`.
        """
        query = _query(slug, name, verify_jwt, import_map) | _paths(entrypoint_path, import_map_path)
        return self._transport.fetch(Ask("M9", {"ref": ref}, query=query, body=Payload(bundle, BUNDLE_TYPE)), Function)

    def all(self, ref: str) -> list[Function]:
        """M10 · GET /v1/projects/{ref}/functions

        Return the project's functions in no guaranteed order; removed ones may be among them.
        """
        return self._transport.fetch(Ask("M10", {"ref": ref}), list[Function])

    def get(self, ref: str, slug: str) -> Function:
        """M11 · GET /v1/projects/{ref}/functions/{function_slug}

        Return one function. NotFound if there is none with this slug.
        """
        return self._transport.fetch(Ask("M11", _names(ref, slug)), Function)

    def update(
        self,
        ref: str,
        slug: str,
        *,
        name: str | None = None,
        body: str | None = None,
        verify_jwt: bool | None = None,
        import_map: bool | None = None,
    ) -> Function:
        """M12 · PATCH /v1/projects/{ref}/functions/{function_slug}

        Change the given properties and return the function. Give `verify_jwt` with every new body, as some services reset a
        missing one.
        """
        # not shown: the body, and whether it or the query counts. The document's query parameters go into both.
        given = {"name": name, "body": body, "verify_jwt": verify_jwt, "import_map": import_map}
        json = {member: value for member, value in given.items() if value is not None}
        ask = Ask("M12", _names(ref, slug), query=_query(None, name, verify_jwt, import_map), json=json)
        return self._transport.fetch(ask, Function)

    def update_bundle(
        self,
        ref: str,
        slug: str,
        *,
        bundle: bytes,
        name: str | None = None,
        verify_jwt: bool | None = None,
        import_map: bool | None = None,
        entrypoint_path: str = "",
        import_map_path: str = "",
    ) -> Function:
        """M12 · PATCH /v1/projects/{ref}/functions/{function_slug}

        Replace the body by a bundle (eszip), change what else is given, and return the function. Paths as in `create_bundle`.
        """
        query = _query(None, name, verify_jwt, import_map) | _paths(entrypoint_path, import_map_path)
        return self._transport.fetch(Ask("M12", _names(ref, slug), query=query, body=Payload(bundle, BUNDLE_TYPE)), Function)

    def delete(self, ref: str, slug: str) -> None:
        """M13 · DELETE /v1/projects/{ref}/functions/{function_slug}

        Delete the function for good. NotFound if there is none with this slug.
        """
        self._transport.answer(Ask("M13", _names(ref, slug)))

    def body(self, ref: str, slug: str) -> FunctionBody:
        """M14 · GET /v1/projects/{ref}/functions/{function_slug}/body

        Return the deployed body, at most 32 MiB: usually a bundle, not the source file.
        """
        # not shown: the media type of the answer.
        return _body(self._transport.answer(Ask("M14", _names(ref, slug), headers={"Accept": "*/*"})))

    def sources(self, ref: str, slug: str) -> FunctionBody:
        """M14 · GET /v1/projects/{ref}/functions/{function_slug}/body

        Return the deployed body as `files` if the service unpacks it, else as `body` does.
        """
        # not shown: that the answer follows `Accept`. Today's service sends source files to clients that accept a form.
        return _body(self._transport.answer(Ask("M14", _names(ref, slug), headers={"Accept": "multipart/form-data"})))


def _body(answer: Answer) -> FunctionBody:
    kind = answer.headers.get("content-type")
    if kind is None or not is_parts(kind):
        return FunctionBody(answer.body, kind)
    try:
        files = source_files(kind, answer.body)
    except BadPartsError:
        sentence = "The answer is a form that breaks off or has no boundary."
        raise errors.Unexpected(sentence, operation="M14", service="management", status=answer.status) from None
    return FunctionBody(files[0].data if len(files) == 1 else answer.body, kind, files)


def _names(ref: str, slug: str) -> dict[str, str]:
    return {"ref": ref, "function_slug": slug}


def _query(slug: str | None, name: str | None, verify_jwt: bool | None, import_map: bool | None) -> dict[str, str]:
    # not shown: how booleans are written in a query.
    texts = {"slug": slug, "name": name}
    flags = {"verify_jwt": verify_jwt, "import_map": import_map}
    query = {member: text for member, text in texts.items() if text is not None}
    return query | {member: str(flag).lower() for member, flag in flags.items() if flag is not None}


def _paths(entrypoint_path: str, import_map_path: str) -> dict[str, str]:
    # not shown: these members. Today's contract has them, optional; servers of the document's generation ignore them.
    paths = {"entrypoint_path": entrypoint_path, "import_map_path": import_map_path}
    return {member: path for member, path in paths.items() if path}


def _moment(number: float) -> datetime | None:
    # not shown: unit and epoch. The service counts milliseconds since 1970; small numbers can only be seconds.
    seconds = number / 1000 if number >= _MILLISECONDS_FROM else number
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
