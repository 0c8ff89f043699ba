"""Requests and answers around the views: bodies, headers, cookies, logs, figures."""
