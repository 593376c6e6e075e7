// SPDX-License-Identifier: Apache-2.0
// Files of a sandbox. Paths are absolute, as in the sandbox, or below its project.
import type { Arguments, Call, CallOptions, Method, Result } from "./client.js";
import type { Data } from "./data.js";
import {
	AisbxError,
	Exists,
	FileNotFound,
	NotFound,
	SandboxNotFound,
	ServerGone,
	StaleBase,
	UsageError,
} from "./errors.js";
import type { Sandbox } from "./sandbox.js";
import type { FileReadResult, FileWriteResult } from "./types.js";
import { given } from "./values.js";

export interface EntryInfo {
	name: string;
	path: string;
	/** file, directory, link or other. */
	type: string;
	size: number;
	/** Permissions. */
	mode: number;
	modifiedAt: Date;
	/** Of a link: where it leads. */
	target: string | undefined;
	/** Of its content, where that was looked at. */
	sha256: string | undefined;
}

/** Something that happened in a directory that is watched. */
export interface FilesystemEvent {
	/** create, modify, remove, rename or chmod. */
	type: string;
	/** Below the directory. */
	path: string;
	/** Of a rename: what it was before. */
	from: string | undefined;
	/** What it is: file, directory, link or other. */
	kind: string;
}

export interface WriteOptions {
	append?: boolean | undefined;
	/** Permissions, such as "755". */
	mode?: string | undefined;
	/** Only if this is what it holds now, else a StaleBase error; "absent": only if there is none. */
	ifSha256?: string | undefined;
}

export interface WatchOptions {
	/** Also directories below it. */
	recursive?: boolean | undefined;
	/** Is told of each; else they wait in the handle for who iterates over it. */
	onEvent?: ((event: FilesystemEvent) => void) | undefined;
	signal?: AbortSignal | undefined;
}

/** Entries of a directory in one message: no more are told at once. */
const MOST_ENTRIES = 10000;

/** Of a file from this size on the bytes do not go in a message. */
const BESIDE = 256 * 1024;

/** Events that may wait for who reads them. */
const MANY_EVENTS = 10000;
const FEW_EVENTS = 1000;

type FileMethod = Extract<Method, `file.${string}`>;

/** What aisbx tells of a file. */
interface RawEntry {
	path?: string | null;
	path_hex?: string;
	type?: string;
	size?: number;
	mode?: string;
	mtime_ms?: number;
	target?: string | null;
	sha256?: string | null;
}

/** DIRECTORY: that the path is below. */
function entryOf(raw: RawEntry, directory?: string): EntryInfo {
	const own = raw.path ?? Buffer.from(raw.path_hex ?? "", "hex").toString("latin1");
	const path = directory === undefined ? own : `${directory.replace(/\/$/, "")}/${own}`;
	return {
		name: path.slice(path.lastIndexOf("/") + 1),
		path,
		type: raw.type ?? "other",
		size: raw.size ?? 0,
		mode: parseInt(raw.mode ?? "0", 8),
		modifiedAt: new Date(raw.mtime_ms ?? 0),
		target: raw.target ?? undefined,
		sha256: raw.sha256 ?? undefined,
	};
}

/** A directory that is watched. Iterate over it for what happens; `stop` it, or it goes on. */
export class WatchHandle implements AsyncIterable<FilesystemEvent>, AsyncDisposable {
	private readonly events: FilesystemEvent[] = [];
	private wake: (() => void) | undefined;
	private ended: { error: unknown } | undefined;
	private stopping = false;
	private held = false;

	/** @internal */
	constructor(
		private readonly call: Call,
		private readonly onEvent: ((event: FilesystemEvent) => void) | undefined,
	) {
		call.result.then(
			() => this.end(undefined),
			(error: unknown) => this.end(error),
		);
	}

	/** @internal */
	add(event: FilesystemEvent): void {
		if (this.onEvent) {
			this.onEvent(event);
			return;
		}
		this.events.push(event);
		this.weigh();
		this.wake?.();
	}

	/** Who does not take them in time is not told more until it does. */
	private weigh(): void {
		if (this.held ? this.events.length < FEW_EVENTS : this.events.length > MANY_EVENTS) {
			this.held = !this.held;
			this.call.hold(this.held);
		}
	}

	private end(error: unknown): void {
		const wanted = this.stopping || (error instanceof AisbxError && error.code === "cancelled");
		this.ended = { error: wanted ? undefined : error };
		this.wake?.();
	}

