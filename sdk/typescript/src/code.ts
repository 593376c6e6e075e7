// SPDX-License-Identifier: Apache-2.0
// Programs given as text, in a sandbox: what they wrote, what their last expression was, what ended them.
import { randomBytes } from "node:crypto";

import { boot } from "./boot.js";
import type { Limits, RunOptions } from "./commands.js";
import { PolicyDenied, UsageError } from "./errors.js";
import { CommandResult, judge } from "./result.js";
import type { Sandbox } from "./sandbox.js";
import type { RunCodeResult } from "./types.js";
import { given, seconds } from "./values.js";

export type Language = "python" | "javascript" | "shell";

export interface CodeOptions
	extends Limits, Pick<RunOptions, "envs" | "cwd" | "onStdout" | "onStderr" | "timeoutMs" | "signal"> {
	/** Default: python. */
	language?: Language | undefined;
	/** Scan it first by these rules ("default": those built in); PolicyDenied when they refuse it. */
	policy?: string | undefined;
	/** Run it in this interpreter, which remembers, and is started if it is not there; its output comes when it has ended. */
	context?: string | CodeContext | undefined;
}

/** An interpreter that stays in a sandbox, and remembers what earlier programs did. */
export interface CodeContext {
	id: string;
	language: Language;
}

export interface CodeContextOptions {
	/** Default: python. */
	language?: Language | undefined;
	name?: string | undefined;
	/** Variables that it has, besides those of the sandbox. */
	envs?: Record<string, string> | undefined;
}

/** A value that a program showed: what its last expression was, or a chart. What is no text is in base64. */
export interface Result {
	text?: string;
	html?: string;
	markdown?: string;
	svg?: string;
	png?: string;
	jpeg?: string;
	pdf?: string;
	latex?: string;
	json?: unknown;
	javascript?: string;
	/** By type: other forms that a kernel of Jupyter told, such as plotly's charts. */
	extra?: Record<string, unknown>;
	isMainResult: boolean;
}

/** What ended a program that failed: of Python the exception; of a shell `Exit` with its status. */
export interface ExecutionError {
	name: string;
	value: string;
	traceback: string;
}

/** What came of a program. */
export class Execution {
	constructor(
		readonly results: Result[],
		/** What it wrote, in the pieces in which it came. */
		readonly logs: { stdout: string[]; stderr: string[] },
		readonly error: ExecutionError | undefined,
		/** How the interpreter ended. */
		readonly command: CommandResult,
	) {}

	/** Of its last expression, if that had a value. */
	get text(): string | undefined {
		return this.results.find((result) => result.isMainResult)?.text;
	}
}

/** Separates what a program wrote from what its start tells at the end, which a mark that nobody can guess begins. */
class Marked {
	private kept = "";
	private record: string | undefined;

	constructor(private readonly mark: string) {}

	/** What of TEXT is the program's own; what may be the beginning of the mark comes later. */
	take(text: string): string {
		if (this.record !== undefined) return text;
		const all = this.kept + text;
		const at = all.indexOf(this.mark);
		if (at >= 0) {
			// one line, and then it is the program's again: of what it left running
			const end = all.indexOf("\n", at);
			this.kept = end < 0 ? all.slice(at) : "";
			this.record = end < 0 ? undefined : all.slice(at + this.mark.length, end);
			return all.slice(0, at) + (end < 0 ? "" : all.slice(end + 1));
		}
		let keep = Math.min(this.mark.length - 1, all.length);
		while (keep > 0 && !this.mark.startsWith(all.slice(-keep))) keep--;
		this.kept = all.slice(all.length - keep);
		return all.slice(0, all.length - keep);
	}

	/** What was kept and is no mark after all. */
	rest(): string {
		return this.kept;
	}

	told():
		| {
				results: (Record<string, unknown> & { is_main_result?: boolean })[];
				error: ExecutionError | null;
		  }
		| undefined {
		try {
			return this.record === undefined ? undefined : JSON.parse(this.record);
		} catch {
			return undefined; // the program wrote it; then its status has to do
		}
	}
}

function resultOf({
	is_main_result,
	...shown
}: Record<string, unknown> & { is_main_result?: boolean }): Result {
	return { ...shown, isMainResult: is_main_result ?? false };
}

/** What ended a program that did not tell. */
function errorOf(result: CommandResult): ExecutionError | undefined {
	if (result.exitCode === 0) return undefined;
	return {
		name: "Exit",
		value: result.error ?? `exit status ${result.exitCode}`,
		traceback: result.stderr,
	};
}

