// SPDX-License-Identifier: Apache-2.0
// A whole story by the official TypeScript client: what an agent does from the first box to a promotion and back. The same as
// story.py tells, by a client that cannot ask a person.
//
// usage: story.mjs stdio|http, in the directory of a scratch project; AISBX and MCP_SDK (where the client is), and for http
// MCP_URL and MCP_TOKEN, in the environment. Prints a line for each step that went well; the first thing that is wrong ends it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";

const sdk = process.env.MCP_SDK + "/node_modules/@modelcontextprotocol/sdk/dist/esm/";
const { Client } = await import(sdk + "client/index.js");
const { StdioClientTransport } = await import(sdk + "client/stdio.js");
const { StreamableHTTPClientTransport } = await import(sdk + "client/streamableHttp.js");
const { LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema } = await import(sdk + "types.js");

const AISBX = process.env.AISBX;
const CALC = "exports.add = (a, b) => a + b;\n";
const TESTS =
	'const test = require("node:test");\nconst assert = require("node:assert");\n' +
	'test("adds", () => assert.equal(require("./calc.js").add(2, 3), 5));\n';
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="; // a picture of one
const TEST = "node --test test_calc.js";
const WAIT = "until [ -e go ]; do sleep 0.02; done";
const MARK = `1001.${process.pid}`; // found by no other process of this machine
const began = Date.now();

const step = (name) => console.log(`ok ${((Date.now() - began) / 1000).toFixed(2).padStart(6)} s  ${name}`);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const live = () => JSON.parse(execFileSync(AISBX, ["ps", "--all", "--json"])).runs;

// Waits for a condition, for as long as a busy machine may take.
async function until(what, condition) {
	for (let i = 0; i < 600; i++) {
		if (condition()) return;
		await sleep(50);
	}
	assert.fail(`it did not come to it: ${what}`);
}

function processes(mark) {
	return fs.readdirSync("/proc").filter((pid) => {
		try {
			return /^[0-9]+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(mark);
		} catch {
			return false;
		}
	});
}

const logged = [];
const updated = [];
const client = new Client({ name: "story", version: "1" }, { capabilities: {} });
client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => void logged.push(JSON.stringify(n.params.data)));
client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => void updated.push(n.params.uri));

// The structured result, which the client itself checks by the schema that was listed.
async function call(name, args = {}, { error = false, ...options } = {}) {
	const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 60000, ...options });
	assert.equal(Boolean(result.isError), error, `${name}: ${result.content[0].text}`);
	return { ...result.structuredContent, text: result.content[0].text, links: result.content.slice(1).map((c) => c.uri) };
}

const write = (box, path, content) => call("sandbox_write_file", { box, path, content });

async function make() {
	const tools = (await client.listTools()).tools;
	assert.ok(tools.length >= 14 && tools.length <= 28, tools.map((t) => t.name).join());
	assert.ok(tools.every((t) => t.annotations && t.outputSchema));
	const made = await call("sandbox_create", { name: "story" });
	assert.equal(made.project, process.cwd());
	await write("story", "calc.js", CALC);
	await write("story", "test_calc.js", TESTS);
	assert.equal((await call("sandbox_read_file", { box: "story", path: "calc.js" })).content, CALC);
	assert.deepEqual(fs.readdirSync("."), ["README"]);
	step("a box, with files");
}

async function breakAndRollBack() {
	assert.equal((await call("sandbox_run", { box: "story", command: TEST })).status, "ok");
	step("its tests pass");
	await call("sandbox_snapshot", { box: "story", name: "good" });
	await call("sandbox_write_file", { box: "story", path: "calc.js", replace: "a + b", with: "a - b" });
	const ran = await call("sandbox_run", { box: "story", command: TEST.split(" ") });
	assert.equal(ran.status, "failed");
	assert.equal(ran.exit_code, 1);
	await call("sandbox_rollback", { box: "story", snapshot: "good" });
	assert.equal((await call("sandbox_run", { box: "story", command: TEST })).status, "ok");
	step("broken, rolled back, whole again");
}

async function forkAndRunAll() {
	const forked = await call("sandbox_fork", { from: "story@good", count: 3, name: "idea" });
	const names = forked.boxes.map((b) => b.name);
	assert.deepEqual(names, ["idea-1", "idea-2", "idea-3"]);
	const runs = names.map((n) => call("sandbox_run", { box: n, command: `${WAIT}; echo ${n} > idea.txt; cat idea.txt` }));
	await until("three live runs", () => live().length === 3);
	for (const n of names) await write(n, "go", "");
	assert.deepEqual((await Promise.all(runs)).map((r) => r.stdout), names.map((n) => n + "\n"));
	for (const n of names) assert.ok((await call("sandbox_diff", { box: n })).patch.includes(`+${n}\n`));
	step("three forks at once, each its own");
}

// Nobody can be asked through this client, so who it belongs to asks by the hints of the tool.
async function promoteAndUndo() {
	const look = await call("sandbox_promote", { box: "idea-2", dry_run: true });
	assert.equal(look.applied, false);
	const done = await call("sandbox_promote", { box: "idea-2", paths: ["calc.js", "idea.txt"] });
	assert.equal(done.applied, true);
	assert.equal(fs.readFileSync("idea.txt", "utf8"), "idea-2\n");
	fs.writeFileSync("calc.js", "// by a person\n");
	const stopped = await call("sandbox_undo", { promotion: done.promotion }, { error: true });
	assert.equal(stopped.undone, false);
	assert.ok(stopped.text.includes("calc.js"), stopped.text);
	assert.equal((await call("sandbox_undo", { promotion: done.promotion, conflict: "overwrite" })).undone, true);
	assert.deepEqual(fs.readdirSync("."), ["README"]);
	step("promoted, and undone when the person's own edit was given up");
}

