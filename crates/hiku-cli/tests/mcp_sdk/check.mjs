// Drives `hiku mcp` with the official TypeScript SDK, over stdin and stdout and over HTTP, in each way
// that the SDK can open a connection.
//
// Run by hand, since it needs Node.js and the SDK, from a folder outside the project:
//
//     npm install @modelcontextprotocol/client
//     node /path/to/crates/hiku-cli/tests/mcp_sdk/check.mjs /path/to/target/release/hiku
//
// The SDK checks every structured answer against the tool's output schema, and so do these checks
// against what a small vault must answer. README.md beside this file has the last result.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// The SDK is looked for in the current folder, not beside this file.
const require = createRequire(join(process.cwd(), "check.mjs"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

// How the SDK opens a connection: with a handshake, by asking first, or by stating a revision.
const MODES = ["legacy", "auto", { pin: "2026-07-28" }];
const TOKEN = "0123456789abcdef-check";
const NOTES = {
  "log/2026-04-10.md": "# Friday\n\n## Secrets\nInstalled gitleaks as a pre-commit hook.\n",
  "recipes/soup.md": "# Onion soup\n\nCut the onions, and cook them slowly. See [[2026-04-10]].\n",
  "設計.md": "# 権限の設計\n\nエージェントの許可は射程を狭くしておく。\n",
};

function check(name, holds) {
  if (!holds) throw new Error(`failed: ${name}`);
}

async function converse(client) {
  const { tools } = await client.listTools();
  check("four tools", tools.map((tool) => tool.name).join() === "search,read,related,status");
  check("all only read", tools.every((tool) => tool.annotations.readOnlyHint));
  const call = (name, given) => client.callTool({ name, arguments: given });
  const found = await call("search", { query: "gitleaks入れたときどうやった", limit: 2 });
  const hit = found.structuredContent.hits[0];
  check("the right note", !found.isError && hit.path === "log/2026-04-10.md");
  check("the same as text", found.content[0].text.includes("log/2026-04-10.md:1-4"));
  const { line_start, line_end } = hit;
  const note = await call("read", { note: hit.path, line_start, line_end });
  check("a hit can be read", note.structuredContent.text.includes("pre-commit"));
  const around = await call("related", { note: hit.path });
  const backlinks = around.structuredContent.backlinks.map((link) => link.path);
  check("backlinks", backlinks.join() === "recipes/soup.md");
  const status = await call("status", {});
  check("status", status.structuredContent.notes === Object.keys(NOTES).length);
  const wrong = await call("search", { query: "a", tag: ["x"] });
  check("a wrong name is refused", wrong.isError && wrong.content[0].text.includes('"tags"'));
  const { resources } = await client.listResources();
  check("resources", resources.length === Object.keys(NOTES).length);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    check("a resource can be read", contents[0].text.startsWith("# "));
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  check("templates", resourceTemplates[0].uriTemplate === "hiku://note/{+path}");
}

async function run(transport, name, mode) {
  const shown = mode.pin ?? mode;
  const client = new Client({ name: "check", version: "1" }, { versionNegotiation: { mode } });
  const started = performance.now();
  await client.connect(transport);
  const opened = performance.now();
  await converse(client);
  const done = performance.now();
  const revision = client.getNegotiatedProtocolVersion();
  await client.close();
  const ended = performance.now();
  const parts = [opened - started, done - opened, ended - done].map((time) => `${time.toFixed(0)} ms`);
  const [opening, work, end] = parts;
  console.log(`${name}, ${shown}: revision ${revision}, opened in ${opening}, conversation ${work}, end ${end}`);
  check("the end comes soon", ended - done < 2_000);
}

// A server at a free port, and its end by a signal.
async function serve(binary, args, env) {
  const stdio = ["ignore", "pipe", "inherit"];
  const child = spawn(binary, [...args, "--http", "127.0.0.1:0"], { env, stdio });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise((resolve) => lines.once("line", resolve));
  const end = async () => {
    child.kill("SIGTERM");
    check("a signal ends it", (await ended) === 0);
  };
  return { url: new URL(url), end };
}

async function main(binary, folder) {
  for (const [path, text] of Object.entries(NOTES)) {
    const note = join(folder, "vault", path);
    mkdirSync(dirname(note), { recursive: true });
    writeFileSync(note, text);
  }
  const env = { HOME: folder, PATH: process.env.PATH };
  const args = ["mcp", "--vault", join(folder, "vault")];
  for (const mode of MODES) {
    await run(new StdioClientTransport({ command: binary, args, env }), "stdio", mode);
  }
  const server = await serve(binary, args, { ...env, HIKU_MCP_TOKEN: TOKEN });
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const transport = () => new StreamableHTTPClientTransport(server.url, { requestInit: { headers } });
  for (const mode of MODES) await run(transport(), "http", mode);
  await Promise.all(MODES.map((mode) => run(transport(), "http, all at once", mode)));
  const stranger = run(new StreamableHTTPClientTransport(server.url), "http, no token", "legacy");
  check("a stranger is refused", await stranger.then(() => false, () => true));
  await server.end();
  console.log("all checks passed");
}

const folder = mkdtempSync(join(tmpdir(), "hiku-check-"));
try {
  await main(resolve(process.argv[2]), folder);
} finally {
  rmSync(folder, { recursive: true });
}
