"""The product's settings with the tests' kinds of jobs, for worker processes."""

from dashboard.settings import *  # noqa: F403 - that is what this module is

INSTALLED_APPS += ["tests.jobs.apps.TrialsConfig"]  # noqa: F405 - from the line above
