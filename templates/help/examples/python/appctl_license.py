"""Licensing for a Python application: activate, validate, and verify offline tokens and releases.

Needs Python 3.8 and one package: pip install cryptography
Copy the functions into your application; the commands at the end are only for trying them out.
"""
import base64
import hashlib
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE = 300  # seconds by which clocks may differ
LONGEST_DELEGATION = 34_560_000  # 400 days in seconds


class ApiError(Exception):
    """An error from the server: `code` for the program, the text for people."""

    def __init__(self, code, message, retry_after=None):
        super().__init__(message)
        self.code, self.retry_after = code, retry_after


def call(url, api_key, operation, body):
    """Calls the license API and returns its answer. Raises ApiError, and OSError without a connection."""
    request = urllib.request.Request(
        f"{url}/api/v1/license/{operation}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "X-API-Key": api_key},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        try:
            error = json.load(refusal)["error"]
        except (ValueError, KeyError):  # a proxy answered, not the license server
            raise OSError(f"unexpected answer with status {refusal.code}") from None
        raise ApiError(error["code"], error["message"], refusal.headers.get("Retry-After")) from None


def b64(text):
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def key_id(public_key):
    return hashlib.sha256(public_key).hexdigest()[:16]


def is_signed(public_key, message, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def root_key(text):
    """The 32 bytes of a root key: `appctl keys export KEYID --public --format base64` prints it."""
    return base64.b64decode(text)[-32:]


def version_allowed(max_version, version):
    """`2` allows all of 2.x and everything before."""
    found = re.search(r"\d+(\.\d+){0,2}", version)
    if max_version is None or found is None:
        return max_version is None
    installed = [int(part) for part in found.group().split(".")] + [0, 0]
    limit = [int(part) for part in max_version.split(".")]
    return installed[: len(limit)] <= limit


def verify_token(token, roots, product, machine_id, version, now=None, last_seen=0):
    """Verifies an offline token. Returns a code and the claims; the license may be used for VALID and GRACE.

    roots: the 32 bytes of each root key that the application embeds
    now: Unix seconds; last_seen: the latest time ever seen on this machine, which you store
    """
    now = time.time() if now is None else now
    parts = re.fullmatch(r"license/([\w-]+)\.([\w-]+)\.([\w-]+)\.([\w-]+)", "".join(token.split()), re.ASCII)
    if not parts:
        return "MALFORMED", None
    payload, signature, delegated, root_signature = parts.groups()
    try:
        claims, delegation = json.loads(b64(payload)), json.loads(b64(delegated))
        signature, root_signature, online_key = b64(signature), b64(root_signature), b64(delegation["pub"])
        if claims["v"] != 1:
            return "MALFORMED", None
        root = {key_id(key): key for key in roots}.get(delegation["root"])
        trusted = (
            root is not None
            and delegation["v"] == 1
            and is_signed(root, f"delegation/{delegated}".encode(), root_signature)
            and delegation["prd"] == product
            and "license" in delegation["use"]
            and delegation["exp"] - delegation["nbf"] <= LONGEST_DELEGATION
            and delegation["nbf"] - TOLERANCE <= now < delegation["exp"]
            and key_id(online_key) == delegation["kid"]
        )
        if not trusted:
            return "DELEGATION_INVALID", None
        genuine = is_signed(online_key, f"license/{payload}".encode(), signature)
        if not genuine or claims["kid"] != delegation["kid"] or claims["prd"] != product:
            return "SIGNATURE_INVALID", None
        if b64(claims["mid"]) != hashlib.sha256(machine_id.encode()).digest():
            return "WRONG_MACHINE", None
        if now < max(claims["iat"], last_seen) - TOLERANCE:
            return "CLOCK_ROLLED_BACK", claims
        if not claims["nbf"] <= now < claims["exp"]:
            return "TOKEN_EXPIRED", claims
        runs = claims["st"] == "ACTIVE" and (claims["vu"] is None or now < claims["vu"])
        if not runs and not (claims["graceUntil"] is not None and now < claims["graceUntil"]):
            return "EXPIRED", claims
        if not version_allowed(claims["mxv"], version):
            return "VERSION_NOT_ALLOWED", claims
        return ("VALID" if runs else "GRACE"), claims
    except (ValueError, KeyError, TypeError):
        return "MALFORMED", None


def verify_release(path, signed, roots, product, now=None, last_sequence=0):
    """Verifies a downloaded bundle. Returns a code and what was signed; install it only for VALID.

    signed: `sha256`, `signature`, `statement` and `statement_signature` of updates/check, or a FILE.sig.json
    last_sequence: the highest sequence that was ever installed from this channel, which you store
    """
    now = time.time() if now is None else now
    digest, size = hashlib.sha256(), 0
    with open(path, "rb") as bundle:
        while block := bundle.read(1 << 20):
            digest.update(block)
            size += len(block)
    try:
        if digest.hexdigest() != signed["sha256"].lower():
            return "HASH_MISMATCH", None
        signature = base64.b64decode(signed["signature"], validate=True)
        if not any(is_signed(root, digest.digest(), signature) for root in roots):
            return "BAD_SIGNATURE", None
        text = signed["statement"]
        signature = signed.get("statement_signature") or signed["statementSignature"]
        signature = base64.b64decode(signature, validate=True)
        statement = json.loads(b64(text[len("release/"):]))
        root = {key_id(key): key for key in roots}.get(statement["kid"])
        genuine = text.startswith("release/") and root is not None and is_signed(root, text.encode(), signature)
        if not genuine or statement["v"] != 1 or statement["product"] != product:
            return "STATEMENT_INVALID", None
        if statement["sha256"] != digest.hexdigest() or statement["size"] != size:
            return "STATEMENT_MISMATCH", statement
        if statement["sequence"] < last_sequence:
            return "ROLLBACK", statement
        expires = datetime.fromisoformat(statement["expiresAt"].replace("Z", "+00:00"))
        if now >= expires.timestamp():
            return "STATEMENT_EXPIRED", statement
        return "VALID", statement
    except (ValueError, KeyError, TypeError):
        return "STATEMENT_INVALID", None


USAGE = """usage: appctl_license.py activate | validate | token | verify-token FILE | verify-release BUNDLE
Settings: LICENSE_URL, LICENSE_API_KEY, LICENSE_PRODUCT, LICENSE_KEY, LICENSE_MACHINE, LICENSE_VERSION,
LICENSE_ROOT_KEY, and LICENSE_NOW (Unix seconds) to try another time."""


def main(command, *files):
    setting = os.environ.get
    roots, product = [root_key(setting("LICENSE_ROOT_KEY", ""))], setting("LICENSE_PRODUCT")
    machine, version = setting("LICENSE_MACHINE", ""), setting("LICENSE_VERSION", "1.0.0")
    now = float(setting("LICENSE_NOW") or time.time())
    body = {"licenseKey": setting("LICENSE_KEY"), "machineId": machine, "appVersion": version}
    ask = lambda operation: call(setting("LICENSE_URL"), setting("LICENSE_API_KEY"), operation, body)
    try:
        if command == "activate":
            ask("activate")
            code = "ACTIVATED"
        elif command == "validate":
            code = ask("validate")["code"]
        elif command == "token":
            print(ask("offline-token")["token"])
            return 0
        elif command == "verify-token":
            with open(files[0]) as file:
                code, _ = verify_token(file.read(), roots, product, machine, version, now)
        elif command == "verify-release":
            with open(f"{files[0]}.sig.json") as file:
                code, _ = verify_release(files[0], json.load(file), roots, product, now)
        else:
            print(USAGE, file=sys.stderr)
            return 2
    except ApiError as refusal:
        code = refusal.code
    print(code)
    return 0 if code in ("ACTIVATED", "VALID", "GRACE") else 1


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))
