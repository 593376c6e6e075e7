// SPDX-License-Identifier: Apache-2.0
const fs = require("fs");
const child_process = require("child_process");
const wants = {
	files() { for (let i = 0; i < 100000; i++) fs.openSync("/dev/null"); },
	forks() {
		const again = () => child_process.spawn("sleep", ["30"]).on("spawn", again);
		again();
	},
	file_size() { fs.writeFileSync("large", Buffer.alloc(3 << 20)); },
	disk() {
		try { fs.writeFileSync("/tmp/large", Buffer.alloc(20 << 20)); }
		catch (e) { fs.unlinkSync("/tmp/large"); throw e; }
	},
	memory() { const all = []; for (let i = 0; i < 64; i++) all.push(Buffer.alloc(32 << 20, 1)); },
};
wants[process.argv[2]]();
