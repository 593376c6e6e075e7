// SPDX-License-Identifier: Apache-2.0
// A server in the background that other commands reach; commands that are fed, left, found again and killed.
import assert from "node:assert/strict";
import { CommandExitError, Sandbox } from "e2b";
import { refused, until } from "./waiting.ts";

const sandbox = await Sandbox.create();
const { commands, files } = sandbox;

const asks = await commands.run("while read -r name; do echo hello $name; done; echo the end", { background: true, stdin: true });
await commands.sendStdin(asks.pid, "Ada\nGrace\n");
await commands.closeStdin(asks.pid);
assert.equal((await asks.wait()).stdout, "hello Ada\nhello Grace\nthe end\n");

const left = await commands.run("until [ -e /tmp/go ]; do sleep 0.05; done; echo finished", { background: true, timeoutMs: 0 });
assert.ok((await commands.list()).some((process) => process.pid === left.pid));
await left.disconnect();
const heard: string[] = [];
const again = await commands.connect(left.pid, { onStdout: (text) => void heard.push(text) });
await files.write("/tmp/go", "");
assert.equal((await again.wait()).exitCode, 0);
assert.equal(heard.join(""), "finished\n");

await files.write("site/index.html", "<h1>from the sandbox</h1>");
const server = await commands.run("python3 -m http.server 8018 --bind 127.0.0.1 --directory site", { background: true, timeoutMs: 0 });
assert.ok(sandbox.getHost(8018).startsWith(`8018-${sandbox.sandboxId}.`));
const ask = () => commands.run(`python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8018').read().decode())" 2>/dev/null || echo nobody`);
const page = await until(async () => {
  const { stdout } = await ask();
  return stdout !== "nobody\n" && stdout;
});
assert.equal(page, "<h1>from the sandbox</h1>\n");
assert.equal(await server.kill(), true);
await refused(CommandExitError, () => server.wait());
assert.equal(await commands.kill(server.pid), false);
await until(async () => (await ask()).stdout === "nobody\n");
await sandbox.kill();
