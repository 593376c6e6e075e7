# tricky-benign: base64 of a picture
import base64

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
with open("pixel.png", "wb") as f:
    f.write(base64.b64decode(PIXEL))
