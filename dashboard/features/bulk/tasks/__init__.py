"""Jobs on many objects, one module per kind, with their phases: plan, run, settle, verify."""