async function hook() {
	fs.mkdirSync(".vscode");
	await write("idea-1", ".vscode/tasks.json", "{}\n");
	const stopped = await call("sandbox_promote", { box: "idea-1", paths: [".vscode"] }, { error: true });
	assert.equal(stopped.applied, false);
	assert.ok(stopped.text.includes(".vscode/tasks.json"), stopped.text);
	assert.deepEqual(fs.readdirSync(".vscode"), []);
	fs.rmSync(".vscode", { recursive: true });
	step("a trap stops a promotion");
}

// What it writes is here before it ends: the end waits for an answer to it.
async function stream() {
	const marks = [];
	let told = false;
	const onprogress = (p) => {
		marks.push(p.progress);
		if (!told && (p.message ?? "").includes("first")) {
			told = true;
			void write("story", "go", "");
		}
	};
	const ran = await call("sandbox_run", { box: "story", command: `echo first; ${WAIT}; rm go; echo last >&2` }, { onprogress });
	assert.equal(ran.stdout, "first\n");
	assert.ok(told && marks.every((m, i) => i === 0 || m > marks[i - 1]), marks.join());
	await until("the log", () => logged.some((m) => m.includes("first")));
	step("output comes while it runs, as progress and as log");
}

async function cancel() {
	const abort = new AbortController();
	let begun = false;
	const onprogress = (p) => (begun ||= (p.message ?? "").includes("begun"));
	const command = `(sleep ${MARK} & sleep ${MARK}) & echo begun; setsid sleep ${MARK}`;
	const cancelled = assert.rejects(call("sandbox_run", { box: "story", command }, { onprogress, signal: abort.signal }));
	await until("it has begun", () => begun);
	assert.equal(processes(MARK).length, 3);
	abort.abort("the person said stop");
	await cancelled;
	await until("nothing is left", () => processes(MARK).length === 0 && live().length === 0);
	assert.equal((await call("sandbox_run", { box: "story", command: "echo still here" })).stdout, "still here\n");
	step("cancelled midway, and nothing is left");
}

async function background() {
	const begun = await call("sandbox_run", { box: "story", command: `echo one; ${WAIT}; rm go; echo two`, detach: true });
	assert.equal(begun.status, "running");
	assert.equal((await call("sandbox_wait", { run: begun.run, timeout: 0.2 })).status, "running");
	await write("story", "go", "");
	const done = await call("sandbox_wait", { run: begun.run });
	assert.equal(done.stdout, "one\ntwo\n");
	step("in the background, and waited for");
}

async function longOutput() {
	const ran = await call("sandbox_run", { box: "story", command: "seq 1 400000" });
	assert.ok(ran.stdout.length + ran.text.length < 24 << 10 && ran.truncated.stdout > 1000000);
	const read = await client.readResource({ uri: ran.links[0] });
	assert.equal(read.contents[0].text.length, 2688895);
	step("long output is cut, and linked to in whole");
}

async function pictures() {
	await write("story", "dot.b64", DOT);
	await call("sandbox_run", { box: "story", command: "base64 -d dot.b64 > dot.png" });
	const got = await client.callTool({ name: "sandbox_read_file", arguments: { box: "story", path: "dot.png" } });
	assert.deepEqual(got.content[1], { type: "image", mimeType: "image/png", data: DOT });
	assert.equal(got.structuredContent.content, undefined);
	step("a picture");
}

async function resources() {
	const uri = "aisbx://boxes/story/files/calc.js";
	assert.equal((await client.readResource({ uri })).contents[0].text, CALC);
	await client.subscribeResource({ uri: "aisbx://boxes/story/diff" });
	await write("story", "more.txt", "more\n");
	await until("an update", () => updated.includes("aisbx://boxes/story/diff"));
	await client.unsubscribeResource({ uri: "aisbx://boxes/story/diff" });
	const completed = await client.complete({
		ref: { type: "ref/resource", uri: "aisbx://boxes/{box}/diff" },
		argument: { name: "box", value: "idea" },
	});
	assert.deepEqual(completed.completion.values.toSorted(), ["idea-1", "idea-2", "idea-3"]);
	const got = await client.getPrompt({ name: "try-ideas", arguments: { goal: "be faster" } });
	assert.ok(got.messages[0].content.text.includes("be faster"));
	step("resources, an update, completion, a prompt");
}

async function tidy() {
	await call("sandbox_remove", { boxes: ["story", "idea-1", "idea-2", "idea-3"] });
	assert.deepEqual((await call("sandbox_list")).boxes, []);
	assert.equal(live().length, 0);
	assert.deepEqual(fs.readdirSync("."), ["README"]);
	step("everything is gone");
}

const transport =
	process.argv[2] === "stdio"
		? new StdioClientTransport({ command: AISBX, args: ["mcp"], env: process.env, cwd: process.cwd() })
		: new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), {
				requestInit: { headers: { Authorization: `Bearer ${process.env.MCP_TOKEN}` } },
			});
await client.connect(transport);
step(`connected to ${client.getServerVersion().name} ${client.getServerVersion().version}`);
await client.setLoggingLevel("info");
for (const part of [make, breakAndRollBack, forkAndRunAll, promoteAndUndo, hook, stream, cancel, background, longOutput, pictures, resources, tidy])
	await part();
await client.close();
console.log("the end");
