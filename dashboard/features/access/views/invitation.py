"""Access given with an invitation: fields of "Add person"."""

from collections.abc import Mapping
from typing import Any

from django import forms

from dashboard.features.access.forms import FoldersField
from dashboard.features.access.services.grants import Terms, give, places, title_of, unseen
from dashboard.team.models import Person
from dashboard.tokens.models import Kind
from dashboard.tokens.scope import PRESETS, SECTIONS
from dashboard.tokens.workspace import Workspace

PLACE, PRESET, FOLDERS = "access_place", "access_preset", "access_folders"


def fields(giver: Person) -> dict[str, forms.Field]:
    """Return the fields; none for somebody without stored tokens."""
    found = [(f"{kind}:{place}", title_of(kind, place, name)) for kind, place, name in places(giver)]
    if not found:
        return {}
    return {
        PLACE: forms.ChoiceField(
            label="Access through your token",
            required=False,
            choices=[("", "None"), *found],
            help_text="You can give more later.",
        ),
        PRESET: forms.ChoiceField(
            label="What they may do",
            required=False,
            choices=[(key, label) for key, (label, _) in PRESETS.items()],
            initial="view",
        ),
        FOLDERS: FoldersField(
            label="Buckets and folders",
            required=False,
            help_text="Of the storage, for example photos/ or photos/2026/. Leave empty for all of it.",
        ),
    }


def doubts(giver: Person, values: Mapping[str, Any]) -> list[str]:
    """Return sentences about chosen buckets and folders that the giver's token doesn't show."""
    kind, _, place = str(values.get(PLACE, "")).partition(":")
    return unseen(Workspace(giver, grants=()), place, values.get(FOLDERS, ())) if kind == Kind.STORAGE else []


def accept(giver: Person, person: Person, values: Mapping[str, Any]) -> None:
    """Give the new person what was chosen."""
    kind, _, place = str(values.get(PLACE, "")).partition(":")
    if not place:
        return
    is_storage = kind == Kind.STORAGE
    terms = Terms(
        acts=PRESETS[values.get(PRESET) or "view"][1][kind],
        sections=() if is_storage else tuple(SECTIONS),
        folders=values.get(FOLDERS, ()) if is_storage else (),
    )
    give(giver, kind, place, terms, people=[person])
