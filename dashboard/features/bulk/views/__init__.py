"""Dialogs that begin work on many objects, one module a family of verbs."""
