"""Who somebody is without keeping who they are: keyed hashes, signed links, and codes."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from itsdangerous import BadSignature, URLSafeSerializer

SECRET_FILE = ".secret"


def survey_secret(folder: Path) -> bytes:
    """The key of the survey: DISSENSUS_SECRET, or a file in its folder that only its owner can read, made once."""
    given = os.environ.get("DISSENSUS_SECRET")
    if given:
        if len(given) < 32:
            raise ValueError(f"DISSENSUS_SECRET has {len(given)} characters; expected 32 or more")
        return given.encode()
    path = folder / SECRET_FILE
    if not path.exists():
        part = path.with_name(f"{SECRET_FILE}.{os.getpid()}.part")
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(part, path)  # the first of two processes wins, and both read the same key
        except FileExistsError:
            pass
        finally:
            part.unlink()
    return path.read_text().strip().encode()


def keyed_hash(secret: bytes, external: str) -> str:
    """The same for the same person in this survey, and meaningless to anybody without its key."""
    return hmac.new(secret, b"person\0" + external.encode(), hashlib.sha256).hexdigest()[:32]


def sign(secret: bytes, purpose: str, value: str) -> str:
    """A text that `unsign` takes back and nobody else can make; it holds for one purpose only."""
    return str(URLSafeSerializer(secret, salt=f"dissensus.{purpose}").dumps(value))


def unsign(secret: bytes, purpose: str, token: str) -> str | None:
    """What was signed, or None where the signature does not fit; compared in constant time."""
    try:
        value = URLSafeSerializer(secret, salt=f"dissensus.{purpose}").loads(token)
    except BadSignature:
        return None
    return value if isinstance(value, str) else None


def completion_code(secret: bytes, person: str) -> str:
    """A code that a person can show for payment and that can be checked without a table."""
    digest = hmac.new(secret, b"code\0" + person.encode(), hashlib.sha256).digest()
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return "".join(letters[byte % len(letters)] for byte in digest[:10])
