"""Encryption of stored secrets; the only code that handles both plaintext and ciphertext."""
