"""The key of the dashboard, stored as a hash, and the cookie of a login, which logging out revokes."""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy.engine import Connection

from dissensus.elicit.database import schema
from dissensus.elicit.database.store import Store, now
from dissensus.labels.content_hash import hash_bytes

KEY_FILE = ".dashboard"
COOKIE = "dissensus_dashboard"
KNOWN = "dissensus_known"  # cookie of a browser that has logged in before
HOURS = 12  # lifetime of a login
DAYS = 365  # lifetime of the cookie KNOWN


def set_key(folder: Path, key: str | None = None) -> str:
    """Set the key of the dashboard, by default a random one. Store its hash and return the key."""
    key = key or secrets.token_urlsafe(18)
    if len(key) < 10:
        raise ValueError(f"the key has {len(key)} characters; expected at least 10")
    part = folder / f"{KEY_FILE}.{os.getpid()}.part"
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(PasswordHasher().hash(key))
    part.replace(folder / KEY_FILE)
    return key


def has_key(folder: Path) -> bool:
    return (folder / KEY_FILE).is_file()


def is_key(folder: Path, key: str) -> bool:
    """Whether this is the key of the dashboard. argon2 is slow by design and compares in constant time."""
    if not has_key(folder) or len(key) > 500:
        return False
    try:
        return PasswordHasher().verify((folder / KEY_FILE).read_text(), key)
    except (VerificationError, InvalidHashError):
        return False


def new_cookie(secret: bytes, folder: Path) -> str:
    """Make the cookie of a login. It is valid for HOURS, until its owner logs out, or until the key changes."""
    return str(_signer(secret, "dashboard").dumps([_key_mark(folder), secrets.token_hex(8)]))


def is_valid_cookie(secret: bytes, folder: Path, store: Store, cookie: str) -> bool:
    """Whether a cookie belongs to a login with the current key that has not ended."""
    login = _login_of(secret, folder, cookie)
    if login is None:
        return False
    revoked = sa.select(schema.logged_out.c.login).where(schema.logged_out.c.login == login)
    with store.reader() as connection:
        return connection.scalar(revoked) is None


def log_out(secret: bytes, folder: Path, store: Store, cookie: str) -> None:
    """Revoke the login of a cookie in every server process, so that copies of the cookie stop working."""
    login = _login_of(secret, folder, cookie)
    if login is None:
        return

    def work(connection: Connection) -> None:
        table = schema.logged_out
        connection.execute(sa.delete(table).where(table.c.at < now() - 3600 * HOURS))
        if connection.scalar(sa.select(table.c.login).where(table.c.login == login)) is None:
            connection.execute(sa.insert(table).values(login=login, at=now()))

    store.write(work)


def new_browser_cookie(secret: bytes) -> str:
    """Make a cookie that marks a browser that has logged in. It gives no access."""
    return str(_signer(secret, "known").dumps(secrets.token_hex(8)))


def browser_name(secret: bytes, cookie: str) -> str | None:
    """Return the name of a browser from its cookie KNOWN, or None if the cookie is not valid."""
    try:
        return str(_signer(secret, "known").loads(cookie, max_age=DAYS * 86400))
    except BadSignature:
        return None


def form_token(secret: bytes, cookie: str) -> str:
    """Make the token that a page sends with every change, which another site cannot know."""
    return str(_signer(secret, "form").dumps(cookie))


def is_valid_form_token(secret: bytes, cookie: str, token: str) -> bool:
    """Whether a token was made for this cookie."""
    try:
        return bool(_signer(secret, "form").loads(token, max_age=HOURS * 3600) == cookie)
    except BadSignature:
        return False


def _login_of(secret: bytes, folder: Path, cookie: str) -> str | None:
    """The login of a cookie made with the current key, even if it was revoked since."""
    try:
        content = _signer(secret, "dashboard").loads(cookie, max_age=HOURS * 3600)
    except BadSignature:
        return None
    if not isinstance(content, list) or len(content) != 2 or not has_key(folder):
        return None
    return str(content[1]) if hmac.compare_digest(str(content[0]), _key_mark(folder)) else None


def _key_mark(folder: Path) -> str:
    return hash_bytes([(folder / KEY_FILE).read_bytes()])[:16]


def _signer(secret: bytes, purpose: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt=f"dissensus.{purpose}")
