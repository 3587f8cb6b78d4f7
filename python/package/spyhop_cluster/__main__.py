"""The command ``spyhop-cluster``."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from typing import Any, Optional, Sequence

import ray

import spyhop

from . import server
from .cluster import Cluster
from .shards import SHARD_MEGABYTES


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spyhop-cluster", description="Spyhop over the machines of a Ray cluster")
    parser.add_argument("--address", default="auto", help="the address of the Ray cluster (default: the one of this machine)")
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start searchers, fetch and index the repositories")
    up.add_argument("repositories", help="repos.toml")
    up.add_argument("--data", required=True, help="the folder of work trees and indexes on each machine")
    up.add_argument("--copies", type=int, default=2)
    up.add_argument("--shard-megabytes", type=int, default=SHARD_MEGABYTES)
    commands.add_parser("status", help="shards, copies, commits")
    search = commands.add_parser("search", help="a ranked search; prints the JSON of 'spyhop search --json'")
    search.add_argument("query")
    search.add_argument("--max-results", type=int, default=10)
    search.add_argument("--path", action="append", default=[], help="a folder or file; may be repeated")
    search.add_argument("--lang", action="append", default=[])
    search.add_argument("--kind", action="append", default=[])
    search.add_argument("--cursor")
    grep = commands.add_parser("grep", help="an exact search; prints the JSON of 'spyhop grep --json'")
    grep.add_argument("pattern")
    grep.add_argument("--fixed", action="store_true")
    grep.add_argument("--max-results", type=int, default=50)
    grep.add_argument("--path", action="append", default=[])
    grep.add_argument("--cursor")
    ask = commands.add_parser("ask", help="ask each copy of a shard an operation about its index")
    ask.add_argument("shard")
    ask.add_argument("operation", help="such as doctor, views, explain_skips, add_note")
    ask.add_argument("request", nargs="?", default="{}", help="its fields as JSON")
    sync = commands.add_parser("sync", help="fetch and index a repository, or all")
    sync.add_argument("repository", nargs="?")
    watch = commands.add_parser("watch", help="sync all repositories again and again, until the process is ended")
    watch.add_argument("--every", type=float, default=60.0, help="the seconds between two times (default: 60)")
    serve = commands.add_parser("serve", help="answer over HTTP and to agents, until the process is ended")
    serve.add_argument("tokens", help="tokens.toml")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=server.PORT)
    commands.add_parser("down", help="end the searchers; their folders stay")
    return parser


def _request(arguments: argparse.Namespace) -> dict[str, Any]:
    paths = arguments.path
    filters: dict[str, Any] = {"path": paths[0] if paths else None, "or_paths": paths[1:]}
    request = {"max_results": arguments.max_results, "cursor": arguments.cursor, "filter": filters}
    if arguments.command == "grep":
        return {"pattern": arguments.pattern, "fixed": arguments.fixed, **request}
    filters.update(lang=arguments.lang, kind=arguments.kind)
    return {"query": arguments.query, **request}


def main(given: Optional[Sequence[str]] = None) -> int:
    """Runs the command. Returns 0; 1 if nothing was found; 3 if the answer is not complete."""
    arguments = _parser().parse_args(given)
    ray.init(address=arguments.address, namespace="spyhop-cluster", log_to_driver=False, logging_level=logging.ERROR)
    cluster = Cluster()
    if arguments.command in ("search", "grep"):
        question = cluster.front().question(arguments.command, _request(arguments))
        reply = question.document()
        print(json.dumps(reply, ensure_ascii=False))
        is_whole = reply["complete"] or not any("not searched:" in text for text in _told(reply))
        return 3 if not is_whole else 0 if reply["results"] else 1
    if arguments.command == "up":
        shards = cluster.up(
            arguments.repositories, arguments.data, copies=arguments.copies, megabytes=arguments.shard_megabytes
        )
        print(f"{len(shards)} shards on {len(cluster.machines())} machines")
    elif arguments.command == "watch":
        cluster.watch(arguments.every, lambda one: print(json.dumps(one), flush=True))
    elif arguments.command == "serve":
        gateway = server.Gateway(cluster, server.read_tokens(arguments.tokens), server.read_webhook(arguments.tokens))
        with server.Server(gateway, host=arguments.host, port=arguments.port) as listening:
            print(f"http://{arguments.host}:{arguments.port}/mcp for agents, and /api/v1/ for programs", flush=True)
            listening.serve_forever()
    elif arguments.command == "down":
        cluster.down()
    else:
        said = {
            "status": cluster.status,
            "sync": lambda: cluster.sync(arguments.repository),
            "ask": lambda: cluster.ask(arguments.shard, arguments.operation, json.loads(arguments.request)),
        }[arguments.command]()
        print(json.dumps(said, indent=2))
        failed = (("error" in one) or (arguments.command == "sync" and one["sync"]["failed"]) for one in said)
        return 1 if any(failed) else 0
    return 0


def run() -> None:
    """The script of the package: says what is wrong without a trace."""
    try:
        sys.exit(main())
    except (spyhop.SpyhopError, RuntimeError, ValueError, OSError) as error:
        sys.exit(f"spyhop-cluster: {error}")


def _told(reply: dict[str, Any]) -> list[str]:
    return [*reply["warnings"], reply.get("incomplete") or ""]


if __name__ == "__main__":
    run()
