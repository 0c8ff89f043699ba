"""A person's saved filters."""

from django.core.exceptions import ValidationError

from dashboard.features.home.models import SavedFilter
from dashboard.team.models import Person

MOST, QUERY_MAX_LENGTH = 20, 2000


def saved(person: Person) -> list[SavedFilter]:
    """Return the person's filters by name."""
    return sorted(SavedFilter.objects.filter(person=person), key=lambda one: one.name.casefold())


def save(person: Person, name: str, *, view: str, query: str) -> None:
    """Save a filter. Raises `ValidationError` if its name is taken, if it is too long, or if there are too many."""
    mine = SavedFilter.objects.filter(person=person)
    if mine.filter(name=name).exists():
        raise ValidationError({"name": f"You have a filter “{name}” already."})
    if mine.count() >= MOST:
        raise ValidationError(f"You have {MOST} saved filters, which is the most. Delete one first.")
    if len(query) > QUERY_MAX_LENGTH:
        raise ValidationError("This filter is too long to be saved.")
    SavedFilter.objects.get_or_create(person=person, name=name, defaults={"view": view, "query": query})


def forget(person: Person, name: str) -> None:
    """Delete the filter of this name, if there is one."""
    SavedFilter.objects.filter(person=person, name=name).delete()
