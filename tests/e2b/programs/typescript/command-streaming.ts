// SPDX-License-Identifier: Apache-2.0
// Output arrives while the command runs: it goes on only when the program that reads has answered.
import assert from "node:assert/strict";
import { Sandbox } from "e2b";

const sandbox = await Sandbox.create();
const out: string[] = [];
const err: string[] = [];
const done = await sandbox.commands.run("echo question; until [ -s /tmp/answer ]; do sleep 0.05; done; echo got $(cat /tmp/answer); echo bye >&2", {
  onStdout: async (text) => {
    out.push(text);
    if (text.includes("question")) await sandbox.files.write("/tmp/answer", "42");
  },
  onStderr: (text) => void err.push(text),
});
assert.deepEqual(out, ["question\n", "got 42\n"]);
assert.deepEqual(err, ["bye\n"]);
assert.equal(done.stdout, "question\ngot 42\n");
assert.equal((await sandbox.commands.run("seq 1 50000")).stdout.length, 288894);
await sandbox.kill();
