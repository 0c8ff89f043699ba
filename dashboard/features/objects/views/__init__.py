"""The pages of a bucket, one module a family of verbs."""
