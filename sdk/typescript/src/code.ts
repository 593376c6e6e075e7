// SPDX-License-Identifier: Apache-2.0
// Programs given as text, in a sandbox: what they wrote, what their last expression was, what ended them.
import { randomBytes } from "node:crypto";

import { boot } from "./boot.js";
import type { Limits, RunOptions } from "./commands.js";
import { PolicyDenied, UsageError } from "./errors.js";
import type { CommandResult } from "./result.js";
import type { Sandbox } from "./sandbox.js";

export type Language = "python" | "javascript" | "shell";

export interface CodeOptions
	extends Limits, Pick<RunOptions, "envs" | "cwd" | "onStdout" | "onStderr" | "timeoutMs" | "signal"> {
	/** Default: python. */
	language?: Language | undefined;
	/** Scan it first by these rules ("default": those built in); PolicyDenied when they refuse it. */
	policy?: string | undefined;
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

/** @internal */
export async function runCode(sandbox: Sandbox, code: string, options: CodeOptions): Promise<Execution> {
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
