// SPDX-License-Identifier: Apache-2.0
// What the types of the SDK promise and refuse. It is compiled, never run.
import {
	AisbxError,
	Client,
	type CommandHandle,
	type CommandResult,
	type EntryInfo,
	LimitExceeded,
	Sandbox,
	TimeoutError,
} from "@aisbx/sdk";

export async function promises(sandbox: Sandbox, background: boolean): Promise<void> {
	const result: CommandResult = await sandbox.commands.run("true");
	const handle: CommandHandle = await sandbox.commands.run("true", { background: true });
	const either: CommandResult | CommandHandle = await sandbox.commands.run(["true"], { background });
	const text: string = await sandbox.files.read("a");
	const bytes: Uint8Array = await sandbox.files.read("a", { format: "bytes" });
	const entries: EntryInfo[] = await sandbox.files.list();
	const [first]: Sandbox[] = await sandbox.fork(2);
	const code: number = result.exitCode;
	const { boxes } = await new Client().call("box.ls", {});
	const names: (string | undefined)[] | undefined = boxes?.map((box) => box.name);
	const error: AisbxError = new TimeoutError("late");
	const kind: string | undefined = error instanceof LimitExceeded ? error.kind : undefined;
	console.log(handle, either, text, bytes, entries, first, code, names, kind);
}

export async function refuses(sandbox: Sandbox): Promise<void> {
	// @ts-expect-error: times are in milliseconds, and say so
	await sandbox.commands.run("true", { timeout: 3 });
	// @ts-expect-error: no such format
	await sandbox.files.read("a", { format: "json" });
	// @ts-expect-error: no such method
	await new Client().call("box.creat", {});
	// @ts-expect-error: no such argument
	await new Client().call("box.create", { nam: "x" });
	// @ts-expect-error: an argument that is needed
	await new Client().call("box.show", {});
	// @ts-expect-error: a sandbox is made by create and connect
	new Sandbox();
	// @ts-expect-error: an end has no such field
	(await sandbox.commands.run("true")).exit_code;
}
