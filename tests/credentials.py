"""Texts with credentials in them. The service's words and our log lines are cleaned apart, as a start loads no interface."""

CREDENTIALS = (
    "token eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoiYW5vbiJ9.c2ln was bad",
    "bad sbp_0123456789abcdef0123456789abcdef01234567 here",
    "bad sb_secret_0123456789abcdef0123456789 here",
    "GET /bucket?authorization=Bearer%20hunter2 failed",
    "Authorization: Bearer hunter2",
    "apikey: hunter2",
    "access_token=hunter2",
    "see /object/sign/b/k?token=hunter2&download",
)
