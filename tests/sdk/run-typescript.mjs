// SPDX-License-Identifier: Apache-2.0
// Runs the cases of cases.json (README.md says what they mean) with the TypeScript SDK, and prints one line of JSON for each.
// usage: node run-typescript.mjs SDK CASES FOLDER   SDK: the folder of the compiled package; FOLDER: for projects
import { mkdir, readFile, writeFile, access } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdkFolder, casesFile, folder] = process.argv.slice(2);
const sdk = await import(pathToFileURL(join(sdkFolder, "dist/index.js")).href);
const FLEET = process.env.AISBX_TEST_FLEET; // labels of the nodes to run on; the project is then not the case's own
const CASE_MS = 60000 * Number(process.env.TIMEOUT_MULTIPLIER ?? 1);

// What a method takes before its options, by the last of its name; the rest of a step's arguments are its options.
const PLACES = {
	"Sandbox.connect": ["name"],
	"Sandbox.kill": ["name"],
	"commands.run": ["cmd"],
	"commands.kill": ["pid"],
	"commands.send_stdin": ["pid", "data"],
	"commands.close_stdin": ["pid"],
	"commands.connect": ["pid"],
	"pty.connect": ["pid"],
	"pty.send_input": ["pid", "data"],
	"pty.resize": ["pid", "rows", "cols"],
	"pty.kill": ["pid"],
	resize: ["rows", "cols"],
	send_input: ["data"],
	"files.read": ["path"],
	"files.write": ["path", "data"],
	"files.write_files": ["files"],
	"files.list": ["path"],
	"files.exists": ["path"],
	"files.get_info": ["path"],
	"files.remove": ["path"],
	"files.rename": ["old_path", "new_path"],
	"files.make_dir": ["path"],
	"files.watch_dir": ["path"],
	"files.edit": ["path", "replace", "with_"],
	run_code: ["code"],
	remove_code_context: ["context"],
	fork: ["count"],
	experiment: ["branches"],
	snapshot: ["name"],
	rollback: ["snapshot"],
	undo: ["promotion"],
	send_stdin: ["data"],
	get_host: ["port"],
	set_timeout: ["timeout"],
	diff: [],
	promote: [],
};
// Classes that are called otherwise, as is the custom here.
const CLASSES = { CommandExit: "CommandExitError", Timeout: "TimeoutError" };
// Arguments whose own members are the caller's names, not ours.
const VERBATIM = new Set(["envs", "metadata", "secrets"]);

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const show = (value) => {
	const text = JSON.stringify(value, (_, v) =>
		v instanceof Uint8Array ? `bytes ${Buffer.from(v).toString("base64")}` : v,
	);
	return text === undefined ? String(value) : text.slice(0, 600);
};

class Failure extends Error {}

/** Why VALUE does not match, or undefined. */
function mismatch(value, matcher, at) {
	const not = (what) => `${at}: ${show(value)} ${what}`;
	if (matcher === null) return value === null || value === undefined ? undefined : not("is not null");
	if (Array.isArray(matcher)) {
		if (!Array.isArray(value) || value.length !== matcher.length)
			return not(`is no list of ${matcher.length}: ${show(matcher)}`);
		return first(matcher.map((m, i) => mismatch(value[i], m, `${at}[${i}]`)));
	}
	if (!isObject(matcher)) return value === matcher ? undefined : not(`is not ${show(matcher)}`);
	const special = Object.keys(matcher).find((key) => key.startsWith("$"));
	if (special)
		return SPECIAL[special](value, matcher[special], at)
			? undefined
			: not(`does not match ${show(matcher)}`);
	if (typeof value !== "object" || value === null)
		return not(`is nothing with members, which ${show(matcher)} wants`);
	return first(
		Object.entries(matcher).map(([key, m]) =>
			mismatch(key in value ? value[key] : value[camel(key)], m, `${at}.${key}`),
		),
	);
}

