"""Long work that outlives the tab, the request and the worker: jobs of many items, and schedules.

Features register their kinds in `AppConfig.ready` (`kinds.register`, `schedules.register`).
"""
