"""Secrets of the functions, all invented."""

from datetime import UTC, datetime

from dashboard.sandbox.keys import storage_tokens
from dashboard.sandbox.models import Project, Secret
from dashboard.sandbox.seed.projects import PORTFOLIO, STAGING, TRACKING

SECRETS = {
    TRACKING: {
        "MAPS_API_KEY": "demo-maps-7f3c91",
        "SMTP_HOST": "smtp.nordlicht-logistik.example",
        "SMTP_PASSWORD": "demo-correct-horse-battery",
        "SLACK_WEBHOOK_URL": "https://hooks.chat.example/services/T0/B0/demo",
        "LABEL_PRINTER_PIN": "0451",
        "SIGNING_KEY": "-----BEGIN DEMO KEY-----\nbm90IGEga2V5\n-----END DEMO KEY-----\n",
        "feature_flags": '{"live_map": true, "eta": "beta"}',
    },
    STAGING: {"MAPS_API_KEY": "demo-maps-staging", "SMTP_HOST": "mailpit.internal.example", "DEBUG": "1"},
    PORTFOLIO: {"CONTACT_MAILBOX": "hello@studio-marlowe.example", "CAPTCHA_SECRET": "demo-captcha-2b"},
}


def plant_secrets() -> None:
    for ref, secrets in SECRETS.items():
        project = Project.objects.get(ref=ref)
        rows = secrets | reserved(project) if ref != STAGING else secrets
        when = datetime(2025, 5, 12, 9, 30, tzinfo=UTC)
        Secret.objects.bulk_create(
            Secret(project=project, name=name, value=value, updated_at=when) for name, value in rows.items()
        )


def reserved(project: Project) -> dict[str, str]:
    """Return the entries reserved by the service."""
    tokens = storage_tokens(project)
    return {
        "SUPABASE_URL": f"https://{project.ref}.supabase.co",
        "SUPABASE_ANON_KEY": tokens["anon"],
        "SUPABASE_SERVICE_ROLE_KEY": tokens["service"],
        "SUPABASE_DB_URL": f"postgresql://postgres@db.{project.ref}.supabase.co:5432/postgres",
    }
