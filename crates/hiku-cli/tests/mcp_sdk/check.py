"""Drives `hiku mcp` with the official Python SDK, in each way that the SDK can open a connection.

Run by hand, since it needs the SDK (`pip install mcp`, version 2):

    python crates/hiku-cli/tests/mcp_sdk/check.py target/release/hiku

The SDK checks every structured answer against the tool's output schema, and so do these checks
against what a small vault must answer. README.md beside this file has the last result.
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

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


async def run(binary: str, folder: Path, mode: str) -> None:
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"]}
    arguments = ["mcp", "--vault", str(folder / "vault")]
    server = StdioServerParameters(command=binary, args=arguments, env=environment)
    started = time.perf_counter()
    async with Client(stdio_client(server), mode=mode) as client:
        opened = time.perf_counter()
        await converse(client)
        done = time.perf_counter()
        version = client.protocol_version
    ended = time.perf_counter()
    parts = (opened - started, done - opened, ended - done)
    opening, work, end = (f"{seconds * 1e3:.0f} ms" for seconds in parts)
    print(f"{mode}: revision {version}, opened in {opening}, conversation {work}, end {end}")
    check("the end comes soon", ended - done < 2)


def main() -> None:
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in NOTES.items():
            note = folder / "vault" / path
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(text, encoding="utf-8")
        for mode in ("legacy", "auto", "2026-07-28"):
            asyncio.run(run(binary, folder, mode))
    print("all checks passed")


if __name__ == "__main__":
    main()
