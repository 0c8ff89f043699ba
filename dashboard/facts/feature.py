"""What overviews show of each project: what this package adds to lower ones."""

from dashboard.facts import memory
from dashboard.jobs import retention
from dashboard.tokens import last_known

last_known.follow(memory.keep, memory.forget)
retention.register(memory.forget_old)
