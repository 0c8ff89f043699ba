"""The object browser: what this feature adds to the product."""

from dashboard.catalog import receipts
from dashboard.features.objects.services import delete
from dashboard.features.objects.views import batch
from dashboard.jobs.settlement import Rule, register
from dashboard.journal import queries
from dashboard.web.pages import navigation

navigation.add_inner("bucket", "objects:index", of="space")
queries.add_action_page(batch.page_of)
gone = Rule(
    delete.read_back,
    delete.are_deleted,
    delete.after_deletion,
    part=delete.deleted_part,
)
stored = Rule(
    receipts.read_back,
    receipts.is_stored,
    receipts.after_upload,
    runs=receipts.is_uploading,
)
for operation, rule in (("S7", gone), ("S8", gone), ("S9", stored), ("S10", stored)):
    register(operation, rule)
