// SPDX-License-Identifier: Apache-2.0
// A sandbox is made, runs a command and some code, keeps a file, and is gone after kill.
import assert from "node:assert/strict";
import { Sandbox } from "@e2b/code-interpreter";

const sandbox = await Sandbox.create({ timeoutMs: 300_000, envs: { WHO: "world" } });
assert.ok(sandbox.sandboxId);
assert.equal(await sandbox.isRunning(), true);

assert.equal((await sandbox.commands.run("echo hello $WHO")).stdout, "hello world\n");
assert.equal((await sandbox.runCode("answer = 6 * 7\nanswer")).text, "42");
await sandbox.files.write("/home/user/note.txt", "kept");
assert.equal(await sandbox.files.read("note.txt"), "kept");

assert.equal(await sandbox.kill(), true);
assert.equal(await sandbox.isRunning(), false);
assert.equal(await sandbox.kill(), false);
