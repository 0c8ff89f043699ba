"""The rules of `start` for those who run the parts themselves: `manage.py check --deploy` names every setting that can't work."""

import os
from collections.abc import Sequence

from django.apps import AppConfig
from django.core.checks import Error

from dashboard.launch.rules import problems


def check_settings(app_configs: Sequence[AppConfig] | None, **_: object) -> list[Error]:  # noqa: ARG001 - Django's signature
    return [Error(sentence, id="pilothouse.E001") for sentence in problems(os.environ)]
