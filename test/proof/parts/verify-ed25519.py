# Verifies Ed25519 by PyNaCl or by cryptography: one line of key, message and signature in hex gives one line 1 or 0.
import sys


def by_nacl():
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    return BadSignatureError, lambda key, message, signature: VerifyKey(key).verify(message, signature)


def by_cryptography():
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return InvalidSignature, lambda key, message, signature: Ed25519PublicKey.from_public_bytes(key).verify(signature, message)


# Anything but a refusal ends the program: a verifier that cannot run has refused nothing.
Refusal, verify = {"nacl": by_nacl, "cryptography": by_cryptography}[sys.argv[1]]()
for line in sys.stdin:
    try:
        verify(*(bytes.fromhex(word) for word in line.rstrip("\n").split(" ")))
        print(1)
    except Refusal:
        print(0)
