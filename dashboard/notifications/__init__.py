"""Notifications: a row for each event and person, an e-mail, and a message to the team's channels.

`outbox.notify` only writes rows; a worker sends the messages (`delivery`).
"""
