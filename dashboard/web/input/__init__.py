"""What people send: forms, one-time keys, and text and secrets kept until a form is accepted."""
