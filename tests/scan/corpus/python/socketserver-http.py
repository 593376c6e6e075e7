# benign: serves a directory
import functools
import http.server

handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="public")
http.server.ThreadingHTTPServer(("127.0.0.1", 8000), handler).serve_forever()
