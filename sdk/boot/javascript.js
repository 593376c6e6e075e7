// SPDX-License-Identifier: Apache-2.0
// Runs the program on standard input inside a box, and says on stderr, behind the mark given as argument, what its last
// expression was and which exception ended it. tools/sdk-types puts it into the SDKs.
const fs = require("fs");
const vm = require("vm");
const util = require("util");
const mark = process.argv[1];
const results = [];
let error = null;

function failed(e) {
	const known = e instanceof Error || (e && typeof e.stack === "string");
	const text = known ? e.stack : util.inspect(e);
	error = { name: known ? e.name : "Error", value: known ? e.message : String(e), traceback: text };
	process.exitCode = 1;
	fs.writeSync(2, "Uncaught " + text + "\n");
}

process.on("uncaughtException", (e) => {
	failed(e);
	process.exit(1);
});
process.on("exit", () => {
	let said = Buffer.from("\x1e" + mark + JSON.stringify({ results, error }) + "\n");
	while (said.length) {
		try {
			said = said.subarray(fs.writeSync(2, said));
		} catch (e) {
			if (e.code !== "EAGAIN")
				throw e;
		}
	}
});
process.argv = [process.argv[0], "<code>"];
Object.assign(globalThis, { require, module, exports });
(async () => {
	const value = await vm.runInThisContext(fs.readFileSync(0, "utf8"), { filename: "<code>" });
	if (value !== undefined)
		results.push({ text: util.inspect(value).slice(0, 1 << 20), is_main_result: true });
})().catch(failed);
