/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `run`. */
#include "base/scope.h"
#include "box/execute.h"
#include "op/args.h"
#include "policy/profile.h"
#include "policy/seccomp.h"

static const char *const net_names[] = { "none", "loopback", NULL };

static const struct op_param params[] = {
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX",
	  "run in this box, which keeps the changes; default: one that goes with the run" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE",
	  "what the box may do: a name that 'aisbx profile ls' shows, or a file (with a '/'); default: "
	  "$AISBX_PROFILE, or dev" },
	{ "driver", 0, OP_CHOICE, 0, "DRIVER", "how the walls are built: native (default)", driver_names },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory cloned writable into the box; default: the current one" },
	{ "cwd", 'C', OP_STRING, OP_MODEL, "DIR", "directory to start in; default: the project" },
	{ "ro", 0, OP_LIST, 0, "HOST[:GUEST]", "show a file or directory, read-only" },
	{ "rw", 0, OP_LIST, 0, "HOST[:GUEST]",
	  "share a file or directory: changes are made to the real one" },
	{ "hide", 0, OP_LIST, 0, "PATH", "cover a file or directory" },
	{ "env", 'e', OP_LIST, OP_MODEL, "NAME[=VALUE]", "set a variable, or pass the caller's on" },
	SECRET_PARAM,
	{ "net", 0, OP_CHOICE, 0, "MODE", "none, or loopback: the box's own", net_names },
	{ "seccomp", 0, OP_CHOICE, 0, "PRESET",
	  "the system calls there are: default, or fewer, for a language: python, javascript, shell, go, "
	  "rust, java, c",
	  seccomp_preset_names },
	{ "no-net", 0, OP_FLAG, 0, NULL, "the same as --net none" },
	OP_LIMIT_PARAMS{
		"services", 0, OP_STRING, 0, "FILE",
		"start the services of this file; default: of the project's aisbx.yaml, if there is one" },
	{ "no-services", 0, OP_FLAG, 0, NULL, "start none" },
	{ "tty", 't', OP_FLAG, 0, NULL, "give the command a terminal of the box's own" },
	{ "detach", 'd', OP_FLAG, OP_MODEL, NULL,
	  "print the run's id and leave it running; see logs, wait, kill" },
	{ "interactive", 'i', OP_FLAG, 0, NULL,
	  "pass standard input on, which is always so; with --detach: keep it open for 'aisbx input'" },
	RECORD_PARAM,
	{ "without", 0, OP_LIST, 0, "WALL",
	  "run with this wall missing; the result says so (see 'aisbx doctor' for names)" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL | OP_MODEL, "COMMAND",
	  "the command and its arguments; behind the profile's entrypoint, if it has one" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "id of this run", .model = true },
	{ "trace_id", "string", "follows the run through logs and traces" },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error", .model = true },
	{ "exit_code", "integer|null", "of the command; null when a signal or limit ended it",
	  .model = true },
	{ "exit_status", "integer", "what aisbx run exits with: the command's own, 124, 126, 127 or 128+N" },
	{ "signal", "integer|null", "that ended the command", .model = true },
	{ "stdout", "string", "what the command wrote; bytes that are not UTF-8 become U+FFFD",
	  .model = true },
	{ "stderr", "string", "as stdout", .model = true },
	{ "truncated", "object", "bytes cut off because of the output limit", .model = true },
	{ "truncated.stdout", "integer", "bytes", .model = true },
	{ "truncated.stderr", "integer", "bytes", .model = true },
	{ "isolation", "object", "the walls around the command, as measured from inside" },
	{ "isolation.driver", "string", "what built them" },
	{ "isolation.level", "string",
	  "full; reduced when a person gave walls up; none when the command never started" },
	{ "isolation.walls", "array", "names of the walls that were read back" },
	{ "isolation.missing", "array", "names of the walls that were given up" },
	{ "isolation.caps", "array", "capabilities kept, valid only inside the box's user namespace" },
	{ "usage", "object", "what the run took", .model = true },
	{ "usage.wall_ms", "number", "from start to end", .model = true },
	{ "usage.cpu_ms", "number", "of all processes of the box" },
	{ "usage.mem_peak", "integer",
	  "most memory of all processes together, bytes; without a control group as seen by looking" },
	{ "usage.pids_peak", "integer",
	  "most processes and threads at once; 0 when nobody had the time to look" },
	{ "usage.disk", "integer", "bytes written that were still there at the end" },
	{ "usage.inodes", "integer", "files, directories and links made that were still there at the end" },
	{ "limits", "object", "every limit the run had: its name, with `value` and `by`, what held it" },
	{ "limit", "object|null", "the limit that ended the run, or refused what it needed", .model = true },
	{ "limit.kind", "string",
	  "wall_time, cpu_time, memory, processes, file_size, disk, inodes or lifetime", .model = true },
	{ "limit.value", "integer", "the limit, in milliseconds or bytes or a plain number", .model = true },
	{ "limit.used", "integer", "what was used of it" },
	{ "limit.raise_with", "string", "the option that sets another", .model = true },
	{ "violations", "array",
	  "what the command tried and was refused, a decoy it opened, the limit it came to", .model = true },
	{ "violations[].kind", "string", "syscall, decoy, net or limit" },
	{ "violations[].what", "string", "what was tried", .model = true },
	{ "violations[].by", "string|null", "name of the program that tried", .model = true },
	{ "violations[].pid", "integer|null", "its process, as the host counts; the first of several" },
	{ "violations[].rule", "string", "the rule that said no", .model = true },
	{ "violations[].allow_with", "string", "what would allow it" },
	{ "violations[].count", "integer", "how often" },
	{ "violations_not_listed", "integer", "of further kinds, when there were too many to keep" },
	{ "services", "array", "what ran beside the command, as the file has them" },
	{ "services[].name", "string", "as in the file" },
	{ "services[].state", "string",
	  "running when the command ended; waiting, starting, restarting; exited with 0 by itself; failed" },
	{ "services[].error", "string|null",
	  "of a failed one: exec, ended, restarts, timeout (not ready in time) or join" },
	{ "services[].restarts", "integer", "how often it was started again" },
	{ "services[].exit_code", "integer|null", "of its last end by itself" },
	{ "services[].signal", "integer|null", "that ended it then" },
	{ "services[].ready_ms", "number|null", "from its start until it was ready" },
	{ "services[].output", "string", "the last of what it wrote" },
	{ "error", "string|null", "why the command could not be executed", .model = true },
	{ "snapshot_error", "string", "only there when the box's automatic snapshot failed: why" },
	{ "unknown_group", "string",
	  "only there when files of the project are of a group that the box does not know: what to do" },
	{ "log_error", "string", "only there when output of a detached run could not be kept: why" },
	{ "detached", "boolean",
	  "with --detach: true, and of the other fields only run, trace_id and box are there" },
	{ "box", "string|null", "with --detach: id of its box, null if that goes with the run" },
	{ "output_error", "string",
	  "only there when output could not be written where the caller wants it: why; the exit status is "
	  "not 0 then" },
	{ "history_error", "string", "only there when the run could not be written to the history: why" },
	{ NULL, NULL, NULL },
};

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_wish_finish) struct run_wish wish = { .replayable = true, .warn_group = true };
	int r = run_wish_read(args, &wish, e);

	if (r == 0)
		r = run_execute(&ctx->by, &wish, &report, e);
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
	.brief = "Run a command in a sandbox: a clone of this machine and of the project, without network, "
		 "whose changes never reach the "
		 "real files. With 'box' the changes stay in that box for later calls; without, they are "
		 "thrown away. Returns stdout, "
		 "stderr and exit code; a long one comes back as status \"running\", then use sandbox_wait.",
	.summary = "Run a command in a fresh clone of this machine",
	.about =
		"Clones this machine as it is, runs COMMAND in the clone behind every wall, and throws the "
		"clone\n"
		"away. The project (the current directory) can be read and written, the system can be read "
		"(and,\n"
		"when root runs it with the profile dev, written); nothing reaches the real files. The home\n"
		"directory is hidden except for toolchains on PATH. There is no network.\n\n"
		"If a wall cannot be built the command does not start (exit status 125) and the message says "
		"what\n"
		"is missing. The exit status is the command's own; 124 a deadline, 125 aisbx failed or "
		"refused,\n"
		"126 and 127 as a shell, 128+N signal N.",
	.example = "aisbx run -- make test\n"
		   "aisbx run --profile strict --timeout 10s --json -- python3 snippet.py\n"
		   "aisbx run -it -- bash\n"
		   "aisbx run --ro ~/data:/data -- ls /data",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
