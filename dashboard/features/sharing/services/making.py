"""A link for what somebody chose."""

from django.core.exceptions import ValidationError

from dashboard.index.selection import Selection
from dashboard.links.changing import Terms, make
from dashboard.links.models import Share
from dashboard.tokens.workspace import Workspace


def share_selection(workspace: Workspace, selection: Selection, terms: Terms) -> tuple[Share, str]:
    """The link and its code. Nothing is asked of the service: a link to what is missing says so when it is opened."""
    if selection.filter:
        raise ValidationError("Choose the objects, or share their folder: a link can't follow a search.")
    return make(workspace.person, selection.space, selection.bucket, keys=selection.keys, folders=selection.folders, terms=terms)
