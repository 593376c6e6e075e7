/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `run-code`: runs a program given as text, with its output, its values and its exception. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/code.h"
#include "box/live_run.h"
#include "op/args.h"
#include "op/code_json.h"
#include "op/path_json.h"
#include "op/scan_json.h"
#include "secret/scrub.h"

/* For who reads what it wrote, not the result. */
static int pass_on(const struct op_context *ctx, const json_t *result, struct aisbx_error *e)
{
	const char *out = op_text(result, "stdout"), *err = op_text(result, "stderr"),
		   *value = op_text(result, "text");
	const char *trace = op_text(json_object_get(result, "exception"), "traceback");
	int n = 0;

	if (ctx->by.out_fds[0] >= 0 && out)
		n = dprintf(ctx->by.out_fds[0], "%s%s%s", out, value ? value : "", value ? "\n" : "");
	if (n >= 0 && ctx->by.out_fds[1] >= 0 && err)
		n = dprintf(ctx->by.out_fds[1], "%s%s", err, trace ? trace : "");
	return n < 0 && errno != EPIPE ? aisbx_fail(e, AISBX_AREA_RUN, errno,
						    "write the output of the program; the rest of it is lost")
				       : 0;
}

static int check_context(const json_t *args, struct aisbx_error *e)
{
	static const char *const others[] = { "out", "profile", "ro",     "secret",
					      "net", "args",    "driver", "fuel" };
	const char *name = op_text(args, "context");

	if (!name || !op_text(args, "box"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--box, --context, --end-context and --idle are for an interpreter that "
				    "stays: give both --box and --context");
	if (!context_is_name(name))
		return context_refuse_name(name, e);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (json_object_get(args, others[i]))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "--%s applies to a new box and cannot be used with --context",
					    others[i]);
	return 0;
}

static int run_in_context(struct op_context *ctx, const json_t *args, struct code_request *req,
			  json_t **ret_result, struct aisbx_error *e)
{
	scoped(code_result_finish) struct code_result done = { .files_error = AISBX_ERROR_INIT };
	int r = check_context(args, e);

	req->has_timeout = value_ms(json_object_get(args, "timeout"), &req->timeout_ms);
	value_ms(json_object_get(args, "idle"), &req->idle_ms);
	if (r == 0)
		r = code_run_in_context(&ctx->by, req, &done, e);
	ctx->exit_status = r < 0 ? 125 : done.exit_status;
	if (r < 0)
		return r;
	*ret_result = op_context_json(req, &done);
	if (req->end_context)
		return 0;
	if (done.hide)
		scrub_json(*ret_result, scrub_secrets, done.hide);
	r = pass_on(ctx, *ret_result, e);
	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(code_result_finish) struct code_result done = { .files_error = AISBX_ERROR_INIT };
	scoped(code_request_finish) struct code_request req = { .lang = op_text(args, "lang"),
								.file = op_text(args, "file"),
								.text = op_text(args, "code"),
								.out = op_text(args, "out"),
								.policy = op_text(args, "policy"),
								.driver = op_text(args, "driver"),
								.yes = op_flag(args, "yes"),
								.context = op_text(args, "context"),
								.end_context = op_flag(args, "end-context"),
								.idle_ms = 1800000 };
	int r = run_options_read(args, &req.options, e);

	if (r == 0 && (op_text(args, "box") || req.context || json_object_get(args, "end-context") ||
		       json_object_get(args, "idle")))
		return run_in_context(ctx, args, &req, ret_result, e);
	value_list(json_object_get(args, "args"), &req.options.command);
	if (r == 0)
		r = code_run(&ctx->by, &req, &done, e);
	ctx->exit_status = r < 0 ? 125 : done.exit_status;
	if (r < 0)
		return r;
	*ret_result = op_code_json(&req, &done);
	if (done.hide)
		scrub_json(*ret_result, scrub_secrets, done.hide);
	return 0;
}

