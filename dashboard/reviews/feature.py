"""Review, then apply: what this package adds to lower ones."""

from dashboard.reviews.models import Review
from dashboard.reviews.typed import SealedSecrets
from dashboard.team import hooks
from dashboard.web.input import typed_secrets

typed_secrets.keep_with(SealedSecrets())
hooks.belongings.append(lambda person: Review.objects.filter(person=person))
