# SPDX-License-Identifier: Apache-2.0
"""The common spellings of a secret, by the encoders that programs use, and a look for what is left of them.

Also a program: `spell.py SEED DIRECTORY` writes every spelling of every file in DIRECTORY to its two outputs, in pieces of
random size. Tests run it in a box, and without one as a control.
"""
import base64
import json
import os
import random
import sys
import urllib.parse


def forms(value):
    """Name -> bytes. Of base64 only what the value alone decides; a wrapped one is the exception, it is whole."""
    found = {"plain": value, "hex": value.hex().encode(), "HEX": value.hex().upper().encode(),
             "hex with colons": value.hex(":").encode(),
             "%xx": b"".join(b"%%%02x" % b for b in value), "%XX": b"".join(b"%%%02X" % b for b in value),
             "quote": urllib.parse.quote(value).encode(), "quote all": urllib.parse.quote(value, safe="").encode(),
             "quote_plus": urllib.parse.quote_plus(value).encode(), "repr": repr(value)[2:-1].encode()}
    for shift in range(3):
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            first, bits = -(-8 * shift // 6), 8 * (shift + len(value))
            found[f"{name}+{shift}"] = encode(b"?" * shift + value)[first:bits // 6]
    found["base64 in lines"] = base64.encodebytes(value)[:-4]
    try:
        text = value.decode()
        found["json"] = json.dumps(text)[1:-1].encode()
        found["json utf-8"] = json.dumps(text, ensure_ascii=False)[1:-1].encode()
    except UnicodeDecodeError:
        pass
    return found


def pieces_of(form):
    """Parts of a spelling of which none may be seen: also half of a secret is too much."""
    size = max(8, min(24, len(form) // 2))
    for at in range(0, len(form) - size + 1, max(1, (len(form) - size) // 3)):
        yield form[at:at + size]


def survivors(secrets, output):
    """Names of secrets of which something is in OUTPUT, with the spelling."""
    begins = {output[i:i + 8] for i in range(len(output) - 7)}  # the whole is read once, not for each piece
    return {name: form_name for name, value in secrets.items() for form_name, form in forms(value).items()
            if any(piece[:8] in begins and piece in output for piece in pieces_of(form))}


def random_secret(dice, longest=4096):
    n = dice.choice((8, 9, dice.randint(8, 24), dice.randint(8, 64), dice.randint(8, longest)))
    kind = dice.randrange(6)
    if kind == 0:
        return dice.randbytes(n)
    if kind == 1:
        return dice.randbytes(n).hex()[:n].encode()
    if kind == 2:
        return base64.b64encode(dice.randbytes(n))[:n]
    if kind == 3:  # a text of several lines, with what encoders stumble over
        return "".join(dice.choice("abcdefghijklmnopqrstuvwxyz0123456789 \"'\\/+%&=<\n\té€") for _ in range(n)).encode()
    if kind == 4:  # of the same beginning as others
        return b"ghp_" + bytes(dice.choice(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") for _ in range(n))
    return bytes(dice.randint(33, 126) for _ in range(n))


def is_fit(value):
    """Of random bytes some are nearly empty, which no redactor could tell from others."""
    return len(set(value)) > 5 and len(value.strip()) == len(value)


def main(seed, directory):
    dice = random.Random(seed)
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), "rb") as f:
            value = f.read()
        every = list(forms(value).values())
        dice.shuffle(every)
        for stream in (1, 2):
            text = b"<" + b"> <".join(every) + b">\n"
            most = dice.choice((3, 17, 300, 5000) if len(text) < 4000 else (300, 5000, 70000))
            while text:
                n = os.write(stream, text[:dice.randint(1, most)])
                text = text[n:]


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
