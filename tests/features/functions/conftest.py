from tests.features.functions.desk import desk
from tests.features.functions.strange import strange_service

__all__ = ["desk", "strange_service"]
