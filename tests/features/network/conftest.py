from tests.features.network.desk import bans, desk

__all__ = ["bans", "desk"]
