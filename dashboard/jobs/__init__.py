"""Long work that outlives the tab, the request and the worker: jobs of many items, and schedules.

Features register what they can do in `AppConfig.ready` (`kinds.register`, `schedules.register`).
"""
