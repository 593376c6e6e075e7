/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `run`. */
#include "base/scope.h"
#include "box/execute.h"
#include "op/args.h"
#include "op/image.h"
#include "policy/profile.h"
#include "policy/seccomp.h"

static const struct op_param params[] = {
	{ "box", 'b', OP_STRING, OP_MODEL | OP_CURRENT, "BOX",
	  "run in this box, which keeps the changes; default: a new box that is removed after the run" },
	PROFILE_PARAM,
	{ "image", 0, OP_STRING, 0, "IMAGE",
	  "run on top of this image, not of this machine, with its entrypoint, variables, user and working "
	  "directory; the project is there only with --project or --here" },
	IDS_PARAM,
	PULL_PARAM,
	{ "driver", 0, OP_STRING, 0, "DRIVER",
	  "driver that builds the walls: native (default), oci or oci:RUNTIME (runc, crun, runsc, or the "
	  "path of one), wasm (the command is a module, or python3 or node as WebAssembly), or chroot (the "
	  "last resort, for root); 'aisbx doctor' lists the runtimes" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory that is cloned as writable into the box; default: the current one, or on the "
	  "command line the project that it is in" },
	HERE_PARAM,
	FRESH_PARAM,
	{ "cwd", 'C', OP_STRING, OP_MODEL, "DIR", "directory to start in; default: the project" },
	RUN_BOX_PARAMS,
	TTY_PARAMS,
	TTY_SIZE_PARAMS,
	{ "detach", 'd', OP_FLAG, OP_MODEL, NULL,
	  "print the run's name and return at once; see logs, wait, attach, kill" },
	{ "name", 0, OP_STRING, 0, "NAME",
	  "name of the run, accepted wherever a run id is; default with --detach: two words" },
	{ "interactive", 'i', OP_FLAG, 0, NULL,
	  "pass on standard input, which is always the case; with --detach: keep it open for 'aisbx input' "
	  "and "
	  "'aisbx attach'" },
	RECORD_PARAM,
	{ "without", 0, OP_LIST, 0, "WALL",
	  "run without this wall; the result says so ('aisbx doctor' lists the names)" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL | OP_MODEL, "COMMAND",
	  "the command and its arguments; appended to the profile's entrypoint, if it has one" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "run id", .model = true },
	{ "name", "string", "only present if it has one: its name" },
	{ "trace_id", "string", "identifies the run in logs and traces" },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error", .model = true },
	{ "exit_code", "integer|null", "of the command; null if a signal or limit ended it", .model = true },
	{ "exit_status", "integer", "exit status of aisbx run: the command's own, 124, 126, 127 or 128+N" },
	{ "signal", "integer|null", "signal that ended the command", .model = true },
	{ "stdout", "string", "output of the command; what is not UTF-8 becomes U+FFFD", .model = true },
	{ "stderr", "string", "as stdout", .model = true },
	{ "truncated", "object", "bytes cut off, per stream", .model = true },
	{ "truncated.stdout", "integer", "bytes" },
	{ "truncated.stderr", "integer", "bytes" },
	{ "isolation", "object", "the walls around the command, as measured from inside" },
	{ "isolation.driver", "string", "driver that built them" },
	{ "isolation.runtime", "string", "of driver oci: the runtime and its version" },
	{ "isolation.level", "string",
	  "full; reduced if walls were disabled; none if the command never started" },
	{ "isolation.walls", "array", "names of the walls that were verified" },
	{ "isolation.missing", "array", "names of the walls that were disabled" },
	{ "isolation.caps", "array", "capabilities kept, valid only inside the box's user namespace" },
	{ "isolation.devices", "array", "what --device, --gpu or the profile showed of /dev" },
	{ "usage", "object", "resources used by the run", .model = true },
	{ "usage.wall_ms", "number", "time from start to end", .model = true },
	{ "usage.queued_ms", "integer",
	  "only present if it waited for its turn before (queue.yaml): how long" },
	{ "usage.cpu_ms", "number", "of all processes of the box" },
	{ "usage.mem_peak", "integer",
	  "peak memory of all processes together, bytes; without a control group by sampling" },
	{ "usage.pids_peak", "integer", "peak number of processes and threads; 0 if it was not sampled" },
	{ "usage.disk", "integer", "bytes written that still existed at the end" },
	{ "usage.inodes", "integer", "files, directories and links made that still existed at the end" },
	{ "usage.fuel", "integer",
	  "only present with the driver wasm: instructions that the program executed; the same for the same "
	  "program and input on every machine",
	  .told = true },
	{ "trap", "string",
	  "only present if a WebAssembly program was stopped in the middle: stack_overflow, unreachable, "
	  "memory_out_of_bounds, division_by_zero ...",
	  .told = true },
	{ "limits", "object",
	  "every limit that really held: its name, with `value` and `by`, what enforced it; `asked` if the "
	  "caller may not have that much itself; of files `soft`, what a program has without asking for "
	  "more. `memory` is null if it was lifted" },
	{ "limit", "object|null", "the limit that ended the run, or that was reached", .model = true },
	{ "limit.kind", "string",
	  "wall_time, cpu_time, memory, processes, files, file_size, disk, inodes, lifetime or fuel",
	  .model = true },
	{ "limit.value", "integer", "in milliseconds, bytes or a plain number", .model = true },
	{ "limit.used", "integer", "amount used" },
	{ "limit.raise_with", "string", "the option that changes it", .model = true },
	{ "limit.sure", "boolean",
	  "false: nobody counted it; the last output of the command, which failed, says so", .told = true },
	{ "violations", "array",
	  "what the command tried and was refused, decoys it opened, limits it reached", .model = true },
	{ "violations[].kind", "string", "syscall, decoy, net, limit or import" },
	{ "violations[].what", "string", "what was tried", .model = true },
	{ "violations[].by", "string|null", "name of the program that tried", .told = true },
	{ "violations[].pid", "integer|null", "its process id on the host; the first of several" },
	{ "violations[].rule", "string", "the rule that refused it", .model = true },
	{ "violations[].allow_with", "string", "what would allow it" },
	{ "violations[].count", "integer", "number of times" },
	{ "violations_not_listed", "integer", "violations of other kinds, if there were too many to store" },
	{ "net", "object", "only present if the box had rules for its network: what it did there" },
	{ "net.hosts", "array", "names that it reached; an address where there is no name" },
	{ "net.connections", "array", "what it wanted of the network, each kind once" },
	{ "net.connections[].act", "string",
	  "lookup (of a name), tcp, udp, or in: from this machine to a published port" },
	{ "net.connections[].name", "string|null", "the name" },
	{ "net.connections[].address", "string|null", "the address" },
	{ "net.connections[].port", "integer|null", "the port" },
	{ "net.connections[].verdict", "string",
	  "allowed; refused by a rule; broken: allowed, but the other side could not be reached" },
	{ "net.connections[].reason", "string|null",
	  "why not: no-rule, bad-name, not-public, wrong-sni ..." },
	{ "net.connections[].rule", "string|null", "the rule that allowed it, or that it exceeded" },
	{ "net.connections[].count", "integer", "number of times" },
	{ "net.connections[].sent", "integer", "bytes from the box" },
	{ "net.connections[].received", "integer", "bytes to the box" },
	{ "net.sent", "integer", "bytes from the box, of all connections out of it" },
	{ "net.received", "integer", "bytes to the box" },
	{ "net.not_kept", "integer", "further kinds that were only counted" },
	{ "services", "array", "services that ran beside the command, as the file names them" },
	{ "services[].name", "string", "as in the file" },
	{ "services[].state", "string",
	  "running when the command ended; waiting, starting, restarting; exited with 0 by itself; failed" },
	{ "services[].error", "string|null",
	  "why it failed: exec, ended, restarts, timeout (not ready in time) or join" },
	{ "services[].restarts", "integer", "number of restarts" },
	{ "services[].exit_code", "integer|null", "when it last ended by itself" },
	{ "services[].signal", "integer|null", "signal that ended it then" },
	{ "services[].ready_ms", "number|null", "time from its start until it was ready" },
	{ "services[].output", "string", "last lines of its output" },
	{ "error", "string|null", "why the command could not be executed", .model = true },
	{ "snapshot_error", "string", "only present if the automatic snapshot of the box failed: why" },
	{ "unknown_group", "string",
	  "only present if files of the project belong to a group that the box does not have: what to do" },
	{ "profile_notes", "string",
	  "only present if the profile uses words of another tool: how they were read, one per line" },
	{ "hidden_environment", "string",
	  "only present if the box does not have an environment or toolchain that is active outside: which, "
	  "and what to do" },
	{ "image_user", "string",
	  "only present if the image wants another user than root and the box has one id only: what its "
	  "commands "
	  "are instead" },
	{ "log_error", "string", "only present if output of a detached run could not be stored: why" },
	{ "detached", "boolean",
	  "with --detach: true; of the other fields only run, name, trace_id and box are present" },
	{ "box", "string|null", "with --detach: id of its box; null if the box is removed after the run" },
	{ "output_error", "string",
	  "only present if output could not be written to its destination: why; the exit status is not 0 "
	  "then" },
	{ "history_error", "string", "only present if the run could not be recorded in the history: why" },
	{ NULL, NULL, NULL },
};

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_options_finish) struct run_options options = { .replayable = true, .warn_group = true };
	int r = run_options_read(args, &options, e);

	options.here = true;
	options.name = op_text(args, "name"); /* elsewhere that is a profile's, or those of branches */
	if (r == 0)
		r = op_pull_missing(ctx, args, options.image, false, e);
	if (r == 0)
		r = run_options_terminal(&ctx->by, &options, e);
	if (r == 0)
		r = run_execute(&ctx->by, &options, &report, e);
	ctx->exit_status = r < 0 ? 125 : report.exit_status;
	*ret_result = json_incref(report.said);
	return r;
}

