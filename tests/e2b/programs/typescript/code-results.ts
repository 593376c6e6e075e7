// SPDX-License-Identifier: Apache-2.0
// Code as in a notebook: the last value, what was printed, exceptions, and variables that stay.
import assert from "node:assert/strict";
import { type ExecutionError, Sandbox } from "@e2b/code-interpreter";

const sandbox = await Sandbox.create({ envs: { UNIT: "metres" } });
const lines: string[] = [];
const done = await sandbox.runCode("import sys\nx = 20\nprint('x is', x)\nprint('careful', file=sys.stderr)\nx + 1", {
  onStdout: (message) => void lines.push(message.line),
  onStderr: (message) => void lines.push(`! ${message.line}`),
  onResult: (result) => void lines.push(`= ${result.text}`),
});
assert.equal(done.text, "21");
assert.deepEqual([done.logs.stdout.join(""), done.logs.stderr.join("")], ["x is 20\n", "careful\n"]);
assert.deepEqual([...lines].sort(), ["! careful\n", "= 21", "x is 20\n"]);
assert.equal(done.results[0].isMainResult, true);
assert.ok((await sandbox.runCode("x")).executionCount! > done.executionCount!);
assert.equal((await sandbox.runCode("import os\nos.environ['UNIT'] + os.environ['ONCE']", { envs: { ONCE: "!" } })).text, "'metres!'");

let heard: ExecutionError | undefined;
const failed = await sandbox.runCode("def f(): return 1 / 0\nf()", { onError: (error) => void (heard = error) });
assert.deepEqual([failed.error!.name, failed.error!.value], ["ZeroDivisionError", "division by zero"]);
assert.ok(failed.error!.traceback.includes("ZeroDivisionError"));
assert.equal(heard!.name, "ZeroDivisionError");

assert.equal((await sandbox.runCode("x")).text, "20", "the variables are there");
await sandbox.kill();
