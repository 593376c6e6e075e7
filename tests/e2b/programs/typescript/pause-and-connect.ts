// SPDX-License-Identifier: Apache-2.0
// A paused sandbox keeps its files and programs; connect makes it go on.
import assert from "node:assert/strict";
import { Sandbox } from "e2b";
import { until } from "./waiting.ts";

const sandbox = await Sandbox.create({ metadata: { kept: "yes" } });
await sandbox.files.write("state.json", JSON.stringify({ step: 3 }));
const sleeper = await sandbox.commands.run("touch asleep; sleep 600", { background: true, timeoutMs: 0 });
await until(() => sandbox.files.exists("asleep"));

await sandbox.pause();
assert.equal((await sandbox.getInfo()).state, "paused");
assert.equal(await sandbox.isRunning(), false);
assert.ok((await Sandbox.list({ query: { state: ["paused"], metadata: { kept: "yes" } } }).nextItems()).some((info) => info.sandboxId === sandbox.sandboxId));

const same = await Sandbox.connect(sandbox.sandboxId, { timeoutMs: 300_000 });
assert.equal(same.sandboxId, sandbox.sandboxId);
assert.deepEqual(JSON.parse(await same.files.read("state.json")), { step: 3 });
assert.ok((await same.commands.list()).some((process) => process.pid === sleeper.pid), "what ran goes on");
assert.equal((await same.getInfo()).state, "running");
assert.equal(await same.commands.kill(sleeper.pid), true);
assert.equal(await same.kill(), true);
