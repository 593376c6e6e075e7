# tricky-benign: a cipher for a lesson
def shift(text, k):
    return "".join(chr((ord(c) - 97 + k) % 26 + 97) if c.islower() else c for c in text)

secret = shift("attack at dawn", 3)
print(secret, shift(secret, -3))
