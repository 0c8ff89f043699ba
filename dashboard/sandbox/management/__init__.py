"""The management half: M1 … M25."""
