"""Django's backend for PostgreSQL, with a circuit breaker. Django looks for the module `base`."""
