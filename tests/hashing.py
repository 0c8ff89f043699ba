"""A password hasher for tests that costs nothing: the real one takes a quarter of a second of processor time."""

from django.contrib.auth.hashers import ScryptPasswordHasher


class CheapScrypt(ScryptPasswordHasher):
    """Same format, with its strength inside: processes with the real settings can read it, too."""

    work_factor = 2
    parallelism = 1