const first = (reasons) => reasons.find((reason) => reason !== undefined);
const matches = (value, matcher, at) => mismatch(value, matcher, at) === undefined;
const TYPES = {
	text: (v) => typeof v === "string",
	number: (v) => typeof v === "number",
	boolean: (v) => typeof v === "boolean",
	list: Array.isArray,
	bytes: (v) => v instanceof Uint8Array,
	null: (v) => v === null || v === undefined,
	time: (v) => v instanceof Date,
};
const SPECIAL = {
	$bytes: (v, m) => v instanceof Uint8Array && Buffer.from(v).toString("base64") === m,
	$contains: (v, m, at) =>
		typeof v === "string" ? v.includes(m) : Array.isArray(v) && v.some((one) => matches(one, m, at)),
	$matches: (v, m) => typeof v === "string" && new RegExp(m, "m").test(v),
	$gt: (v, m) => typeof v === "number" && v > m,
	$lt: (v, m) => typeof v === "number" && v < m,
	$len: (v, m, at) => v?.length !== undefined && matches(v.length, m, at),
	$each: (v, m, at) => Array.isArray(v) && v.every((one) => matches(one, m, at)),
	$not: (v, m, at) => !matches(v, m, at),
	$type: (v, m) => TYPES[m](v),
	$all: (v, m, at) => m.every((one) => matches(v, one, at)),
};

class Case {
	saved = new Map();
	made = [];

	constructor(spec, project, unique) {
		this.spec = spec;
		this.project = project;
		this.saved.set("project", project).set("unique", unique);
	}

	find(path) {
		const [name, ...members] = path.split(".");
		if (!this.saved.has(name)) throw new Failure(`nothing was saved as '${name}'`);
		return members.reduce(
			(value, key) => (key in Object(value) ? value[key] : value?.[camel(key)]),
			this.saved.get(name),
		);
	}

	/** VALUE of the data with what was saved in its places. */
	fill(value) {
		if (typeof value === "string") {
			const whole = /^\$(\w[\w.]*)$/.exec(value);
			return whole && this.saved.has(whole[1].split(".")[0])
				? this.find(whole[1])
				: value.replace(/\$\{([\w.]+)\}/g, (text, path) =>
						this.saved.has(path.split(".")[0]) ? String(this.find(path)) : text,
					);
		}
		if (Array.isArray(value)) return value.map((one) => this.fill(one));
		if (!isObject(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.fill(one)]));
	}

	/** The same for an argument. */
	argument(name, value) {
		if (isObject(value) && "$bytes" in value) return new Uint8Array(Buffer.from(value.$bytes, "base64"));
		if (isObject(value) && "$repeat" in value) return value.$repeat[0].repeat(value.$repeat[1]);
		if (isObject(value) && "$into" in value) {
			if (!this.saved.has(value.$into)) this.saved.set(value.$into, []);
			return (item) => void this.saved.get(value.$into).push(item);
		}
		if (Array.isArray(value)) return value.map((one) => this.argument("", one));
		if (!isObject(value) || VERBATIM.has(name)) return this.fill(value);
		return Object.fromEntries(Object.entries(value).map(([key, one]) => this.option(key, one)));
	}

	option(key, value) {
		if (key === "timeout" || key === "cpu_time")
			return [`${camel(key)}Ms`, value === null ? undefined : value * 1000];
		return [camel(key), this.argument(key, value)];
	}

	async step(step) {
		const args = step.args ?? {};
		const own = OWN[step.do];
		if (own) return own(this, own.raw ? args : this.fill(args));
		const path = step.do.split(".");
		const method = path.pop();
		const target = path[0] === "Sandbox" ? sdk.Sandbox : this.find(path.join("."));
		const places = PLACES[`${path.at(-1)}.${method}`] ?? PLACES[method] ?? [];
		const words = places.map((name) => (name in args ? this.option(name, args[name])[1] : undefined));
		const options = Object.fromEntries(
			Object.entries(args)
				.filter(([key]) => !places.includes(key))
				.map(([key, v]) => this.option(key, v)),
		);
		if (FLEET && target === sdk.Sandbox) options.fleet = FLEET;
		else if (step.do === "Sandbox.create") options.project ??= this.project;
		if (typeof target?.[camel(method)] !== "function") throw new Failure(`there is no method ${step.do}`);
		const result = await target[camel(method)](...words, options);
		for (const one of [result].flat()) if (one instanceof sdk.Sandbox) this.made.push(one);
		return result;
	}

	async expectError(step) {
		const name = CLASSES[step.raises.class] ?? step.raises.class;
		let result;
		try {
			result = await this.step(step);
		} catch (error) {
			if (error instanceof Failure) throw error;
			if (!sdk[name] || !(error instanceof sdk[name]))
				throw new Failure(`${error?.name}: ${error?.message} is no ${name}`);
			return step.raises.fields && mismatch(error, this.fill(step.raises.fields), "error");
		}
		return `gave ${show(result)} where ${name} was due`;
	}

	async run() {
		for (const [path, text] of Object.entries(this.spec.project ?? {})) {
			await mkdir(dirname(join(this.project, path)), { recursive: true });
			await writeFile(join(this.project, path), text);
		}
		for (const [number, step] of this.spec.steps.entries()) {
			const where = `step ${number + 1}, ${step.do}`;
			let wrong;
			if (step.raises) {
				wrong = await this.expectError(step);
			} else {
				const result = await this.step(step).catch((error) => {
					throw new Failure(`${where}: ${error?.stack ?? error}`);
				});
				if (step.as) this.saved.set(step.as, result);
				wrong = "expect" in step ? mismatch(result, this.fill(step.expect), "result") : undefined;
			}
			if (wrong) throw new Failure(`${where}: ${wrong}`);
		}
	}

	async clean() {
		for (const sandbox of this.made.reverse()) await sandbox.kill();
	}
}

