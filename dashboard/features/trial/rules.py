"""The three guides: their steps, and which of a person's own acts prove each step."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.team.rights import allows

# Proofs that are not operations in the journal.
OPENED, PASTED = "link opened", "lines pasted"
PUBLISHED, PUBLISHED_AGAIN, READY = "sandbox DNS published", "certificate record published", "hostname ready"
SIGNS = frozenset({OPENED, PASTED, PUBLISHED_AGAIN, READY})
SAMPLE = "SHOP_NAME=Harbour\nMAIL_FROM=hello@example.com\nMAX_ITEMS=25\n"


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `page` is where it happens (a key of the views), `proofs` are the acts that show that it is done."""

    title: str
    hint: str
    page: str
    proofs: tuple[str, ...]
    sample: str = ""


@dataclass(frozen=True, slots=True)
class Guide:
    """A tour of the real pages that takes about three minutes."""

    key: str
    title: str
    steps: tuple[Step, ...]

    @property
    def acts(self) -> list[str]:
        """All proofs that are acts, which the person's role must allow."""
        return [proof for step in self.steps for proof in step.proofs if proof not in SIGNS]


GUIDES = (
    Guide(
        "share",
        "Share a file",
        (
            Step("Upload a file", "Open a bucket and drop a file on it.", "buckets", ("S9", "S10")),
            Step("Create a share link", "Open the file's menu and choose Share.", "buckets", ("link shared",)),
            Step("Download through the link", "Open the link in a private window.", "links", (OPENED,)),
            Step("Revoke the link", "Choose Revoke on its row.", "links", ("link revoked", "links revoked")),
        ),
    ),
    Guide(
        "secrets",
        "Paste a .env",
        (
            Step("Review pasted lines", "Copy the sample, paste it and choose Review changes.", "draft", (PASTED,), SAMPLE),
            Step("Save the secrets", "Check the changes, then save them.", "draft", ("M6",)),
            Step("Delete one again", "Choose Delete in the menu of its row.", "index", ("M7",)),
        ),
    ),
    Guide(
        "hostname",
        "Bring a hostname live",
        (
            Step(
                "Set up a hostname",
                "Choose a project without one, a name such as app.example.com, and Set up anyway.",
                "hostnames",
                ("M17",),
            ),
            Step("Publish its DNS records", "Choose Publish on its row.", "switches", (PUBLISHED,)),
            Step("Verify ownership", "Choose Verify now.", "hostname", ("M18",)),
            Step("Publish the certificate's record", "Choose Publish again on its row.", "switches", (PUBLISHED_AGAIN,)),
            Step("Verify the certificate", "Choose Verify now until the hostname is ready to activate.", "hostname", (READY,)),
            Step("Activate", "Choose Activate hostname.", "hostname", ("M19",)),
        ),
    ),
)


def guides_for(role: str) -> tuple[Guide, ...]:
    """Return the guides that a person with this role can finish."""
    return tuple(guide for guide in GUIDES if allows(role, *guide.acts))


def steps_done(guide: Guide, proofs: Mapping[str, str]) -> int:
    """Return how many steps are done. A later step proves those before it."""
    done = [number for number, step in enumerate(guide.steps, 1) if any(proof in proofs for proof in step.proofs)]
    return max(done, default=0)
