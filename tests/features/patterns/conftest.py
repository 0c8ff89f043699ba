from tests.browser.live import console
from tests.web.conftest import ada, signed_in, visitor

__all__ = ["ada", "console", "signed_in", "visitor"]