async function iterate(over) {
	const all = [];
	for await (const one of over) all.push(one);
	return all;
}

async function until(self, { do: what, args, expect }) {
	const end = Date.now() + 60000;
	for (;;) {
		const result = await self.step({ do: what, args });
		const wrong = mismatch(result, self.fill(expect), "result");
		if (wrong === undefined) return result;
		if (Date.now() > end) throw new Failure(`for 60 s: ${wrong}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}
until.raw = true;

/** Steps of the runner itself. */
const OWN = {
	"host.read": (self, { path }) => readFile(join(self.project, path), "utf8"),
	"host.write": async (self, { path, text }) => {
		await mkdir(dirname(join(self.project, path)), { recursive: true });
		await writeFile(join(self.project, path), text);
	},
	"host.exists": (self, { path }) =>
		access(join(self.project, path)).then(
			() => true,
			() => false,
		),
	get: (_, { value }) => value,
	join: (_, { values }) => values.join(""),
	iterate: (_, { over }) => iterate(over),
	until,
};

/** One case, with a project of its own. */
async function runCase(spec, number) {
	const project = join(folder, `case-${number}`);
	const one = new Case(spec, project, `t${process.pid}-${number}`);
	const began = Date.now();
	let timer;
	let error;
	await mkdir(project, { recursive: true });
	try {
		const late = new Promise((_, reject) => {
			timer = setTimeout(() => reject(new Failure(`not done after ${CASE_MS} ms`)), CASE_MS);
		});
		await Promise.race([one.run(), late]);
	} catch (failure) {
		error = failure instanceof Failure ? failure.message : String(failure?.stack ?? failure);
	} finally {
		clearTimeout(timer);
	}
	await one.clean().catch((failure) => {
		error ??= `at its end: ${failure?.stack ?? failure}`;
	});
	console.log(JSON.stringify({ name: spec.name, error: error ?? null, ms: Date.now() - began }));
}

const waiting = [...JSON.parse(await readFile(casesFile, "utf8")).cases.entries()];
const AT_ONCE = 4; // over one connection, as programs do
await Promise.all(
	Array.from({ length: AT_ONCE }, async () => {
		for (let next = waiting.shift(); next; next = waiting.shift()) await runCase(next[1], next[0]);
	}),
);
