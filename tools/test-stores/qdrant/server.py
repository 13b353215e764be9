"""
The part of Qdrant's REST interface that the store uses, for tests. Points are kept, filtered and searched by Qdrant's own engine in process
(`qdrant-edge-py`); in front of it stands a strict reading of the interface:

- bodies are checked by the models that `qdrant-client` 1.17 generates from the API's schema, which know no other fields and whose types are not
  converted, so that what passes here is what a server from 1.17 on takes. https://api.qdrant.tech/api-reference
- paths, methods and query parameters that the API reference does not name are refused, and so is a body that is not declared as JSON.
- the key is asked for in the header `api-key`, or as a bearer token. https://qdrant.tech/documentation/guides/security/
- strict mode is on in every collection: a filter on a field without a payload index is refused, and so are longer lists, larger batches
  and larger pages than the limits. https://qdrant.tech/documentation/guides/administration/ ("Strict mode")

What it is not: a cluster, an optimiser that builds graphs by itself, snapshots. Run: server.py --port N --data FOLDER
"""

import argparse
import json
import shutil
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit
from uuid import UUID, uuid4

import qdrant_edge as edge
from pydantic import BaseModel, ValidationError
from qdrant_client.http import models

VERSION = "1.17.0"
API_KEY = "ragstone-test-key"
MAX_BODY = 32 * 1024 * 1024
STRICT = {
    "enabled": True,
    "unindexed_filtering_retrieve": False,
    "unindexed_filtering_update": False,
    "max_query_limit": 20_000,
    "upsert_max_batchsize": 300,
    "condition_max_size": 1_000,
}


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Collection:
    """A shard of the engine, and what the REST interface knows of a collection."""

    def __init__(self, name, folder, body):
        vectors = body.vectors
        if not isinstance(vectors, models.VectorParams):
            raise Refused(400, "this test server has collections of one unnamed vector")
        self.name, self.folder = name, folder
        self.size, self.distance = vectors.size, vectors.distance.value
        self.hnsw = body.hnsw_config
        self.metadata = body.metadata
        self.indexes = {}
        self.lock = threading.RLock()
        folder.mkdir(parents=True)
        params = edge.EdgeVectorParams(size=vectors.size, distance=getattr(edge.Distance, self.distance))
        self.shard = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors=params, wal_enabled=False))

    def close(self):
        with self.lock:
            self.shard.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def info(self):
        shard = self.shard.info()
        hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000}
        given = self.hnsw.model_dump(exclude_none=True) if self.hnsw else {}
        return {
            "status": "green",
            "optimizer_status": "ok",
            "indexed_vectors_count": shard.indexed_vectors_count,
            "points_count": shard.points_count,
            "segments_count": shard.segments_count,
            "config": {
                "params": {
                    "vectors": {"size": self.size, "distance": self.distance},
                    "shard_number": 1,
                    "replication_factor": 1,
                    "write_consistency_factor": 1,
                    "on_disk_payload": True,
                },
                "hnsw_config": {**hnsw, **given},
                "optimizer_config": {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1_000},
                "strict_mode_config": STRICT,
                **({"metadata": self.metadata} if self.metadata else {}),
            },
            "payload_schema": {
                field: {"data_type": schema["type"], "params": schema, "points": 0}
                for field, schema in self.indexes.items()
            },
        }

    def create_index(self, field, schema):
        if isinstance(schema, BaseModel):
            params = schema.model_dump(mode="json", exclude_none=True)
        else:
            params = {"type": schema.value}
        kind = params["type"]
        if kind == "keyword":
            # `is_tenant` and `enable_hnsw` say how graphs are built, and never what is found.
            index = edge.KeywordIndexParams(is_tenant=params.get("is_tenant"))
        else:
            index = getattr(edge.PayloadSchemaType, kind.capitalize())
        self.shard.update(edge.UpdateOperation.create_field_index(field, index))
        self.indexes[field] = params

    def upsert(self, points):
        if len(points) > STRICT["upsert_max_batchsize"]:
            raise limit_exceeded(len(points), "upsert_max_batchsize")
        made = []
        for point in points:
            if not isinstance(point.vector, list) or len(point.vector) != self.size:
                raise Refused(400, f"Wrong input: Vector dimension error: expected dim: {self.size}")
            made.append(edge.Point(point_id(point.id), point.vector, point.payload or {}))
        self.shard.update(edge.UpdateOperation.upsert_points(made))

    def filter(self, given):
        return None if given is None else self.filter_of(given, "")

    def filter_of(self, given, path):
        if given.min_should is not None:
            raise Refused(400, "min_should is not part of this test server")
        if any(getattr(given, name) == [] for name in ("must", "should", "must_not")):
            # Qdrant takes an empty list for no condition; whoever sends one has lost what it had to say.
            raise Refused(400, "this test server takes no empty list of conditions")
        parts = {
            name: [self.condition(part, path) for part in as_list(getattr(given, name))]
            for name in ("must", "should", "must_not")
            if getattr(given, name) is not None
        }
        return edge.Filter(**parts)

    def condition(self, part, path):
        if isinstance(part, models.Filter):
            return self.filter_of(part, path)
        if isinstance(part, models.HasIdCondition):
            return edge.HasIdCondition({point_id(one) for one in part.has_id})
        if isinstance(part, models.NestedCondition):
            key = part.nested.key
            return edge.NestedCondition(key, self.filter_of(part.nested.filter, f"{path}{key}[]."))
        if isinstance(part, models.FieldCondition):
            return self.field_condition(part, path)
        raise Refused(400, f"{type(part).__name__} is not part of this test server")

    def field_condition(self, part, path):
        asked = [name for name in type(part).model_fields if name != "key" and getattr(part, name) is not None]
        if asked == ["match"]:
            wanted = part.match
            if isinstance(wanted, models.MatchValue):
                self.assert_indexed(path + part.key, "keyword")
                return edge.FieldCondition(part.key, match=edge.MatchValue(wanted.value))
            if isinstance(wanted, models.MatchAny):
                self.assert_indexed(path + part.key, "keyword")
                if len(wanted.any) > STRICT["condition_max_size"]:
                    raise limit_exceeded(len(wanted.any), "condition_max_size")
                return edge.FieldCondition(part.key, match=edge.MatchAny(wanted.any))
        if asked == ["range"] and isinstance(part.range, models.Range):
            self.assert_indexed(path + part.key, "integer", "float")
            bounds = part.range.model_dump(exclude_none=True)
            return edge.FieldCondition(part.key, range=edge.RangeFloat(**bounds))
        raise Refused(400, f"condition {asked} is not part of this test server")

    def assert_indexed(self, path, *kinds):
        if self.indexes.get(path, {}).get("type") not in kinds:
            raise Refused(
                400,
                f'Bad request: Index required but not found for "{path}" of one of the following types: {list(kinds)}. '
                "Help: Create an index for this key or use a different filter.",
            )

    def count(self, body):
        exact = True if body.exact is None else body.exact
        return {"count": self.shard.count(edge.CountRequest(exact=exact, filter=self.filter(body.filter)))}

    def scroll(self, body):
        limit = page_size(body.limit)
        if body.order_by is not None:
            raise Refused(400, "order_by is not part of this test server")
        found, following = self.shard.scroll(
            edge.ScrollRequest(
                offset=None if body.offset is None else point_id(body.offset),
                limit=limit,
                filter=self.filter(body.filter),
                with_payload=selector(body.with_payload, True),
                with_vector=bool(body.with_vector),
            )
        )
        return {"points": [shown(one) for one in found], "next_page_offset": None if following is None else str(following)}

    def retrieve(self, body):
        ids = [point_id(one) for one in body.ids]
        found = self.shard.retrieve(ids, selector(body.with_payload, True), bool(body.with_vector))
        return [shown(one) for one in found]

    def query(self, body):
        limit = page_size(body.limit)
        query = body.query
        if not isinstance(query, list) or len(query) != self.size:
            raise Refused(400, f"Wrong input: Vector dimension error: expected dim: {self.size}")
        given = body.params
        params = edge.SearchParams(hnsw_ef=given.hnsw_ef, exact=bool(given.exact)) if given else None
        found = self.shard.query(
            edge.QueryRequest(
                limit=limit,
                query=edge.Query.Nearest(query),
                filter=self.filter(body.filter),
                params=params,
                with_payload=selector(body.with_payload, False),
                with_vector=bool(body.with_vector),
            )
        )
        return {"points": [{**shown(one), "version": one.version, "score": one.score} for one in found]}

    def delete(self, body):
        if isinstance(body, models.FilterSelector):
            self.shard.update(edge.UpdateOperation.delete_points_by_filter(self.filter(body.filter)))
        else:
            self.shard.update(edge.UpdateOperation.delete_points([point_id(one) for one in body.points]))


