"""Django's backend for PostgreSQL, with a circuit; `base` is the module that Django looks for."""
