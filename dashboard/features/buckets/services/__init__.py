"""Buckets of one space, as a person sees and changes them."""
