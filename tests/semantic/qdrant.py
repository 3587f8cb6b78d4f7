"""The engine of Qdrant in this process (the local mode of qdrant-client), behind those paths of its REST API that are used.

Usage: python3 qdrant.py KEY; the port is the first line of the output. A call without the key is refused.
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from qdrant_client import QdrantClient, models

CLIENT = QdrantClient(":memory:")


def create(name, body):
    if CLIENT.collection_exists(name):
        return 409, "it exists"
    CLIENT.create_collection(name, vectors_config=models.VectorParams(**body["vectors"]))
    return 200, True


def upsert(name, body):
    CLIENT.upsert(name, [models.PointStruct(payload=None, **point) for point in body["points"]])
    return 200, {"status": "completed"}


def retrieve(name, body):
    points = CLIENT.retrieve(name, body["ids"], with_vectors=body["with_vector"], with_payload=body["with_payload"])
    return 200, [{"id": point.id, "vector": point.vector} for point in points]


def count(name, _body):
    return 200, {"count": CLIENT.count(name).count}


ROUTES = {
    ("PUT", ""): create,
    ("PUT", "points"): upsert,
    ("POST", "points"): retrieve,
    ("POST", "points/count"): count,
}


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.split("?")[0].split("/")
        name, route = path[2], ROUTES.get((self.command, "/".join(path[3:])))
        if self.headers.get("authorization") != f"Bearer {sys.argv[1]}":
            status, result = 401, "no such key"
        elif route is not create and not CLIENT.collection_exists(name):
            status, result = 404, f"collection {name} does not exist"
        else:
            status, result = route(name, body)
        answer = {"result": result, "status": "ok"} if status == 200 else {"status": {"error": result}}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_PUT = do_POST = answer

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
