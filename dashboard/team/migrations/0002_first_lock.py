from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("team", "0001_start")]

    operations = [migrations.AddField("person", "first_locked_at", models.DateTimeField(null=True))]
