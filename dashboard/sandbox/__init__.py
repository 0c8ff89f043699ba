"""The sandbox: a stand-in service with all 46 operations and its own data folder."""
