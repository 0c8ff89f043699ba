"""Storage tokens of a project: HS256 JWTs without expiry, signed with its secret."""

import jwt

from dashboard.sandbox.models import Project

ISSUED = 1672531200


def storage_token(project: Project, role: str, **claims: str) -> str:
    """Create a token; `role` is service_role, anon or authenticated."""
    told = {"iss": "supabase", "ref": project.ref, "role": role, "iat": ISSUED, **claims}
    return jwt.encode(told, project.jwt_secret, algorithm="HS256")


def storage_tokens(project: Project) -> dict[str, str]:
    """Return a project's tokens.

    `member` has row policies on buckets and objects, `objects` on objects alone, and `inbox` may only add objects.
    """
    return {
        "service": storage_token(project, "service_role"),
        "anon": storage_token(project, "anon"),
        "member": storage_token(project, "authenticated", policies="all"),
        "objects": storage_token(project, "authenticated", policies="objects"),
        "inbox": storage_token(project, "authenticated", policies="insert"),
    }
