"""Jobs on many objects: what this feature adds to the product."""

from dashboard.features.bulk.tasks import empty, kinds
from dashboard.jobs.settlement import Rule, register

kinds.register()
register("S3", Rule(empty.read_back, empty.is_empty))
