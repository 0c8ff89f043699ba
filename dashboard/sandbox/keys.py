"""Storage tokens of a project: HS256 JWTs signed with its secret, without an end."""

import jwt

from dashboard.sandbox.models import Project

ISSUED = 1672531200


def storage_token(project: Project, role: str) -> str:
    """A token with the claims iss, ref, role and iat; `role` is service_role, anon or authenticated."""
    claims = {"iss": "supabase", "ref": project.ref, "role": role, "iat": ISSUED}
    return jwt.encode(claims, project.jwt_secret, algorithm="HS256")


def storage_tokens(project: Project) -> dict[str, str]:
    return {"service": storage_token(project, "service_role"), "anon": storage_token(project, "anon")}