	/** What has happened since one asked last; does not wait. */
	getNewEvents(): FilesystemEvent[] {
		const events = this.events.splice(0);
		this.weigh();
		return events;
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<FilesystemEvent, void, undefined> {
		for (;;) {
			const event = this.events.shift();
			if (event) {
				this.weigh();
				yield event;
			} else if (this.ended) {
				if (this.ended.error !== undefined) throw this.ended.error;
				return;
			} else {
				await new Promise<void>((resolve) => {
					this.wake = resolve;
				});
			}
		}
	}

	async stop(): Promise<void> {
		this.stopping = true;
		this.call.cancel();
		await this.call.result.catch(() => undefined);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
	}
}

export class Files {
	/** @internal */
	constructor(private readonly sandbox: Sandbox) {}

	/** The whole of a file. Text must be UTF-8. */
	read(path: string, options?: { format?: "text" | undefined }): Promise<string>;
	read(path: string, options: { format: "bytes" }): Promise<Uint8Array>;
	read(path: string, options?: { format?: "text" | "bytes" | undefined }): Promise<string | Uint8Array>;
	async read(
		path: string,
		options: { format?: "text" | "bytes" | undefined } = {},
	): Promise<string | Uint8Array> {
		const found = (await this.readBeside(path)) ?? (await this.readInPieces(path));
		const whole = new Uint8Array(found.buffer, found.byteOffset, found.length);
		if (options.format === "bytes") return whole;
		try {
			return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole);
		} catch (error) {
			throw new UsageError(
				`${path} is no text in UTF-8; read it with format: "bytes"`,
				{ kind: "usage" },
				{ cause: error },
			);
		}
	}

	/** A call whose bytes go over a connection of their own, which MOVE takes or gives; undefined: the server has none. */
	private async beside<M extends FileMethod, T>(
		method: M,
		args: Omit<Arguments<M>, "box">,
		move: (data: Data) => T,
	): Promise<{ result: Result<M>; moved: Awaited<T> } | undefined> {
		const data = await this.sandbox.client.openData();
		if (!data) return undefined;
		try {
			const asked = this.ask(method, args, { data });
			asked.catch(() => data.close());
			const moved = await move(data);
			return { result: await asked, moved };
		} finally {
			data.close();
		}
	}

	private async readBeside(path: string): Promise<Buffer | undefined> {
		const got = await this.beside("file.read", { path, raw: true }, (data) => data.receive());
		if (got && got.moved.length !== got.result.sent)
			throw new ServerGone(`${got.moved.length} of ${got.result.sent} bytes of ${path} have come`);
		return got?.moved;
	}

	private async readInPieces(path: string): Promise<Buffer> {
		const pieces: Buffer[] = [];
		for (let offset: number | null | undefined = 0; offset != null;) {
			const got: FileReadResult = await this.ask("file.read", {
				path,
				encoding: "base64",
				offset,
				limit: this.sandbox.client.filePiece,
			});
			pieces.push(Buffer.from(got.content ?? "", "base64"));
			offset = got.next_offset;
		}
		return Buffer.concat(pieces);
	}

	/** Writes a file; directories that are missing are made. */
	async write(path: string, data: string | Uint8Array, options: WriteOptions = {}): Promise<EntryInfo> {
		const whole = typeof data === "string" ? Buffer.from(data, "utf8") : data;
		const how = given({ append: options.append || undefined, mode: options.mode, if: options.ifSha256 });
		try {
			const args = { path, size: whole.length, ...how };
			const done =
				whole.length > BESIDE
					? await this.beside("file.write", args, (there) => there.send(whole))
					: undefined;
			return entryOf(done?.result ?? (await this.writeInPieces(path, whole, how)));
		} catch (error) {
			throw options.ifSha256 === "absent" && error instanceof Exists
				? new StaleBase(error.message)
				: error;
		}
	}

	/** Over a fleet one above a piece goes in several, each whole in itself. */
	private async writeInPieces(
		path: string,
		whole: Uint8Array,
		how: Record<string, unknown>,
	): Promise<FileWriteResult> {
		const most = this.sandbox.client.filePiece;
		for (let at = 0; ; at += most) {
			const got = await this.ask("file.write", {
				path,
				content: Buffer.from(whole.subarray(at, at + most)).toString("base64"),
				encoding: "base64",
				...(at > 0 ? { append: true } : how),
			});
			if (at + most >= whole.length) return got;
		}
	}

