// SPDX-License-Identifier: Apache-2.0
// What a command writes while it runs: handed on as it comes, kept for its result up to a bound, and held up at its
// source when whoever reads it does not keep up.
import type { StreamName } from "./client.js";

export interface OutputChunk {
	stream: StreamName;
	/** Bytes that are not UTF-8 have become U+FFFD here. */
	text: string;
	bytes: Uint8Array;
}

export type OutputHandler = (text: string) => void | Promise<void>;

/** Bytes of each stream that are kept for the result, as aisbx itself does. */
const KEPT = 4 * 1024 * 1024;
/** Bytes that may wait for a slow reader before the command has to. */
const HIGH = 1024 * 1024;
const LOW = 256 * 1024;

export function textOf(data: string | Uint8Array): string {
	return typeof data === "string" ? data : new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
}

/** At most ROOM of BYTES, so that no character is split. */
function wholeCharacters(bytes: Uint8Array, room: number): number {
	if (bytes.length <= room) return bytes.length;
	let end = room;
	while (end > 0 && room - end < 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
	return end;
}

/** The output of one command. */
export class Output {
	private readonly kept: Record<StreamName, { text: string[]; bytes: number; cut: number }> = {
		stdout: { text: [], bytes: 0, cut: 0 },
		stderr: { text: [], bytes: 0, cut: 0 },
	};
	private readonly chunks: OutputChunk[] = [];
	private wake: (() => void) | undefined;
	private reading = false;
	private ended = false;
	private queued = 0; // bytes that the reader has not taken
	private handled = 0; // bytes that handlers are at
	private held = false;
	private handling: Promise<void> | undefined; // the last of those that have not ended

	/** FAIL: is told what a handler threw. */
	constructor(
		private readonly handlers: Partial<Record<StreamName, OutputHandler | undefined>>,
		private readonly hold: (wait: boolean) => void,
		private readonly fail: (error: unknown) => void,
	) {}

	add(stream: StreamName, data: string | Uint8Array): void {
		const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
		const text = textOf(data);
		const keep = this.kept[stream];

		if (bytes.length === 0) return;
		const room = wholeCharacters(bytes, KEPT - keep.bytes);
		if (room > 0) keep.text.push(room === bytes.length ? text : textOf(bytes.subarray(0, room)));
		keep.bytes += room;
		keep.cut += bytes.length - room;
		if (room < bytes.length) keep.bytes = KEPT; // what comes after a gap would read as if there were none
		if (this.reading || keep.cut === 0) this.queue({ stream, text, bytes });
		this.handle(stream, text, bytes.length);
	}

	/** Nothing more comes. When the last handler is done. */
	async end(): Promise<void> {
		this.ended = true;
		this.wake?.();
		await this.handling;
	}

	get stdout(): string {
		return this.kept.stdout.text.join("");
	}
	get stderr(): string {
		return this.kept.stderr.text.join("");
	}
	get truncated(): { stdout: number; stderr: number } {
		return { stdout: this.kept.stdout.cut, stderr: this.kept.stderr.cut };
	}

	/** From the beginning, or as much of it as was kept; for one reader. */
	async *[Symbol.asyncIterator](): AsyncGenerator<OutputChunk, void, undefined> {
		this.reading = true;
		try {
			for (;;) {
				const chunk = this.chunks.shift();
				if (chunk) {
					this.queued -= chunk.bytes.length;
					this.weigh();
					yield chunk;
				} else if (this.ended) {
					return;
				} else {
					await new Promise<void>((resolve) => {
						this.wake = resolve;
					});
				}
			}
		} finally {
			// whoever stops reading holds nobody up
			this.reading = false;
			this.weigh();
		}
	}

	private queue(chunk: OutputChunk): void {
		this.chunks.push(chunk);
		this.queued += chunk.bytes.length;
		this.weigh();
		this.wake?.();
	}

	/** One handler after the other, in the order of the output; without a wait where none asks for one. */
	private handle(stream: StreamName, text: string, bytes: number): void {
		const handler = this.handlers[stream];
		if (!handler) return;
		if (this.handling) {
			this.wait(
				this.handling.then(() => handler(text)),
				bytes,
			);
			return;
		}
		try {
			const done = handler(text);
			if (done instanceof Promise) this.wait(done, bytes);
		} catch (error) {
			this.fail(error);
		}
	}

	private wait(done: Promise<void>, bytes: number): void {
		const last = done
			.catch((error: unknown) => this.fail(error))
			.then(() => {
				this.handled -= bytes;
				if (this.handling === last) this.handling = undefined;
				this.weigh();
			});
		this.handled += bytes;
		this.handling = last;
		this.weigh();
	}

	/** Output that nobody reads is no reason to wait: it is kept up to a bound, and then dropped. */
	private weigh(): void {
		const waiting = this.handled + (this.reading ? this.queued : 0);
		if (this.held ? waiting < LOW : waiting > HIGH) {
			this.held = !this.held;
			this.hold(this.held);
		}
	}
}
