"""How the page of signed links reads."""

from django.urls import reverse

from dashboard.catalog.keys import printable
from dashboard.features.sharing.models import LinkSet
from dashboard.jobs.models import ENDED, State
from dashboard.web.text import bytes_text

COPIED = 5000
# kind: label, and whether people paste it somewhere rather than save it.
KINDS = {
    "lines": ("Lines", True),
    "markdown": ("Markdown", True),
    "html": ("HTML", True),
    "csv": ("CSV", False),
    "json": ("JSON", False),
    "script": ("Download script", False),
}


def words_of(links: LinkSet) -> dict[str, object]:
    """`state` is "counted", "working" (a job has to do something first), "signed" or "none"."""
    waiting = len(links.waiting)
    job = links.job
    alive = job is not None and job.state not in ENDED
    state = "signed" if links.signed else "none" if links.refused else "working" if job else "counted"
    return {
        "state": state,
        "heading": _heading(links, state),
        "waiting": waiting,
        "counted": _counted(links),
        "job_url": reverse("jobs:show", args=(job.pk,)) if job else "",
        "job_alive": alive,
        "job_asks": job is not None and job.state == State.PLANNED,
        "outputs": _outputs(links) if links.signed else [],
    }


def words_of_row(links: LinkSet) -> str:
    """One line of the list of sets."""
    if links.signed:
        refused = f", {links.refused:,} without" if links.refused else ""
        return f"{links.signed:,} link{'' if links.signed == 1 else 's'}{refused}"
    return f"{len(links.waiting):,} counted, not signed" if links.waiting else "A job makes them"


def _heading(links: LinkSet, state: str) -> str:
    if state == "signed":
        return f"{links.signed:,} link{' is' if links.signed == 1 else 's are'} ready"
    return {"none": "No link could be made", "working": "Links that a job makes"}.get(state, "Links to be made")


def _counted(links: LinkSet) -> list[str]:
    """What the preview found, a sentence each. A job shows its own plan."""
    facts = links.facts
    if not facts:
        return []
    there, missing, unlooked = facts["objects"], facts["missing"], facts["unlooked"]
    said = [f"{there:,} object{'' if there == 1 else 's'}, {bytes_text(facts['bytes'])}."]
    if missing:
        does, them = ("does", "it") if missing == 1 else ("do", "them")
        said.append(f"{missing:,} {does} not exist, or your token may not see {them}.")
    if empty := facts.get("empty"):
        said.append(f"Nothing is in {', '.join(f'“{printable(folder)}”' for folder in empty)}.")
    if unlooked:
        said.append(f"It was not looked for {unlooked:,} of them, since they are spread too far; signing will tell.")
    return said


def _outputs(links: LinkSet) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for kind, (label, pasted) in KINDS.items():
        href = reverse("sharing:output", args=(links.space, links.bucket, links.pk, kind))
        found.append({"label": label, "file": href, "text": f"{href}?show=1" if pasted and links.signed <= COPIED else ""})
    return found
