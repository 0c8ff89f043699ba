from typing import Any

from django.conf import settings
from django.db import migrations, models

from dashboard.tokens.fingerprint import fingerprint
from dashboard.vault.lookup import sealed_key
from dashboard.vault.sealing import CannotOpen


def lengthen(apps: Any, _schema: Any) -> None:
    """Where digests were made before there was a key of their own, SECRET_KEY becomes that key: share links still open."""
    keys = apps.get_model("vault", "LookupKey").objects
    if apps.get_model("team", "Person").objects.exists() and not keys.exists():
        keys.create(pk=1, sealed=sealed_key(settings.SECRET_KEY))
    for token in apps.get_model("tokens", "StoredToken").objects.all():
        try:
            text = token.sealed.open(owner=token.person_id, purpose=f"token:{token.kind}:{token.space}")
        except CannotOpen:
            continue  # it has to be stored again anyway
        token.fingerprint = fingerprint(text)
        token.save(update_fields=("fingerprint",))


class Migration(migrations.Migration):
    dependencies = [
        ("team", "0001_initial"),
        ("tokens", "0001_initial"),
        ("vault", "0001_lookup_key"),
    ]

    operations = [
        migrations.AlterField(
            model_name="storedtoken",
            name="fingerprint",
            field=models.CharField(max_length=32),
        ),
        migrations.RunPython(lengthen, migrations.RunPython.noop),
    ]
