from typing import Any

from django.db import migrations, models

from dashboard.tokens.fingerprint import lengthened


def lengthen(apps: Any, _schema: Any) -> None:
    for before, now in lengthened(apps).items():
        for model, field in (("catalog", "token"),):
            apps.get_model("index", model).objects.filter(**{field: before}).update(**{field: now})


class Migration(migrations.Migration):
    dependencies = [
        ("index", "0002_key_lease"),
        ("tokens", "0002_fingerprints_of_128_bits"),
    ]

    operations = [
        migrations.AlterField(
            model_name="catalog",
            name="token",
            field=models.CharField(max_length=32, verbose_name="fingerprint of the token"),
        ),
        migrations.RunPython(lengthen, migrations.RunPython.noop),
    ]