static const struct op_param params[] = {
	{ "lang", 'l', OP_CHOICE, OP_REQUIRED, "LANG", "its language", code_languages },
	{ "code", 0, OP_STRING, OP_MODEL, "TEXT", "the program itself" },
	{ "driver", 0, OP_CHOICE, OP_MODEL, "DRIVER", "auto: wasm if it suffices", code_drivers },
	{ "fuel", 0, OP_NUMBER, 0, "N",
	  "with the driver wasm: instructions that the program may execute; 0: no limit" },
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX", "with --context: box of the interpreter" },
	{ "context", 0, OP_STRING, OP_MODEL, "NAME",
	  "use an interpreter that stays in the box and remembers earlier programs" },
	{ "end-context", 0, OP_FLAG, 0, NULL, "end that interpreter; takes no program" },
	{ "idle", 0, OP_DURATION, 0, "TIME",
	  "when starting the interpreter: end it after this idle time; default: 30min, 0: with its box" },
	{ "out", 'o', OP_STRING, 0, "DIR",
	  "copy the files that the program left in its directory to this one; nothing is overwritten, and "
	  "traps are not copied" },
	{ "policy", 0, OP_STRING, 0, "POLICY",
	  "scan the program with this policy first; default: as in the profile; none: no scan" },
	{ "yes", 'y', OP_FLAG, 0, NULL, "run it if the policy says to ask, and with --out copy traps, too" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE",
	  "what the box may do; default: the profile of the language" },
	{ "ro", 0, OP_LIST, 0, "HOST[:GUEST]", "make a file or directory visible, read-only" },
	{ "env", 'e', OP_LIST, OP_MODEL, "NAME[=VALUE]",
	  "set a variable, or pass on the caller's value; with --context it stays set there" },
	SECRET_PARAM,
	NET_PARAM,
	{ "timeout", 0, OP_DURATION, OP_MODEL, "TIME", "end the program after this time; 0: never" },
	{ "cpu", 0, OP_CORES, 0, "N", "maximum number of processors, such as 2 or 0.5; 0: all" },
	{ "cpu-time", 0, OP_DURATION, 0, "TIME", "processor time of all processes together" },
	{ "mem", 'm', OP_SIZE, 0, "SIZE", "memory of all processes together" },
	{ "disk", 0, OP_SIZE, 0, "SIZE", "bytes the program may write" },
	{ "inodes", 0, OP_NUMBER, 0, "N", "files, directories and links it may make" },
	{ "file-size", 0, OP_SIZE, 0, "SIZE", "bytes of one file" },
	{ "pids", 0, OP_NUMBER, 0, "N", "processes and threads at once" },
	{ "files", 0, OP_NUMBER, 0, "N", "open files per process" },
	{ "output", 0, OP_SIZE, 0, "SIZE", "bytes of each output stream that are passed on" },
	{ "file", 0, OP_STRING, OP_POSITIONAL, "FILE",
	  "the program; - (default): standard input, which the program then cannot read" },
	{ "args", 0, OP_COMMAND, OP_POSITIONAL | OP_MODEL, "ARG", "arguments of the program" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "run id; fields that are not listed here are as in the result of run",
	  .model = true },
	{ "status", "string", "ok, failed, limit, denied (by the scan: nothing ran), interrupted or error",
	  .model = true },
	{ "exit_code", "integer|null", "of the interpreter", .model = true },
	{ "exit_status", "integer", "exit status of aisbx run-code" },
	{ "stdout", "string", "output of the program", .model = true },
	{ "stderr", "string", "as stdout", .model = true },
	{ "language", "string", "as given" },
	{ "driver", "object", "only present if --driver was given: what ran it" },
	{ "driver.name", "string", "native or wasm" },
	{ "driver.why", "string", "why, in words" },
	{ "scan", "object|null", "findings of the scan; null: not scanned" },
	SCAN_FIELDS("scan."),
	{ "exception", "object|null",
	  "exception of a failed program, if stderr shows it and is part of the result", .model = true },
	{ "exception.name", "string|null", "such as ValueError; null for shell", .model = true },
	{ "exception.message", "string|null", "message", .model = true },
	{ "exception.line", "integer|null", "line of the program", .model = true },
	{ "exception.traceback", "string|null", "with --context: the whole traceback" },
	{ "box", "string", "with --context: as given" },
	{ "context", "string", "with --context: as given" },
	{ "context_new", "boolean",
	  "with --context: the interpreter was started for this call, so it has no earlier definitions",
	  .model = true },
	{ "context_ended", "boolean", "with --context: the interpreter has ended, and its state is lost" },
	{ "engine", "string|null", "with --context: ipykernel, if the box's Python has it; else plain" },
	{ "text", "string|null",
	  "value of the last expression, as the language prints it; null: none, or the language is shell",
	  .model = true },
	{ "results", "array",
	  "values that the program showed: open matplotlib figures, then its last expression" },
	RESULTS_FIELDS("results[]."),
	{ "charts", "array", "with --context: the figures among the results, as PNG in base64" },
	{ "files", "array",
	  "regular files that the program left in its directory, by path; with --context: those of the "
	  "project "
	  "that were made or changed while it ran",
	  .model = true },
	PATH_FIELDS("files[].", "relative to the directory, or to the project"),
	{ "files[].size", "integer", "bytes", .model = true },
	{ "files[].media", "string|null",
	  "type of a picture or document, by its first bytes: image/png, image/svg+xml, ..." },
	{ "files[].error", "string|null", "with --out: why it was not copied" },
	{ "files_not_listed", "integer",
	  "links and other special files, files beyond the first thousand, directories that could not be "
	  "read" },
	{ "files_error", "string", "only present if the files could not be listed: why" },
	{ "violations", "array", "as in the result of run" },
	{ "limit", "object|null", "as in the result of run", .model = true },
	{ "error", "string|null", "why the program could not be started", .model = true },
	{ NULL, NULL, NULL },
};

