from tests.features.secrets.desk import desk
from tests.features.secrets.drafting import draft
from tests.features.secrets.people import as_ada_with_token

__all__ = ["as_ada_with_token", "desk", "draft"]
