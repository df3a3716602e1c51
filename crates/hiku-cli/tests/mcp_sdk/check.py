"""Drives `hiku mcp` with the official Python SDK, over stdin and stdout and over HTTP, in each way that
the SDK can open a connection.

Run by hand, since it needs the SDK (`pip install mcp`, version 2):

    python crates/hiku-cli/tests/mcp_sdk/check.py target/release/hiku

The SDK checks every structured answer against the tool's output schema, and so do these checks
against what a small vault must answer. README.md beside this file has the last result.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

# How the SDK opens a connection: with a handshake, by asking first, or by stating a revision.
MODES = ("legacy", "auto", "2026-07-28")
NOTES = {
    "log/2026-04-10.md": "# Friday\n\n## Secrets\nInstalled gitleaks as a pre-commit hook.\n",
    "recipes/soup.md": "# Onion soup\n\nCut the onions, and cook them slowly. See [[2026-04-10]].\n",
    "設計.md": "# 権限の設計\n\nエージェントの許可は射程を狭くしておく。\n",
}


def check(name: str, holds: bool) -> None:
    if not holds:
        raise SystemExit(f"failed: {name}")


async def converse(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    check("four tools", set(tools) == {"search", "read", "related", "status"})
    check("all only read", all(tool.annotations.read_only_hint for tool in tools.values()))
    found = await client.call_tool("search", {"query": "gitleaks入れたときどうやった", "limit": 2})
    check("search answers", not found.is_error)
    hit = found.structured_content["hits"][0]
    check("the right note", hit["path"] == "log/2026-04-10.md")
    check("the same as text", "log/2026-04-10.md:1-4" in found.content[0].text)
    lines = {"line_start": hit["line_start"], "line_end": hit["line_end"]}
    note = await client.call_tool("read", {"note": hit["path"], **lines})
    check("a hit can be read", "pre-commit" in note.structured_content["text"])
    around = await client.call_tool("related", {"note": hit["path"]})
    backlinks = [link["path"] for link in around.structured_content["backlinks"]]
    check("backlinks", backlinks == ["recipes/soup.md"])
    status = await client.call_tool("status", {})
    check("status", status.structured_content["notes"] == len(NOTES))
    wrong = await client.call_tool("search", {"query": "a", "tag": ["x"]})
    check("a wrong name is refused", wrong.is_error and '"tags"' in wrong.content[0].text)
    resources = (await client.list_resources()).resources
    check("resources", len(resources) == len(NOTES))
    for resource in resources:
        content = await client.read_resource(resource.uri)
        check("a resource can be read", content.contents[0].text.startswith("# "))
    templates = (await client.list_resource_templates()).resource_templates
    check("templates", templates[0].uri_template == "hiku://note/{+path}")


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "PATH": os.environ["PATH"]}


def over_stdio(binary: str, folder: Path):
    arguments = ["mcp", "--vault", str(folder / "vault")]
    return stdio_client(StdioServerParameters(command=binary, args=arguments, env=environment(folder)))


class HttpServer:
    """`hiku mcp --http` at a free port, with a token."""

    token = "0123456789abcdef-check"

    def __init__(self, binary: str, folder: Path) -> None:
        command = [binary, "mcp", "--vault", str(folder / "vault"), "--http", "127.0.0.1:0"]
        variables = {**environment(folder), "HIKU_MCP_TOKEN": self.token}
        self.process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def transport(self):
        headers = {"Authorization": f"Bearer {self.token}"}
        client = httpx2.AsyncClient(headers=headers)
        return streamable_http_client(self.url, http_client=client)

    def end(self) -> None:
        self.process.terminate()
        check("a signal ends it", self.process.wait(timeout=2) == 0)


async def run(transport, name: str, mode: str) -> None:
    started = time.perf_counter()
    async with Client(transport, mode=mode) as client:
        opened = time.perf_counter()
        await converse(client)
        done = time.perf_counter()
        version = client.protocol_version
    ended = time.perf_counter()
    parts = (opened - started, done - opened, ended - done)
    opening, work, end = (f"{seconds * 1e3:.0f} ms" for seconds in parts)
    print(f"{name}, {mode}: revision {version}, opened in {opening}, conversation {work}, end {end}")
    check("the end comes soon", ended - done < 2)


async def together(server: HttpServer) -> None:
    """Two clients at once, each in its own way."""
    conversations = (run(server.transport(), "http, both", mode) for mode in ("legacy", "auto"))
    await asyncio.gather(*conversations)


def main() -> None:
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in NOTES.items():
            note = folder / "vault" / path
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(text, encoding="utf-8")
        for mode in MODES:
            asyncio.run(run(over_stdio(binary, folder), "stdio", mode))
        server = HttpServer(binary, folder)
        for mode in MODES:
            asyncio.run(run(server.transport(), "http", mode))
        asyncio.run(together(server))
        server.end()
    print("all checks passed")


if __name__ == "__main__":
    main()
