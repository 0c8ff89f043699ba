"""Where these verbs lead back to: the pages of other features, by their names."""

from urllib.parse import quote

from django.urls import reverse


def bucket_address(space: str, bucket: str, path: str = "") -> str:
    base = reverse("objects:index", kwargs={"space": space, "bucket": bucket})
    return f"{base}?path={quote(path, safe='')}" if path else base


def verb_address(verb: str, space: str, bucket: str) -> str:
    return reverse(f"bulk:{verb}", kwargs={"space": space, "bucket": bucket})


def buckets_address(space: str) -> str:
    return reverse("buckets:index", args=[space])
