"""Load our templates without most of their indentation, which would be sent with every answer."""

import re

from django.template import Origin
from django.template.loaders.filesystem import Loader

INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


class Lean(Loader):
    """Read a template from `templates`, with one space for each indentation. Keeps lines, so that errors name the right one."""

    def get_contents(self, origin: Origin) -> str:
        text = super().get_contents(origin)
        return INDENT.sub(" ", text) if origin.name.endswith(".html") else text
