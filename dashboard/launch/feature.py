"""Starting the product: what this package adds to Django."""

import os
from collections.abc import Sequence

from django.apps import AppConfig
from django.core.checks import CheckMessage, register
from django.core.checks import Warning as Caution

from dashboard.launch.risks import risks


@register(deploy=True)
def check_settings(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:  # noqa: ARG001 - Django's signature
    """Report risky settings as warnings. Invalid ones are refused earlier."""
    return [Caution(sentence, id="pilothouse.W001") for sentence in risks(os.environ)]
