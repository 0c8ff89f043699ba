"""Every refusal of the storage interface, in the service's own words.

Almost all of them travel as HTTP 400; the status that is meant is the *string* `statusCode` in the body.
"""

import json
from dataclasses import dataclass

from django.http import HttpResponse

JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not a fault of the program
    """An answer other than success: the body's four members, and the HTTP status that carries them."""

    status_code: str
    error: str
    message: str
    code: str
    http: int = 400

    def answer(self) -> HttpResponse:
        return answer(
            {"statusCode": self.status_code, "error": self.error, "message": self.message, "code": self.code},
            status=self.http,
        )


@dataclass(frozen=True)
class BadAddress(Exception):  # noqa: N818 - as above
    """A path that can't be decoded: answered by the HTTP framework, with a numeric statusCode."""

    path: str

    def answer(self) -> HttpResponse:
        return answer(
            {
                "error": "Bad Request",
                "code": "FST_ERR_BAD_URL",
                "message": f"'{self.path}' is not a valid url component",
                "statusCode": 400,
            },
            status=400,
        )


def answer(content: object, *, status: int = 200) -> HttpResponse:
    """JSON without spaces, non-ASCII text kept, lone surrogates (legal in JSON) replaced."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return HttpResponse(text.encode("utf-8", "replace"), status=status, content_type=JSON_TYPE)


def no_route(method: str, target: str, *, known_prefix: bool) -> HttpResponse:
    """HTTP 404: there is no such operation. Below `/bucket` and `/object` it has the service's own form."""
    message = f"Route {method}:{target} not found"
    if known_prefix:
        return Refusal("404", "Not Found", message, "InvalidRequest", http=404).answer()
    return answer({"message": message, "error": "Not Found", "statusCode": 404}, status=404)


def invalid(message: str) -> Refusal:
    """A body, query or header that breaks the schema."""
    return Refusal("400", "Error", message, "InvalidRequest")


def unreadable(message: str) -> Refusal:
    """A body that the HTTP framework could not read."""
    return Refusal("400", "FastifyError", message, "InvalidRequest")


def token_refused(reason: str) -> Refusal:
    return Refusal("403", "Unauthorized", reason, "AccessDenied")


def invalid_key(key: str) -> Refusal:
    return Refusal("400", "InvalidKey", f"Invalid key: {key}", "InvalidKey")


def mime_refused(mime: str) -> Refusal:
    return Refusal("415", "invalid_mime_type", f"mime type {mime} is not supported", "InvalidMimeType")


def signature_refused(reason: str) -> Refusal:
    return Refusal("400", "InvalidSignature", reason, "InvalidSignature")


def link_refused(reason: str) -> Refusal:
    return Refusal("400", "InvalidJWT", reason, "InvalidJWT")


def bad_robots(rule: str) -> Refusal:
    message = f'Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: "{rule}"'
    return Refusal("400", "invalid_x_robots_tag", message, "InvalidRequest")


NO_BUCKET = Refusal("404", "Bucket not found", "Bucket not found", "NoSuchBucket")
NO_OBJECT = Refusal("404", "not_found", "Object not found", "NoSuchKey")
NO_TARGET = Refusal("404", "InvalidRequest", "The related resource does not exist", "InvalidRequest")
BUCKET_EXISTS = Refusal("409", "Duplicate", "The resource already exists", "BucketAlreadyExists")
OBJECT_EXISTS = Refusal("409", "Duplicate", "The resource already exists", "KeyAlreadyExists")
TARGET_EXISTS = Refusal("409", "Duplicate", "The resource already exists", "ResourceAlreadyExists")
NOT_EMPTY = Refusal("409", "ResourceNotEmpty", "The bucket you tried to delete is not empty", "ResourceNotEmpty")
TOO_MANY = Refusal(
    "409", "InvalidRequest", "Unable to empty the bucket because it contains too many objects", "InvalidRequest"
)
BAD_BUCKET_NAME = Refusal("400", "Invalid Input", "Bucket name invalid", "InvalidBucketName")
TOO_LARGE = Refusal("413", "Payload too large", "The object exceeded the maximum allowed size", "EntityTooLarge")
BODY_TOO_LARGE = Refusal("413", "FastifyError", "Request body is too large", "EntityTooLarge", http=413)
BAD_CONTENT_TYPE = Refusal("415", "invalid_mime_type", "Invalid Content-Type header", "InvalidMimeType")
NO_CONTENT = Refusal("400", "InvalidRequest", "No content provided", "InvalidRequest")
NO_BOUNDARY = Refusal("400", "InvalidRequest", "Multipart: Boundary not found", "InvalidRequest")
BROKEN_MULTIPART = Refusal("400", "InvalidRequest", "Unexpected end of form", "InvalidRequest")  # not shown: the message
CUT_BODY = Refusal("400", "InvalidRequest", "Request aborted", "InvalidRequest")  # not shown: nobody is left to read it
BAD_RANGE = Refusal("416", "invalid_range", "invalid range provided", "InvalidRange", http=416)
BAD_EXPIRY = Refusal("400", "InvalidParameter", "Invalid Parameter expiresIn", "InvalidParameter")
ROW_POLICY = Refusal("403", "Unauthorized", "new row violates row-level security policy", "AccessDenied")
ACCESS_DENIED = Refusal("403", "Unauthorized", "Access denied", "AccessDenied")
WRONG_ROLE = Refusal("403", "Unauthorized", "Access denied: Invalid role", "AccessDenied", http=403)
UNKNOWN_ROLE = Refusal("500", "DatabaseError", "database error, code: 22023", "DatabaseError", http=500)
BUSY = Refusal("544", "DatabaseTimeout", "The connection to the database timed out", "DatabaseTimeout", http=544)