	/** Several, one after the other. */
	async writeFiles(files: readonly { path: string; data: string | Uint8Array }[]): Promise<EntryInfo[]> {
		const written: EntryInfo[] = [];
		for (const file of files) written.push(await this.write(file.path, file.data));
		return written;
	}

	/** Changes a text, which the file must have exactly once, into another. */
	async edit(path: string, replace: string, by: string): Promise<EntryInfo> {
		return entryOf(await this.ask("file.write", { path, replace, with: by }));
	}

	/** What is in a directory, by name; links are not followed. DEPTH: levels below it. */
	async list(
		path = ".",
		options: { depth?: number | undefined; pattern?: string | undefined } = {},
	): Promise<EntryInfo[]> {
		const got = await this.ask("file.ls", {
			path,
			limit: MOST_ENTRIES,
			...given({ depth: options.depth, pattern: options.pattern }),
		});
		if (got.more)
			throw new AisbxError(
				`'${path}' has more than ${MOST_ENTRIES} entries; a pattern, or a smaller depth, picks some`,
				{ kind: "limit" },
			);
		return (got.entries ?? []).map((entry) => entryOf(entry, got.path));
	}

	async exists(path: string): Promise<boolean> {
		try {
			await this.getInfo(path);
			return true;
		} catch (error) {
			if (error instanceof FileNotFound) return false;
			throw error;
		}
	}

	/** Of a link, the link itself. */
	async getInfo(path: string): Promise<EntryInfo> {
		return entryOf(await this.ask("file.stat", { path }));
	}

	/** A file, or a directory with all that is in it. */
	async remove(path: string): Promise<void> {
		await this.ask("file.rm", { path, recursive: true });
	}

	async rename(
		oldPath: string,
		newPath: string,
		options: { overwrite?: boolean | undefined } = {},
	): Promise<EntryInfo> {
		const got = await this.ask("file.mv", {
			path: oldPath,
			to: newPath,
			...(options.overwrite ? { force: true } : {}),
		});
		return this.getInfo(got.path ?? newPath);
	}

	/** With those above it. False: it was there. */
	async makeDir(path: string): Promise<boolean> {
		return (await this.ask("file.mkdir", { path })).created ?? false;
	}

	/** Tells what happens in a directory from now on; with `recursive` also below it. */
	async watchDir(path = ".", options: WatchOptions = {}): Promise<WatchHandle> {
		let handle: WatchHandle | undefined;
		let ready: (() => void) | undefined;
		const begun = new Promise<void>((resolve) => {
			ready = resolve;
		});
		const call = this.sandbox.client.start(
			"file.watch",
			{
				box: this.sandbox.sandboxId,
				path,
				...(options.recursive ? { recursive: true } : {}),
			},
			{
				signal: options.signal,
				onItem: (item) => (item["type"] === "ready" ? ready?.() : handle?.add(eventOf(item))),
			},
		);
		handle = new WatchHandle(call, options.onEvent);
		await Promise.race([begun, call.result]).catch(async (error: unknown) => {
			throw fileError(await this.sandbox.explain(error).catch((reason: unknown) => reason));
		});
		return handle;
	}

	private async ask<M extends FileMethod>(
		method: M,
		args: Omit<Arguments<M>, "box">,
		options: CallOptions = {},
	): Promise<Result<M>> {
		try {
			return await this.sandbox.ask(
				method,
				{ ...args, box: this.sandbox.sandboxId } as Arguments<M>,
				options,
			);
		} catch (error) {
			throw fileError(error);
		}
	}
}

/** A name that is no UTF-8 comes in another form. */
function textAt(item: Record<string, unknown>, key: string): string | undefined {
	const hex = item[`${key}_hex`];
	return typeof hex === "string"
		? Buffer.from(hex, "hex").toString("latin1")
		: (item[key] as string | undefined);
}

function eventOf(item: Record<string, unknown>): FilesystemEvent {
	return {
		type: String(item["type"]),
		path: textAt(item, "path") ?? "",
		from: textAt(item, "from"),
		kind: String(item["kind"] ?? "other"),
	};
}

/** What is not there is a file, unless it is the sandbox. */
function fileError(error: unknown): unknown {
	if (!(error instanceof NotFound) || error instanceof SandboxNotFound) return error;
	return new FileNotFound(error.message, { kind: error.code, area: error.area, errno: error.errno });
}