def limit_exceeded(given, name):
    return Refused(
        400, f'Bad request: Limit exceeded {given} > {STRICT[name]} for "{name}". Help: Reduce it.'
    )


def page_size(limit):
    size = 10 if limit is None else limit
    if size < 1:
        raise Refused(422, "limit: must be at least 1")
    if size > STRICT["max_query_limit"]:
        raise limit_exceeded(size, "max_query_limit")
    return size


def as_list(value):
    return value if isinstance(value, list) else [value]


def point_id(given):
    if isinstance(given, int):
        return given
    try:
        return UUID(str(given))
    except ValueError:
        raise Refused(400, f"value {given} is not a valid point ID, valid values are either an unsigned integer or a UUID")


def selector(given, default):
    if given is None:
        return default
    if isinstance(given, (bool, list)):
        return given
    raise Refused(400, "payload selectors are not part of this test server")


def shown(point):
    made = {"id": str(point.id), "payload": point.payload}
    return {**made, "vector": point.vector} if point.vector is not None else made


class Deleted(BaseModel, extra="forbid"):
    """Either form of a selector of points."""

    points: list | None = None
    filter: models.Filter | None = None


WAIT = {"wait": ("true", "false"), "ordering": ("weak", "medium", "strong"), "timeout": None}
READ = {"consistency": ("majority", "quorum", "all"), "timeout": None}
# Method, rest of the path below a collection, query parameters, model of the body.
ROUTES = {
    ("GET", ""): ({}, None),
    ("PUT", ""): ({"timeout": None}, models.CreateCollection),
    ("PATCH", ""): ({"timeout": None}, models.UpdateCollection),
    ("DELETE", ""): ({"timeout": None}, None),
    ("PUT", "/index"): (WAIT, models.CreateFieldIndex),
    ("PUT", "/points"): (WAIT, models.PointsList),
    ("POST", "/points"): (READ, models.PointRequest),
    ("POST", "/points/delete"): (WAIT, Deleted),
    ("POST", "/points/count"): (READ, models.CountRequest),
    ("POST", "/points/scroll"): (READ, models.ScrollRequest),
    ("POST", "/points/query"): (READ, models.QueryRequest),
}


