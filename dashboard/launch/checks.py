"""Django's deployment check: reports risky settings as warnings. Invalid ones are refused earlier."""

import os
from collections.abc import Sequence

from django.apps import AppConfig
from django.core.checks import CheckMessage
from django.core.checks import Warning as Caution

from dashboard.launch.risks import risks


def check_settings(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:  # noqa: ARG001 - Django's signature
    return [Caution(sentence, id="pilothouse.W001") for sentence in risks(os.environ)]
