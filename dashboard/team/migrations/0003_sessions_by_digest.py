from django.db import migrations


class Migration(migrations.Migration):
    """Sign everybody out once: the rows so far hold keys that anybody with a copy of the database can sign in with."""

    dependencies = [("team", "0002_first_lock"), ("sessions", "0001_initial"), ("usersessions", "0001_initial")]
    operations = [
        migrations.RunSQL("DELETE FROM usersessions_usersession", migrations.RunSQL.noop),
        migrations.RunSQL("DELETE FROM django_session", migrations.RunSQL.noop),
    ]
