// SPDX-License-Identifier: Apache-2.0
// What a command wrote and how it ended; its variables and directory; one that takes too long.
import assert from "node:assert/strict";
import { CommandExitError, Sandbox, TimeoutError } from "e2b";
import { refused } from "./waiting.ts";

const sandbox = await Sandbox.create({ envs: { STAGE: "test" } });
const { commands, files } = sandbox;

const done = await commands.run("echo out; echo err >&2");
assert.deepEqual([done.stdout, done.stderr, done.exitCode], ["out\n", "err\n", 0]);
const failed = await refused(CommandExitError, () => commands.run("echo almost; echo no >&2; exit 3"));
assert.deepEqual([failed.stdout, failed.stderr, failed.exitCode], ["almost\n", "no\n", 3]);
assert.equal((await commands.run("printf 'a\\u00e4\\u20ac'")).stdout, "aä€");

assert.equal((await commands.run("echo $STAGE $MORE", { envs: { MORE: "and more" } })).stdout, "test and more\n");
assert.equal((await commands.run("pwd")).stdout, "/home/user\n");
assert.equal((await commands.run("pwd", { cwd: "/var/tmp" })).stdout, "/var/tmp\n");
assert.equal((await commands.run("echo $HOME")).stdout, "/home/user\n");

await refused(TimeoutError, () => commands.run("echo begun > begun; sleep 600", { timeoutMs: 1_000 }));
assert.equal(await files.read("begun"), "begun\n");
assert.equal((await commands.run("echo still here", { timeoutMs: 0 })).stdout, "still here\n");
await sandbox.kill();
