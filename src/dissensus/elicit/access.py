"""The researcher's key to the dashboard: kept as a hash, checked slowly, and turned into a cookie that can be ended."""

from __future__ import annotations

import hashlib
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

KEY_FILE = ".dashboard"
COOKIE = "dissensus_dashboard"
KNOWN = "dissensus_known"  # a browser that was let in before
HOURS = 12
DAYS = 365  # for which such a browser is known


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


def is_key(folder: Path, key: str) -> bool:
    """Whether this is the key; argon2 compares in constant time and takes its time."""
    if not has_key(folder) or len(key) > 500:
        return False
    try:
        return PasswordHasher().verify((folder / KEY_FILE).read_text(), key)
    except (VerificationError, InvalidHashError):
        return False


def new_cookie(secret: bytes, folder: Path) -> str:
    """A cookie that opens the dashboard for some hours, until its owner logs out, or until there is another key."""
    return str(_signer(secret, "dashboard").dumps([_key_mark(folder), secrets.token_hex(8)]))


def is_valid_cookie(secret: bytes, folder: Path, store: Store, cookie: str) -> bool:
    login = _login_of(secret, folder, cookie)
    if login is None:
        return False
    ended = sa.select(schema.logged_out.c.login).where(schema.logged_out.c.login == login)
    with store.reader() as connection:
        return connection.scalar(ended) is None


def log_out(secret: bytes, folder: Path, store: Store, cookie: str) -> None:
    """End the login of a cookie for good, in every server process; whoever has a copy of it has nothing."""
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
    """A cookie by which a browser that was let in is told from others at the same address. It opens nothing."""
    return str(_signer(secret, "known").dumps(secrets.token_hex(8)))


def browser_name(secret: bytes, cookie: str) -> str | None:
    """What such a browser is called, or None."""
    try:
        return str(_signer(secret, "known").loads(cookie, max_age=DAYS * 86400))
    except BadSignature:
        return None


def form_token(secret: bytes, cookie: str) -> str:
    """What a page of this cookie sends along with every change, and another site cannot know."""
    return str(_signer(secret, "form").dumps(cookie))


def is_valid_form_token(secret: bytes, cookie: str, token: str) -> bool:
    try:
        return bool(_signer(secret, "form").loads(token, max_age=HOURS * 3600) == cookie)
    except BadSignature:
        return False


def _login_of(secret: bytes, folder: Path, cookie: str) -> str | None:
    """The login that a cookie of the present key stands for, whether or not it was ended since."""
    try:
        content = _signer(secret, "dashboard").loads(cookie, max_age=HOURS * 3600)
    except BadSignature:
        return None
    if not isinstance(content, list) or len(content) != 2 or not has_key(folder):
        return None
    return str(content[1]) if hmac.compare_digest(str(content[0]), _key_mark(folder)) else None


def _key_mark(folder: Path) -> str:
    return hashlib.sha256((folder / KEY_FILE).read_bytes()).hexdigest()[:16]


def _signer(secret: bytes, purpose: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt=f"dissensus.{purpose}")
