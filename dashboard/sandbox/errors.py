"""Error answers, raised in views and rendered by the dispatcher.

Refusal
├── ManagementRefusal   {"message": …}                                   HTTP status as given
├── StorageRefusal      {"statusCode", "error", "message", "code"}       HTTP 400 for nearly all, the real status in the body
└── RouteRefusal        the web framework's own answers: unknown route, undecodable path
"""


class Refusal(Exception):  # noqa: N818 - an answer, not a failure of ours
    """An error answer: HTTP `status`, JSON `body` (None: no body) and `headers`."""

    def __init__(self, status: int, body: dict[str, object] | None, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.headers = headers or {}


class ManagementRefusal(Refusal):
    """`{"message": …}` of the management interface."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, {"message": message}, headers)


class StorageRefusal(Refusal):
    """`{"statusCode", "error", "message", "code"}` of the storage interface; `status_code` is the text inside the body."""

    def __init__(self, status_code: str, error: str, message: str, code: str, *, status: int = 400) -> None:
        super().__init__(status, {"statusCode": status_code, "error": error, "message": message, "code": code})
        self.message = message
        self.code = code


class RouteRefusal(Refusal):
    """An unknown route, or a path with invalid percent-encoding."""

    @classmethod
    def management(cls, method: str, path: str) -> "RouteRefusal":
        return cls(404, {"message": f"Cannot {method} {path}"})

    @classmethod
    def storage(cls, method: str, path: str) -> "RouteRefusal":
        message = f"Route {method}:{path} not found"
        return cls(404, {"statusCode": "404", "error": "Not Found", "message": message, "code": "InvalidRequest"})

    @classmethod
    def elsewhere(cls, method: str, path: str) -> "RouteRefusal":
        return cls(404, {"message": f"Route {method}:{path} not found", "error": "Not Found", "statusCode": 404})

    @classmethod
    def undecodable(cls, path: str) -> "RouteRefusal":
        message = f"'{path}' is not a valid url component"
        return cls(400, {"error": "Bad Request", "code": "FST_ERR_BAD_URL", "message": message, "statusCode": 400})
