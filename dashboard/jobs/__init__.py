"""Long work that outlives the tab, the request and the worker: jobs of many items, and schedules.

Features register their kinds in `feature` (`kinds.register`, `schedules.register`).
"""
