from tests.features.functions.desk import after_a_change, desk
from tests.features.functions.strange import strange_service

__all__ = ["after_a_change", "desk", "strange_service"]
