# tricky: a compressed program
import zlib, base64
exec(zlib.decompress(base64.b64decode("eJzLzC3ILypRyC+24uJSVsjNL8rVKy4sSi0o0FAvys1VKEpVKLZSsLKOVkjNKVZI00uMjVWo5qrlAgCFdxGb")))
