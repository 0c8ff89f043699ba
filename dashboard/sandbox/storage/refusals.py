"""Error answers of the storage interface, with the service's texts."""

from dashboard.sandbox.errors import StorageRefusal


def invalid(message: str) -> StorageRefusal:
    """Refuse a body, query or header that violates the schema."""
    return StorageRefusal("400", "Error", message, "InvalidRequest")


def unreadable(message: str) -> StorageRefusal:
    """Refuse a body that the HTTP framework can't read."""
    return StorageRefusal("400", "FastifyError", message, "InvalidRequest")


def body_too_large() -> StorageRefusal:
    return StorageRefusal("413", "FastifyError", "Request body is too large", "EntityTooLarge", status=413)


def token_refused(reason: str) -> StorageRefusal:
    return StorageRefusal("403", "Unauthorized", reason, "AccessDenied")


def internal() -> StorageRefusal:
    return StorageRefusal("500", "Internal", "Internal Server Error", "InternalError", status=500)


def unknown_role() -> StorageRefusal:
    return StorageRefusal("500", "DatabaseError", "database error, code: 22023", "DatabaseError", status=500)


def wrong_role() -> StorageRefusal:
    return StorageRefusal("403", "Unauthorized", "Access denied: Invalid role", "AccessDenied", status=403)


def row_policy() -> StorageRefusal:
    return StorageRefusal("403", "Unauthorized", "new row violates row-level security policy", "AccessDenied")


def access_denied() -> StorageRefusal:
    return StorageRefusal("403", "Unauthorized", "Access denied", "AccessDenied")


def no_bucket() -> StorageRefusal:
    return StorageRefusal("404", "Bucket not found", "Bucket not found", "NoSuchBucket")


def no_object() -> StorageRefusal:
    return StorageRefusal("404", "not_found", "Object not found", "NoSuchKey")


def no_destination() -> StorageRefusal:
    """Refuse a move or copy into a missing bucket."""
    return StorageRefusal("404", "InvalidRequest", "The related resource does not exist", "InvalidRequest")


def exists(code: str) -> StorageRefusal:
    """Refuse a taken name. `code`: BucketAlreadyExists (S1), KeyAlreadyExists (S9, S12), ResourceAlreadyExists (S11)."""
    return StorageRefusal("409", "Duplicate", "The resource already exists", code)


def not_empty() -> StorageRefusal:
    return StorageRefusal("409", "ResourceNotEmpty", "The bucket you tried to delete is not empty", "ResourceNotEmpty")


def too_many_objects() -> StorageRefusal:
    message = "Unable to empty the bucket because it contains too many objects"
    return StorageRefusal("409", "InvalidRequest", message, "InvalidRequest")


def bad_bucket_name() -> StorageRefusal:
    return StorageRefusal("400", "Invalid Input", "Bucket name invalid", "InvalidBucketName")


def bad_key(key: str) -> StorageRefusal:
    return StorageRefusal("400", "InvalidKey", f"Invalid key: {key}", "InvalidKey")


def too_large() -> StorageRefusal:
    return StorageRefusal("413", "Payload too large", "The object exceeded the maximum allowed size", "EntityTooLarge")


def bad_type(mime: str) -> StorageRefusal:
    return StorageRefusal("415", "invalid_mime_type", f"mime type {mime} is not supported", "InvalidMimeType")


def no_media_type() -> StorageRefusal:
    return StorageRefusal("415", "invalid_mime_type", "Invalid Content-Type header", "InvalidMimeType")


def bad_form(message: str) -> StorageRefusal:
    """Refuse an invalid multipart body."""
    return StorageRefusal("400", "InvalidRequest", message, "InvalidRequest")


def bad_robots_tag(rule: str) -> StorageRefusal:
    message = f'Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: "{rule}"'
    return StorageRefusal("400", "invalid_x_robots_tag", message, "InvalidRequest")


def bad_range() -> StorageRefusal:
    return StorageRefusal("416", "invalid_range", "invalid range provided", "InvalidRange", status=416)


def bad_expiry() -> StorageRefusal:
    return StorageRefusal("400", "InvalidParameter", "Invalid Parameter expiresIn", "InvalidParameter")


def bad_signature(reason: str) -> StorageRefusal:
    return StorageRefusal("400", "InvalidSignature", reason, "InvalidSignature")


def bad_link(reason: str) -> StorageRefusal:
    return StorageRefusal("400", "InvalidJWT", reason, "InvalidJWT")
