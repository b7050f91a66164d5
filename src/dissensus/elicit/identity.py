"""Pseudonymous identities: keyed hashes of ids, signed links and completion codes."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from itsdangerous import BadSignature, URLSafeSerializer

SECRET_FILE = ".secret"


def survey_secret(folder: Path) -> bytes:
    """Return the secret of the survey: DISSENSUS_SECRET, or a file in its folder that only its owner can read."""
    given = os.environ.get("DISSENSUS_SECRET")
    if given:
        if len(given) < 32:
            raise ValueError(f"DISSENSUS_SECRET has {len(given)} characters; expected at least 32")
        return given.encode()
    path = folder / SECRET_FILE
    if not path.exists():
        part = path.with_name(f"{SECRET_FILE}.{os.getpid()}.part")
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(part, path)  # if two processes create it at once, both read the first file
        except FileExistsError:
            pass
        finally:
            part.unlink()
    return path.read_text().strip().encode()


def keyed_hash(secret: bytes, external: str) -> str:
    """Hash an id with the secret of the survey: the same for the same person, meaningless without the secret."""
    return hmac.new(secret, b"person\0" + external.encode(), hashlib.sha256).hexdigest()[:32]


def sign(secret: bytes, purpose: str, value: str) -> str:
    """Sign a value for one purpose."""
    return str(URLSafeSerializer(secret, salt=f"dissensus.{purpose}").dumps(value))


def unsign(secret: bytes, purpose: str, token: str) -> str | None:
    """Return the signed value, or None if the signature is not valid for this purpose."""
    try:
        value = URLSafeSerializer(secret, salt=f"dissensus.{purpose}").loads(token)
    except BadSignature:
        return None
    return value if isinstance(value, str) else None


def completion_code(secret: bytes, person: str) -> str:
    """Make the completion code of a person, which can be verified without storing it."""
    digest = hmac.new(secret, b"code\0" + person.encode(), hashlib.sha256).digest()
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(letters[byte % len(letters)] for byte in digest[:10])