class Server:
    def __init__(self, data):
        self.data = Path(data)
        self.collections = {}
        self.lock = threading.RLock()

    def answer(self, method, path, query, body):
        if path == "/" and method == "GET":
            return {"title": "qdrant - vector search engine", "version": VERSION}
        if path == "/collections" and method == "GET":
            return {"result": {"collections": [{"name": name} for name in self.collections]}, "status": "ok", "time": 0.001}
        parts = path.split("/")
        if parts[1] != "collections" or len(parts) < 3 or parts[2] == "":
            raise Refused(404, "no such path")
        name, rest = unquote(parts[2]), "".join(f"/{part}" for part in parts[3:])
        route = ROUTES.get((method, rest))
        if route is None:
            raise Refused(405 if any(known == rest for _, known in ROUTES) else 404, "no such path")
        parameters, model = route
        for key, value in query:
            if key not in parameters or (parameters[key] is not None and value not in parameters[key]):
                raise Refused(400, f"query parameter {key}={value} is not known here")
        if "wait" in parameters and ("wait", "true") not in query:
            raise Refused(400, "this test server answers when the work is done; ask with wait=true")
        return {"result": self.act(method, rest, name, read(model, body)), "status": "ok", "time": 0.001}

    def act(self, method, rest, name, body):
        if rest == "" and method in ("PUT", "DELETE"):
            return self.make(name, body) if method == "PUT" else self.drop(name)
        with self.lock:
            collection = self.collections.get(name)
        if collection is None:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        with collection.lock:
            return self.act_on(collection, method, rest, body)

    def act_on(self, collection, method, rest, body):
        completed = {"operation_id": 1, "status": "completed"}
        match (method, rest):
            case ("GET", ""):
                return collection.info()
            case ("PATCH", ""):
                collection.metadata = {**(collection.metadata or {}), **(body.metadata or {})}
                return True
            case ("PUT", "/index"):
                collection.create_index(body.field_name, body.field_schema)
                return completed
            case ("PUT", "/points"):
                collection.upsert(body.points)
                return completed
            case ("POST", "/points/delete"):
                if (body.points is None) == (body.filter is None):
                    raise Refused(400, "either points or filter selects what is deleted")
                collection.delete(models.FilterSelector(filter=body.filter) if body.filter else body)
                return completed
            case ("POST", "/points"):
                return collection.retrieve(body)
            case ("POST", "/points/count"):
                return collection.count(body)
            case ("POST", "/points/scroll"):
                return collection.scroll(body)
            case ("POST", "/points/query"):
                return collection.query(body)
        raise Refused(404, "no such path")

    def make(self, name, body):
        if not 1 <= len(name) <= 255 or any(letter in '<>:"/\\|?*\0\x1f' for letter in name):
            raise Refused(422, "collection name cannot contain such characters")
        with self.lock:
            if name in self.collections:
                raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
            self.collections[name] = Collection(name, self.data / uuid4().hex, body)
        return True

    def drop(self, name):
        with self.lock:
            collection = self.collections.pop(name, None)
        if collection is None:
            return False
        collection.close()
        return True


