# tricky-benign: passes requests on to a development server
import http.server
import urllib.request

class Proxy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with urllib.request.urlopen("http://127.0.0.1:3000" + self.path) as r:
            self.send_response(r.status)
            self.end_headers()
            self.wfile.write(r.read())

http.server.HTTPServer(("127.0.0.1", 8080), Proxy).serve_forever()
