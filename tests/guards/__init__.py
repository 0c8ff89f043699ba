"""Branches that keep, refuse, lock, hide or ask first, each with the fault that takes it away and the test that notices it."""

from tests.guards import changes, links, objects, people

GUARDS = (*objects.GUARDS, *links.GUARDS, *people.GUARDS, *changes.GUARDS)