def read(model, body):
    if model is None:
        if body not in (b"", b"{}"):
            raise Refused(400, "no body is expected here")
        return None
    try:
        return model.model_validate_json(body, strict=True)
    except ValidationError as error:
        places = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
        raise Refused(400, f"Format error in JSON body: {places}")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state = None

    def serve(self):
        length = int(self.headers.get("content-length") or 0)
        if length > MAX_BODY:
            self.close_connection = True
            self.send(413, {"status": {"error": f"Payload too large: {length}"}, "time": 0.0})
            return
        body = self.rfile.read(length)
        try:
            url = urlsplit(self.path)
            self.assert_allowed(url.path, body)
            self.send(200, self.server_state.answer(self.command, url.path, parse_qsl(url.query), body))
        except Refused as error:
            self.send(error.status, {"status": {"error": str(error)}, "time": 0.0})
        except Exception as error:  # An engine's failure is an answer, as of the real server.
            self.send(500, {"status": {"error": f"Service internal error: {error}"}, "time": 0.0})

    def assert_allowed(self, path, body):
        given = self.headers.get("api-key") or (self.headers.get("authorization") or "").removeprefix("Bearer ")
        # `/` tells the version to everybody, as `/healthz` does.
        if path != "/" and given != API_KEY:
            raise Refused(401, "Invalid API key or JWT" if given else "Must provide an API key or an Authorization bearer token")
        kind = (self.headers.get("content-type") or "").split(";")[0].strip()
        if body not in (b"", b"{}") and kind != "application/json":
            raise Refused(400, "Content type error")

    def send(self, status, answer):
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format, *arguments):
        pass

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = serve


class TestServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that is gone is no news."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data", required=True)
    options = parser.parse_args()
    Path(options.data).mkdir(parents=True, exist_ok=True)
    Handler.server_state = Server(options.data)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A shell starts what it leaves in the background with this signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        TestServer(("127.0.0.1", options.port), Handler).serve_forever()
    except KeyboardInterrupt:
        shutil.rmtree(options.data, ignore_errors=True)
