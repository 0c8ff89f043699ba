"""Passwords that cost nothing to try: the real ones are made to take a quarter of a second of a processor."""

from django.contrib.auth.hashers import ScryptPasswordHasher


class CheapScrypt(ScryptPasswordHasher):
    """Written in the same form, with its strength in it: processes with the real settings read it, too."""

    work_factor = 2
    parallelism = 1
