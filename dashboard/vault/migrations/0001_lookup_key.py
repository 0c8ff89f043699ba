from django.db import migrations, models

import dashboard.vault.fields


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="LookupKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sealed", dashboard.vault.fields.SealedField()),
            ],
        ),
    ]
