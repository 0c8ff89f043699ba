"""Branches that keep, refuse, lock, hide or ask first, each with the fault that removes it and the test that detects that."""

from tests.guards import changes, links, objects, people, restoring, snapshot_sight, snapshots, trash

GUARDS = (
    *objects.GUARDS,
    *links.GUARDS,
    *people.GUARDS,
    *changes.GUARDS,
    *snapshots.GUARDS,
    *snapshot_sight.GUARDS,
    *trash.GUARDS,
    *restoring.GUARDS,
)
