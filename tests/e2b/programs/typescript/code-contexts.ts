// SPDX-License-Identifier: Apache-2.0
// Contexts do not see each other; other languages; contexts are listed, restarted and removed.
import assert from "node:assert/strict";
import { Sandbox } from "@e2b/code-interpreter";

const sandbox = await Sandbox.create();
const [one, two] = [await sandbox.createCodeContext(), await sandbox.createCodeContext({ cwd: "/tmp", language: "python" })];
await sandbox.runCode("x = 1", { context: one });
await sandbox.runCode("x = 2", { context: two });
assert.equal((await sandbox.runCode("x", { context: one })).text, "1");
assert.equal((await sandbox.runCode("import os\n(x, os.getcwd())", { context: two })).text, "(2, '/tmp')");
assert.equal((await sandbox.runCode("x")).error!.name, "NameError");
const listed = (await sandbox.listCodeContexts()).map((context) => context.id);
assert.ok(listed.includes(one.id) && listed.includes(two.id));

await sandbox.restartCodeContext(two);
assert.equal((await sandbox.runCode("x", { context: two })).error!.name, "NameError");
await sandbox.removeCodeContext(one);
assert.ok(!(await sandbox.listCodeContexts()).some((context) => context.id === one.id));

const script = await sandbox.runCode("const words = ['b', 'a']; console.log(words.sort().join()); words.length", { language: "js" });
assert.equal(script.logs.stdout.join(""), "a,b\n");
assert.equal(script.text, "2");
assert.equal((await sandbox.runCode("echo $((6 * 7))", { language: "bash" })).logs.stdout.join(""), "42\n");
await sandbox.kill();