const struct op op_run = {
	.name = "run",
	.group = GROUP_RUN,
	.view = VIEW_RUN,
	.first = true,
	.method = "run.exec",
	.tool = "sandbox_run",
	.brief = "Run a command in a clone of this machine and project, without network; real files never "
		 "change. With box the changes stay there for later calls, else they are discarded. A long "
		 "run answers with status \"running\": see sandbox_wait.",
	.summary = "Run a command in a fresh clone of this machine",
	.about = "Clones this machine as it is, runs COMMAND in the clone behind every wall, and discards\n"
		 "the clone. The project (the current directory) is readable and writable, the system is\n"
		 "readable (and writable for root with the profile dev); the real files never change. The\n"
		 "home directory is hidden, except for toolchains and the caches of package managers. There "
		 "is\n"
		 "no network.\n\n"
		 "If a wall cannot be built, the command does not start (exit status 125) and the message\n"
		 "says what is missing. The exit status is the command's own; 124 for a deadline, 125 if\n"
		 "aisbx failed or refused, 126 and 127 as in a shell, 128+N for signal N.",
	.example = "aisbx run -- make test\n"
		   "aisbx run --profile strict --timeout 10s --json -- python3 snippet.py\n"
		   "aisbx run -- bash\n"
		   "aisbx run --ro ~/data:/data -- ls /data",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
