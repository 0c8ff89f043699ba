"""Keep typed secrets of a form that is shown again, sealed in a review: for a day, one per person and form."""

from collections.abc import Mapping
from typing import cast
from uuid import UUID

from django.http import HttpRequest

from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace

PURPOSE_MAX_LENGTH = 400


class SealedSecrets:
    """Stores secrets for `web.typed_secrets`. The path of its address identifies a form."""

    def keep(self, request: HttpRequest, values: Mapping[str, str]) -> str:
        self.forget(request)
        return str(reviews.create(Workspace(_person(request)), _purpose(request), {"values": dict(values)}).pk)

    def find(self, request: HttpRequest, kept: str) -> Mapping[str, str]:
        try:
            review = reviews.get(Workspace(_person(request)), _purpose(request), UUID(kept))
        except ValueError:
            return {}
        payload = review.payload if review and review.state == State.OPEN else None
        values: Mapping[str, str] = (payload or {}).get("values", {})
        return values

    def forget(self, request: HttpRequest) -> None:
        Review.objects.filter(person=_person(request), purpose=_purpose(request), state=State.OPEN).delete()


def _person(request: HttpRequest) -> Person:
    """Return the person. Only called for requests that are signed in."""
    return cast("Person", request.user)


def _purpose(request: HttpRequest) -> str:
    return f"typed secret of {request.path}"[:PURPOSE_MAX_LENGTH]
