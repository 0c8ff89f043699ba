"""Describe a bucket's upload limits, and check them before anything is sent. The service compares types literally."""

from dashboard.interfaces.storage.buckets import Bucket
from dashboard.web.text import bytes_text


def in_words(bucket: Bucket) -> str:
    """Return the bucket's limits as a sentence."""
    size = "any size" if bucket.file_size_limit is None else f"at most {bytes_text(bucket.file_size_limit)} per file"
    types = f"only {', '.join(bucket.allowed_mime_types)}" if bucket.allowed_mime_types else "any type"
    return f"The bucket allows {size}, {types}."


def problem(bucket: Bucket, *, size: int, content_type: str) -> str:
    """Return why the bucket would refuse a file of this size and type; "" if it wouldn't."""
    limit, types = bucket.file_size_limit, bucket.allowed_mime_types
    if limit is not None and size > limit:
        return f"The bucket allows at most {bytes_text(limit)} per file; this one is {bytes_text(size)}."
    if types and not any(_admits(rule, content_type) for rule in types):
        return f"The bucket allows only {', '.join(types)}; this is {content_type}."
    return ""


def _admits(rule: str, content_type: str) -> bool:
    # "*/*" matches no type at all.
    return rule == content_type or (rule.endswith("/*") and not rule.startswith("*") and content_type.startswith(rule[:-1]))
