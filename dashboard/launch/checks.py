"""Django's deployment check: invalid settings are errors, risky ones warnings."""

import os
from collections.abc import Sequence

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as Caution

from dashboard.launch.risks import risks
from dashboard.launch.rules import problems


def check_settings(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:  # noqa: ARG001 - Django's signature
    errors = [Error(sentence, id="pilothouse.E001") for sentence in problems(os.environ)]
    return [*errors, *(Caution(sentence, id="pilothouse.W001") for sentence in risks(os.environ))]
