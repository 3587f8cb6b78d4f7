"""A server of git repositories over HTTP on loopback: git http-backend behind Python's server.

    git_http.py FOLDER [CERTIFICATE KEY]

Prints the port. /private/... needs the user `reader` with the password `open sesame`; /moved/... redirects to /...; /page/...
is a web page; /away/... needs the user too, and then redirects to /... of another port, which refuses requests with
credentials; /file/... redirects to a file, and /plain/... to a server that does not encrypt. Each request is a line on standard
output.
"""

import base64
import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import urllib.parse

ACCOUNT = "Basic " + base64.b64encode(b"reader:open sesame").decode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        path = url.path
        if path.startswith("/moved/"):
            return self.answer(302, [("Location", self.path.removeprefix("/moved"))])
        if path.startswith("/file/"):
            return self.answer(302, [("Location", f"file://{sys.argv[1]}" + self.path.removeprefix("/file"))])
        if path.startswith("/plain/"):
            return self.answer(302, [("Location", "http://localhost:1" + self.path.removeprefix("/plain"))])
        if self.server is away and "Authorization" in self.headers:
            return self.answer(400, [])
        if path.startswith("/page/"):
            return self.answer(200, [("Content-Type", "text/html")], b"<html>no repository</html>")
        if path.startswith(("/private/", "/away/")):
            if self.headers.get("Authorization") != ACCOUNT:
                return self.answer(401, [("WWW-Authenticate", 'Basic realm="private"')])
            if path.startswith("/away/"):
                scheme = "https" if len(sys.argv) > 2 else "http"
                base = f"{scheme}://localhost:{away.server_address[1]}"
                return self.answer(302, [("Location", base + self.path.removeprefix("/away"))])
            path = path.removeprefix("/private")
        environment = {
            **os.environ,
            "GIT_PROJECT_ROOT": sys.argv[1],
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "PATH_INFO": path,
            "QUERY_STRING": url.query,
            "REQUEST_METHOD": self.command,
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.decode().split(": ", 1)) for line in head.split(b"\r\n") if b": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        self.answer(status, [header for header in headers if header[0] not in ("Status", "Content-Length")], content)

    do_GET = do_POST = handle_request

    def log_message(self, form, *values):
        print(form % values, flush=True)


def listening():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
        server.socket = context.wrap_socket(server.socket, server_side=True)
    return server


away = listening()
threading.Thread(target=away.serve_forever, daemon=True).start()
main = listening()
print(main.server_address[1], flush=True)
main.serve_forever()
