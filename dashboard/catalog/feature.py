"""What is known of a bucket: what this package adds to lower ones."""

from dashboard.catalog import crawl, leases, succession
from dashboard.catalog import retention as catalog_retention
from dashboard.jobs import kinds, retention
from dashboard.team import hooks
from dashboard.tokens import credentials

kinds.register(
    kinds.Kind(crawl.CRAWL, title="Count a bucket", step=crawl.step, settle_delay=0, changes=("index",), personal=True)
)
retention.register(catalog_retention.forget_unread)
retention.register(leases.forget_expired)
credentials.on_succession(succession.succeed)
hooks.possessions.append(hooks.Possession("search index", crawl.indexes_of, crawl.hand_over, names="search indexes"))