/** Throws when POLICY would not have CODE run. */
async function scan(sandbox: Sandbox, code: string, language: Language, policy: string): Promise<void> {
	const call = sandbox.client.start("code.scan", { files: ["-"], lang: language, policy }, { stdin: true });
	await call.send(code);
	call.closeInput();
	const found = await call.result;
	if (found.action !== "refuse" && found.action !== "ask") return;
	const worst =
		found.findings?.find((finding) => finding.severity === found.risk)?.why
		?? "see the findings of `aisbx scan`";
	throw new PolicyDenied(`policy '${policy}' finds the program of ${found.risk} risk: ${worst}`);
}

/** @internal What came of a program in a context. */
function executionOf(raw: RunCodeResult, what: string): Execution {
	const why = raw.error ?? "the interpreter has ended";
	const told = raw.context_ended ? { ...raw, error: null } : raw;
	const ended = judge(new CommandResult(told as CommandResult["raw"]), what, false);
	const found = raw.exception;
	let error: ExecutionError | undefined;

	if (found)
		error = {
			name: found.name ?? "Exit",
			value: found.message ?? "",
			traceback: found.traceback ?? "",
		};
	else if (raw.context_ended) error = { name: "ContextEnded", value: why, traceback: "" };
	return new Execution(
		(raw.results ?? []).map((result) => resultOf({ ...result })),
		{ stdout: raw.stdout ? [raw.stdout] : [], stderr: raw.stderr ? [raw.stderr] : [] },
		error,
		ended,
	);
}

/** @internal */
export async function runInContext(
	sandbox: Sandbox,
	context: string | CodeContext,
	code: string,
	options: CodeOptions,
): Promise<Execution> {
	const { id, language } =
		typeof context === "object" ? context : { id: context, language: options.language ?? "python" };

	if (!boot[language])
		throw new UsageError(
			`there is no language '${language}'; there are ${Object.keys(boot).join(", ")}`,
			{ kind: "usage" },
		);
	if (options.cwd !== undefined)
		throw new UsageError("a program in a context starts where the one before left off; leave out cwd", {
			kind: "usage",
		});
	const env = Object.entries(options.envs ?? {}).map(([key, value]) => `${key}=${value}`);
	const raw: RunCodeResult = await sandbox.ask("run.code", {
		box: sandbox.sandboxId,
		context: id,
		lang: language,
		code,
		...given({
			policy: options.policy ?? (sandbox.client.onFleet ? undefined : "none"),
			env: env.length ? env : undefined,
			timeout: options.timeoutMs === undefined ? undefined : seconds(options.timeoutMs),
		}),
	});
	const done = executionOf(raw, `the ${language} program`);

	for (const text of done.logs.stdout) await options.onStdout?.(text);
	for (const text of done.logs.stderr) await options.onStderr?.(text);
	return done;
}

/** @internal */
export async function createContext(sandbox: Sandbox, options: CodeContextOptions): Promise<CodeContext> {
	const context = {
		id: options.name ?? `c-${randomBytes(6).toString("hex")}`,
		language: options.language ?? "python",
	};

	await runInContext(sandbox, context, "", { envs: { ...sandbox.envs, ...options.envs } });
	return context;
}

/** @internal */
export async function runCode(sandbox: Sandbox, code: string, options: CodeOptions): Promise<Execution> {
	if (options.context !== undefined) return runInContext(sandbox, options.context, code, options);
	const language = options.language ?? "python";
	const how = boot[language];
	const mark = randomBytes(16).toString("hex");
	const marked = new Marked(`\x1e${mark}`);
	const logs = { stdout: [] as string[], stderr: [] as string[] };

	if (!how)
		throw new UsageError(
			`there is no language '${language}'; there are ${Object.keys(boot).join(", ")}`,
			{ kind: "usage" },
		);
	if (options.policy !== undefined) await scan(sandbox, code, language, options.policy);
	const command = await sandbox.client.inTurn(async () =>
		(
			await sandbox.commands.begin([...how.before, how.program, ...how.behind, mark], {
				...options,
				what: `the ${language} program`,
				check: false,
				stdin: code,
				filter: marked,
				onStdout: (text) => {
					logs.stdout.push(text);
					return options.onStdout?.(text);
				},
				onStderr: (text) => {
					logs.stderr.push(text);
					return options.onStderr?.(text);
				},
			})
		).wait(),
	);
	const told = marked.told();
	return new Execution((told?.results ?? []).map(resultOf), logs, told?.error ?? errorOf(command), command);
}
