// SPDX-License-Identifier: Apache-2.0
// What people import.
export {
	Call,
	Client,
	defaultClient,
	type CallOptions,
	type ClientOptions,
	type Connection,
	type Method,
	type StreamName,
} from "./client.js";
export {
	type CodeContext,
	type CodeContextOptions,
	type CodeOptions,
	Execution,
	type ExecutionError,
	type Language,
	type Result,
} from "./code.js";
export {
	type CommandInfo,
	Commands,
	type ConnectCommandOptions,
	type Limits,
	type RunOptions,
} from "./commands.js";
export * from "./errors.js";
export {
	Files,
	type EntryInfo,
	type FilesystemEvent,
	WatchHandle,
	type WatchOptions,
	type WriteOptions,
} from "./files.js";
export { CommandHandle } from "./handle.js";
export type { OutputChunk, OutputHandler } from "./output.js";
export { Pty, PtyHandle, type PtyOptions } from "./pty.js";
export {
	CommandResult,
	type Limit,
	type RawResult,
	type Status,
	type Usage,
	type Violation,
} from "./result.js";
export {
	Sandbox,
	type Change,
	type ConnectOptions,
	type CreateOptions,
	type Diff,
	type DiffOptions,
	type ExperimentOptions,
	type ForkOptions,
	type ListOptions,
	type Metrics,
	type PromoteOptions,
	type Promotion,
	type SandboxInfo,
	type SnapshotInfo,
} from "./sandbox.js";
export type * from "./types.js";
