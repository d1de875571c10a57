#!/usr/bin/env python3
"""Makes objects.json: encrypted objects by another implementation (https://pypi.org/project/cryptography) than docfs's own.

    python3 make.py > objects.json
"""
import json, struct
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
import base64

CHUNK = 65536


def hkdf(key, salt, info, length=32):
    return HKDF(hashes.SHA256(), length, salt, info).derive(key)


def padded(length):
    if length <= 1:
        return length
    exponent = length.bit_length() - 1
    bits = exponent.bit_length()
    mask = (1 << max(0, exponent - bits)) - 1
    return (length + mask) & ~mask


def name(kind, rest=b""):
    return bytes([kind]) + rest.ljust(40, b"\0")


def nonce(piece, last):
    return b"\0\0\0" + struct.pack(">Q", piece) + (b"\1" if last else b"\0")


def seal(key, salt, object_name, content):
    cipher = AESGCM(hkdf(key, salt, b"docfs object" + object_name))
    sealed = salt + cipher.encrypt(nonce(0, False), struct.pack(">Q", len(content)), None)
    text = content.ljust(padded(len(content)), b"\0")
    chunks = [text[i : i + CHUNK] for i in range(0, len(text), CHUNK)] or [b""]
    for number, chunk in enumerate(chunks):
        sealed += cipher.encrypt(nonce(number + 1, number == len(chunks) - 1), chunk, None)
    return sealed


def stored(key, object_name):
    sealed = AESSIV(hkdf(key, None, b"docfs names", 64)).encrypt(object_name, None)
    return "objects/" + base64.b32encode(sealed).decode().lower().rstrip("=")


def pattern(length):
    return bytes(i * 7 % 251 for i in range(length))


def digest(data):
    h = hashes.Hash(hashes.SHA256())
    h.update(data)
    return h.finalize().hex()


key = bytes(range(32))
document = bytes.fromhex("0123456789abcdef0123456789abcdef")
version = bytes.fromhex("fedcba9876543210fedcba9876543210")
position = struct.pack(">Q", 42)
objects = [
    ("container", name(1), 0),
    ("log/0000000000000042", name(2, position), 1),
    ("checkpoint/0000000000000042/manifest", name(3, position), 1000),
    ("checkpoint/0000000000000042/" + bytes(range(32)).hex(), name(4, position + bytes(range(32))), CHUNK),
    ("documents/01234567-89ab-cdef-0123-456789abcdef/fedcba98-7654-3210-fedc-ba9876543210/content", name(5, document + version), CHUNK + 1),
    ("documents/01234567-89ab-cdef-0123-456789abcdef/01234567-89ab-cdef-0123-456789abcdef/content", name(5, document + document), 300001),
]
vectors = []
for number, (plain, object_name, length) in enumerate(objects):
    salt = bytes([number]) * 32
    sealed = seal(key, salt, object_name, pattern(length))
    vectors.append({
        "key": plain, "stored": stored(key, object_name), "salt": salt.hex(), "length": length, "sealedLength": len(sealed),
        "sealedSHA256": digest(sealed), "beginning": sealed[:72].hex(),
    })



def digested(key_object):
    return {**key_object, "digest": digest("".join(f"{value}\n" for value in key_object.values()).encode())}


def wrapped(key, salt):
    return {
        "n": 1 << 15, "r": 8, "p": 1, "salt": salt.hex(),
        "byPassphrase": AESGCM(wrapping).encrypt(bytes(12), key, salt).hex(),
        "byRecoveryKey": AESGCM(hkdf(recovery, salt, b"docfs recovery")).encrypt(bytes(12), key, salt).hex(),
        "fingerprint": hkdf(key, None, b"docfs fingerprint", 16).hex(),
    }


salt = bytes(range(100, 132))
wrapping = Scrypt(salt, 32, 1 << 15, 8, 1).derive("Grüße aus Köln".encode())
recovery = bytes(range(64, 96))
check = hkdf(recovery, None, b"docfs recovery check", 3)
letters = base64.b32encode(recovery + check).decode()
key_object = digested({"format": 1, **wrapped(key, salt)})

# The third key of a container, whose entries 42 and 4242 announced the second and the third.
second, third = bytes(range(1, 33)), bytes(range(2, 34))
former = struct.pack(">Q", 0) + key + struct.pack(">Q", 42) + second + struct.pack(">Q", 4242)
sealed = AESSIV(hkdf(third, None, b"docfs former keys", 64)).encrypt(former, None)
changed_key_object = digested({"format": 2, **wrapped(third, salt), "former": sealed.hex()})

# The first line of a signed entry of the log.
device = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
public = device.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw).hex()
header = {
    "commit": "5e884898-da28-4047-9151-d0e56f8dc629",
    "digest": "10d779f4ef5c974e292d8daa9c3728c5efe252d48d519c4e0c5119dab96441c0",
    "format": 3,
    "link": {
        "container": "6f1c52d0-9f0e-4c55-8d0a-3f1f3c0a7b21",
        "previous": "bb12d2a80bbc2844cce01a10c97530fd8c921539593f4183540769db63fd398e",
        "state": "8be5816257c7c7050df09d9fceae9c49749e1d89ed9f664578400aefc8a8168f",
    },
    "position": 2,
    "signature": {"key": public},
}


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


header["signature"]["value"] = device.sign(b"docfs entry\n" + canonical(header).encode()).hex()
print(json.dumps({
    "containerKey": key.hex(), "objects": vectors, "passphrase": "Grüße aus Köln",
    "recoveryKey": "-".join(letters[i : i + 7] for i in range(0, len(letters), 7)), "keyObject": key_object,
    "signedLine": canonical(header),
    "changedKeyObject": changed_key_object, "keys": [
        {"start": 0, "key": key.hex()}, {"start": 42, "key": second.hex()}, {"start": 4242, "key": third.hex()}],
}, indent=1, ensure_ascii=False))