/* Of those that change nothing on the way to the box. */
static const char *const ahead[] = { "code",     "driver", "lang", "policy", "profile", "timeout",   "cpu",
				     "cpu-time", "mem",    "disk", "inodes", "pids",    "file-size", "files",
				     "output",   "fuel",   "args", "yes",    NULL };

const struct op op_run_code = {
	.name = "run-code",
	.ahead = ahead,
	.group = GROUP_RUN,
	.view = VIEW_RUN,
	.method = "run.code",
	.tool = "sandbox_run_code",
	.brief = "Run a program given as text, in a throwaway box with an empty directory; a scan refuses "
		 "dangerous ones. Returns output, exception, pictures, names of files it left.",
	.summary = "Run a program given as text, in a box of its own",
	.about =
		"Scans a program in Python, JavaScript or shell, then runs it in a fresh clone of this\n"
		"machine with the profile of its language: no network, low limits, a read-only system. If\n"
		"the scan policy refuses the program, it does not run (exit status 125); if the policy\n"
		"says to ask, --yes confirms. The program is a file on a tmpfs of the box, never on a\n"
		"disk of the host; it starts in an empty directory. Files that it leaves there are\n"
		"listed, and copied out with --out; then everything is discarded. The caller's current\n"
		"directory is not visible to it. Files that are traps at their destination (a tool of\n"
		"yours would obey them without being asked, such as an editor's task or a git hook) are\n"
		"not copied without --yes; the others are.\n\n"
		"With --driver wasm it runs as WebAssembly, with --driver auto if nothing in it needs more\n"
		"than that has; the result says which and why (docs/wasm.md).\n\n"
		"The result has the value of the program's last expression, for Python and JavaScript, and\n"
		"of Python in every form that a notebook would show: HTML, PNG and so on.\n\n"
		"With FILE or --code the program can read standard input. Exit status as for 'aisbx run'.\n\n"
		"With --box and --context it runs in an interpreter that stays in that box: variables,\n"
		"imports and the directory are as earlier programs left them. The first call starts it, for\n"
		"Python in the project's .venv if there is one; it ends with the box, by --end-context, or\n"
		"when it was idle too long. A program that exceeds --timeout is interrupted; if it does not\n"
		"stop, the interpreter ends. 'aisbx contexts' lists them.",
	.example = "echo 'print(6 * 7)' | aisbx run-code --lang python\n"
		   "aisbx run-code --lang javascript --json --out charts report.js -- 2024\n"
		   "aisbx run-code --lang shell --code 'ls -l /'\n"
		   "aisbx run-code --lang python --box try1 --context main --code 'x = 6 * 7'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
