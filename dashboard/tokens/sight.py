"""Tell what a person's credential can see, and so what an empty list means. Calls no service."""

from dataclasses import dataclass

from dashboard.interfaces.management.projects import Project
from dashboard.team.models import Person, Role
from dashboard.tokens import abilities
from dashboard.tokens.abilities import Abilities
from dashboard.tokens.formats import is_service_key
from dashboard.tokens.grants import Granted
from dashboard.tokens.last_known import recall
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

NOTHING_VISIBLE = "No files visible"


@dataclass(frozen=True, slots=True)
class Emptiness:
    """The text for an empty list. `is_certain`: there is really nothing, as the credential would see it."""

    title: str
    text: str
    is_certain: bool = False


def sees_all(workspace: Workspace, space: str) -> bool:
    """Whether the key in use is above all row policies, so that what it doesn't find doesn't exist."""
    return is_service_key(workspace.credential(Kind.STORAGE, space).open())


def abilities_of(workspace: Workspace, space: str, bucket: str) -> Abilities:
    """Return what the key in use is known to be able to do in a bucket. Uses the database."""
    if sees_all(workspace, space):
        return Abilities(list=True, read=True, insert=True, update=True, delete=True)
    credential = workspace.credential(Kind.STORAGE, space)
    token = credential.token if isinstance(credential, Granted) else credential
    return abilities.load(token.fingerprint, space, bucket) if token else Abilities()


def emptiness(workspace: Workspace, space: str, bucket: str, folder: str = "", *, certain: str) -> Emptiness:
    """Describe an empty list of a folder ("" for the bucket). `certain` is the title if there is really nothing."""
    granted = workspace.grant_at(Kind.STORAGE, space)
    if granted and not granted.scope.holds_folder(bucket, folder):
        return Emptiness(NOTHING_VISIBLE, "Your access covers only part of this bucket.")
    if sees_all(workspace, space):
        return Emptiness(certain, "", is_certain=True)
    can = abilities_of(workspace, space, bucket)
    if can.list is False:
        return Emptiness("This token can't list files", _uploads(can))
    if can.list:
        return Emptiness(NOTHING_VISIBLE, f"This token may not see all files in this bucket. {_uploads(can)}")
    return Emptiness(NOTHING_VISIBLE, f"There may be none, or this token may not list them. {_uploads(can)}")


def no_buckets(workspace: Workspace, space: str) -> Emptiness:
    """Describe an empty list of buckets."""
    granted = workspace.grant_at(Kind.STORAGE, space)
    if granted and not granted.scope.is_whole:
        covered = ", ".join(folder.removesuffix("/") for folder in granted.scope.folders)
        return Emptiness("No buckets visible", f"You have access to {covered}.")
    if sees_all(workspace, space):
        return Emptiness("No buckets yet", "", is_certain=True)
    return Emptiness("No buckets visible", "This token may not see all buckets. It may still read files and upload.")


def _uploads(can: Abilities) -> str:
    """Describe whether files can be uploaded. If that is unknown, one can still try."""
    if can.insert is False:
        return "It can't upload files here either." if can.list is False else "It can't upload files here."
    return "It can upload files." if can.insert else "You can still upload files."


def administrators_of(workspace: Workspace, ref: str, section: str) -> list[Person]:
    """Return the acting person, and the administrators and owners whose own token or grant also sees the section."""
    of_team = Person.objects.filter(is_active=True, role__in=(Role.ADMINISTRATOR, Role.OWNER))
    acting = workspace.fingerprint(Kind.MANAGEMENT, ref)
    others = (person for person in of_team.exclude(pk=workspace.person.pk) if _sees(Workspace(person), ref, section, acting))
    return [workspace.person, *others]


def _sees(workspace: Workspace, ref: str, section: str, acting: str) -> bool:
    """Whether the person uses that token or a grant for the section there, or a token that last listed the project."""
    if granted := workspace.grant_at(Kind.MANAGEMENT, ref):
        return granted.opens and section in granted.scope.sections
    if workspace.fingerprint(Kind.MANAGEMENT, ref) == acting:
        return True
    lists = (recall(fingerprint, "M1", list[Project]) for fingerprint in workspace.listing_fingerprints)
    return any(project.id == ref for known in lists if known for project in known[0])
