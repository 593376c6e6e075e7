// SPDX-License-Identifier: Apache-2.0
// A terminal with a shell in it: keys go in, the screen comes out, its size can be changed.
import assert from "node:assert/strict";
import { CommandExitError, Sandbox } from "e2b";
import { refused, until } from "./waiting.ts";

const sandbox = await Sandbox.create();
let screen = "";
const terminal = await sandbox.pty.create({ cols: 100, rows: 30, cwd: "/tmp", envs: { COLOUR: "green" }, timeoutMs: 0,
  onData: (data) => void (screen += Buffer.from(data).toString()) });
const keys = (line: string) => sandbox.pty.sendInput(terminal.pid, new TextEncoder().encode(line));
const shows = (text: string) => until(() => screen.includes(text));

await keys("stty -echo; PS1=; stty size; pwd; echo $COLOUR $TERM\n");
await shows("30 100\r\n/tmp\r\ngreen xterm");
await sandbox.pty.resize(terminal.pid, { cols: 132, rows: 50 });
await keys("stty size\n");
await shows("50 132\r\n");
await keys(`bash -c 'trap "echo caught; exit" INT; echo be$((1))gun; while :; do sleep 0.1; done'\n`);
await shows("be1gun\r\n");
await keys("\x03");
await shows("caught\r\n");
await keys("exit 5\n");
const ended = await refused(CommandExitError, () => terminal.wait());
assert.equal(ended.exitCode, 5);
assert.equal(await sandbox.pty.kill(4194303), false);
await sandbox.kill();
