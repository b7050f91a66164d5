"""The researcher's key to the dashboard: kept as a hash, checked slowly, and turned into a short-lived cookie."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadSignature, URLSafeTimedSerializer

KEY_FILE = ".dashboard"
COOKIE = "dissensus_dashboard"
HOURS = 12


def set_key(folder: Path, key: str | None = None) -> str:
    """Make this, or a new random text, the key of the dashboard; only its hash is kept. Returns the key."""
    key = key or secrets.token_urlsafe(18)
    if len(key) < 10:
        raise ValueError(f"the key has {len(key)} characters; expected 10 or more")
    part = folder / f"{KEY_FILE}.{os.getpid()}.part"
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(PasswordHasher().hash(key))
    part.replace(folder / KEY_FILE)
    return key


def has_key(folder: Path) -> bool:
    return (folder / KEY_FILE).is_file()


def opens(folder: Path, key: str) -> bool:
    """Whether this is the key; argon2 compares in constant time and takes its time."""
    if not has_key(folder) or len(key) > 500:
        return False
    try:
        return PasswordHasher().verify((folder / KEY_FILE).read_text(), key)
    except (VerificationError, InvalidHashError):
        return False


def new_cookie(secret: bytes, folder: Path) -> str:
    """A cookie that opens the dashboard for some hours, or until it gets another key."""
    return str(_signer(secret, "dashboard").dumps([_key_mark(folder), secrets.token_hex(8)]))


def cookie_holds(secret: bytes, folder: Path, cookie: str) -> bool:
    try:
        content = _signer(secret, "dashboard").loads(cookie, max_age=HOURS * 3600)
    except BadSignature:
        return False
    return has_key(folder) and isinstance(content, list) and hmac.compare_digest(str(content[0]), _key_mark(folder))


def form_token(secret: bytes, cookie: str) -> str:
    """What a page of this cookie sends along with every change, and another site cannot know."""
    return str(_signer(secret, "form").dumps(cookie))


def form_holds(secret: bytes, cookie: str, token: str) -> bool:
    try:
        return bool(_signer(secret, "form").loads(token, max_age=HOURS * 3600) == cookie)
    except BadSignature:
        return False


def _key_mark(folder: Path) -> str:
    return hashlib.sha256((folder / KEY_FILE).read_bytes()).hexdigest()[:16]


def _signer(secret: bytes, purpose: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt=f"dissensus.{purpose}")
