/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `run`: arguments to a specification, outcome to the one result. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "op/args.h"
#include "op/op.h"

static const char *const profile_names[] = { "dev", "strict", NULL };
static const char *const net_names[] = { "none", "loopback", NULL };
static const char *const driver_names[] = { "native", NULL };

static const struct op_param params[] = {
	{ .name = "box", .letter = 'b', .type = OP_STRING, .value = "BOX",
	  .help = "run in this box, which keeps the changes; default: one that goes with the run" },
	{ .name = "profile", .letter = 'p', .type = OP_CHOICE, .choices = profile_names, .value = "PROFILE",
	  .help = "what the box may do: dev (default) or strict" },
	{ .name = "driver", .type = OP_CHOICE, .choices = driver_names, .value = "DRIVER",
	  .help = "how the walls are built: native (default)" },
	{ .name = "project", .type = OP_STRING, .value = "DIR",
	  .help = "directory cloned writable into the box; default: the current one" },
	{ .name = "cwd", .letter = 'C', .type = OP_STRING, .value = "DIR",
	  .help = "directory to start in; default: the project" },
	{ .name = "ro", .type = OP_LIST, .value = "HOST[:GUEST]", .help = "show a file or directory, read-only" },
	{ .name = "rw", .type = OP_LIST, .value = "HOST[:GUEST]",
	  .help = "share a file or directory: changes are made to the real one" },
	{ .name = "hide", .type = OP_LIST, .value = "PATH", .help = "cover a file or directory" },
	{ .name = "env", .letter = 'e', .type = OP_LIST, .value = "NAME[=VALUE]",
	  .help = "set a variable, or pass the caller's on" },
	{ .name = "net", .type = OP_CHOICE, .choices = net_names, .value = "MODE",
	  .help = "none, or loopback: the box's own" },
	{ .name = "no-net", .type = OP_FLAG, .help = "the same as --net none" },
	{ .name = "timeout", .type = OP_DURATION, .value = "TIME", .help = "end the run after this long; 0: never" },
	{ .name = "disk", .type = OP_SIZE, .value = "SIZE", .help = "bytes the box may write" },
	{ .name = "pids", .type = OP_NUMBER, .value = "N", .help = "processes and threads at once" },
	{ .name = "files", .type = OP_NUMBER, .value = "N", .help = "open files per process" },
	{ .name = "output", .type = OP_SIZE, .value = "SIZE", .help = "bytes let through of each output stream; with --json kept in the result (default 4m)" },
	{ .name = "tty", .letter = 't', .type = OP_FLAG, .help = "give the command a terminal of the box's own" },
	{ .name = "interactive", .letter = 'i', .type = OP_FLAG,
	  .help = "pass standard input on; always so, accepted for habit (-it)" },
	{ .name = "without", .type = OP_LIST, .value = "WALL",
	  .help = "run with this wall missing; the result says so (see 'aisbx doctor' for names)" },
	{ .name = "command", .type = OP_COMMAND, .required = true, .positional = true, .value = "COMMAND",
	  .help = "the command and its arguments" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "id of this run" },
	{ "trace_id", "string", "follows the run through logs and traces" },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error" },
	{ "exit_code", "integer|null", "of the command; null when a signal or limit ended it" },
	{ "signal", "integer|null", "that ended the command" },
	{ "stdout", "string", "what the command wrote; bytes that are not UTF-8 become U+FFFD" },
	{ "stderr", "string", "as stdout" },
	{ "truncated", "object", "bytes cut off because of the output limit" },
	{ "truncated.stdout", "integer", "bytes" },
	{ "truncated.stderr", "integer", "bytes" },
	{ "isolation", "object", "the walls around the command, as measured from inside" },
	{ "isolation.driver", "string", "what built them" },
	{ "isolation.level", "string", "full; reduced when a person gave walls up; none when the command never started" },
	{ "isolation.walls", "array", "names of the walls that were read back" },
	{ "isolation.missing", "array", "names of the walls that were given up" },
	{ "isolation.caps", "array", "capabilities kept, valid only inside the box's user namespace" },
	{ "usage", "object", "what the run took" },
	{ "usage.wall_ms", "number", "from start to end" },
	{ "usage.cpu_ms", "number", "of all processes of the box" },
	{ "usage.mem_peak", "integer", "largest resident set of one process, bytes" },
	{ "usage.disk", "integer", "bytes written that were still there at the end" },
	{ "limit", "object|null", "the limit that ended the run" },
	{ "limit.kind", "string", "wall_time" },
	{ "limit.value", "integer", "the limit, in milliseconds or bytes" },
	{ "limit.used", "integer", "what was used of it" },
	{ "violations", "array", "what the command tried and was refused, or a decoy it opened" },
	{ "violations[].kind", "string", "syscall or decoy" },
	{ "violations[].what", "string", "what was tried" },
	{ "violations[].by", "string|null", "name of the program that tried" },
	{ "violations[].rule", "string", "the rule that said no" },
	{ "violations[].allow_with", "string", "what would allow it" },
	{ "violations[].count", "integer", "how often" },
	{ "violations_not_listed", "integer", "of further kinds, when there were too many to keep" },
	{ "error", "string|null", "why the command could not be executed" },
	{ "snapshot_error", "string", "only there when the box's automatic snapshot failed: why" },
	{ "history_error", "string", "only there when the run could not be written to the history: why" },
	{ NULL, NULL, NULL },
};

static json_t *id(const char *prefix, size_t n_bytes)
{
	unsigned char bytes[16];
	char text[48];
	size_t at = (size_t)snprintf(text, sizeof(text), "%s", prefix);

	if (getrandom(bytes, n_bytes, 0) != (ssize_t)n_bytes)
		memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; i < n_bytes; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%02x", bytes[i]);
	return json_string(text);
}

/* Length of the UTF-8 character at S, 0 when there is none. As RFC 3629: no surrogates, nothing overlong. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3 :
		   s[0] >= 0xF0 && s[0] < 0xF5 ? 4 : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) || (s[0] == 0xF0 && s[1] < 0x90) ||
	    (s[0] == 0xF4 && s[1] >= 0x90))
		return 0;
	return n;
}

/* Output is bytes, JSON is UTF-8: what is no UTF-8 becomes U+FFFD, and NUL stays. */
static json_t *text(const struct buf *b)
{
	scoped(buf_finish) struct buf clean = { 0 };
	size_t start = 0, at = 0;
	json_t *s = json_stringn(b->data ? b->data : "", b->len);

	if (s)
		return s;
	while (at < b->len) {
		size_t n = utf8_length((const unsigned char *)b->data + at, b->len - at);

		if (n) {
			at += n;
			continue;
		}
		buf_add(&clean, b->data + start, at - start);
		buf_add(&clean, "\xEF\xBF\xBD", 3);
		start = ++at;
	}
	buf_add(&clean, b->data + start, at - start);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

static json_t *isolation(const struct driver_result *r)
{
	json_t *walls = json_array(), *missing = json_array(), *caps = json_array();
	const char *level = !r->outcome.started ? "none" : r->missing ? "reduced" : "full";

	for (enum wall w = 0; w < WALL_COUNT; w++)
		if ((r->outcome.walls | r->missing) & (1u << w))
			json_array_append_new(r->outcome.walls & (1u << w) ? walls : missing, json_string(wall_name(w)));
	for (unsigned int cap = 0; cap_name(cap); cap++)
		if (r->outcome.caps & (1ULL << cap))
			json_array_append_new(caps, json_string(cap_name(cap)));
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "driver", "native", "level", level,
			 "walls", walls, "missing", missing, "caps", caps);
}

static json_t *violations(const struct driver_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_violations; i++) {
		const struct violation *v = &r->violations[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s, s:s, s:I}", "kind", v->kind, "what", v->what,
						      "by", v->by, "rule", v->rule, "allow_with", v->allow_with, "count",
						      (json_int_t)v->count));
	}
	return list;
}

struct verdict {
	const char *status;
	int exit_status; /* of aisbx */
	json_t *exit_code, *signal, *limit, *error;
};

static struct verdict judge(const struct driver_result *r, const struct driver_spec *spec)
{
	const struct run_outcome *o = &r->outcome;
	struct verdict v = { "ok", 0, json_null(), json_null(), json_null(), json_null() };

	switch (o->end) {
	case RUN_EXITED:
		if (WIFSIGNALED(o->status)) {
			v.status = o->interrupted_by ? "interrupted" : "failed";
			v.signal = json_integer(WTERMSIG(o->status));
			v.exit_status = 128 + WTERMSIG(o->status);
		} else {
			v.exit_status = WEXITSTATUS(o->status);
			v.exit_code = json_integer(v.exit_status);
			v.status = o->interrupted_by ? "interrupted" : v.exit_status ? "failed" : "ok";
		}
		break;
	case RUN_EXEC_FAILED:
		v.status = "error";
		v.exit_status = o->status == ENOENT ? 127 : 126;
		v.error = o->status < 0 ? json_sprintf("enter '%s': %s", spec->cwd, strerror(-o->status))
					: json_sprintf("execute '%s': %s", spec->argv[0], strerror(o->status));
		break;
	case RUN_DEADLINE:
		v.status = "limit";
		v.exit_status = 124;
		v.limit = json_pack("{s:s, s:I, s:I}", "kind", "wall_time", "value",
				    (json_int_t)spec->profile.timeout_ms, "used", (json_int_t)(o->wall_us / 1000));
		break;
	case RUN_INTERRUPTED:
		v.status = "interrupted";
		v.signal = json_integer(o->status);
		v.exit_status = 128 + o->status;
		break;
	}
	return v;
}

static json_t *report(const struct driver_result *r, const struct driver_spec *spec, int *ret_exit_status)
{
	const struct run_outcome *o = &r->outcome;
	struct verdict v = judge(r, spec);

	*ret_exit_status = v.exit_status;
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:o, s:{s:f, s:f, s:I, s:I}, s:o, s:o, s:I, s:o}",
			 "run", id("r-", 8), "trace_id", id("", 16), "status", v.status, "exit_code", v.exit_code,
			 "signal", v.signal, "stdout", text(&o->output[0]), "stderr", text(&o->output[1]), "truncated",
			 "stdout", (json_int_t)o->dropped[0], "stderr", (json_int_t)o->dropped[1], "isolation",
			 isolation(r), "usage", "wall_ms", (double)o->wall_us / 1000, "cpu_ms",
			 (double)o->cpu_us / 1000, "mem_peak", (json_int_t)o->mem_peak, "disk", (json_int_t)o->disk,
			 "limit", v.limit, "violations", violations(r), "violations_not_listed",
			 (json_int_t)o->trips_not_kept, "error", v.error);
}

/* Into the history. A run that happened is not undone by a full disk: then the result says so. */
static void remember(json_t *report_json, const struct box_request *req)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const json_t *code = json_object_get(report_json, "exit_code");
	scoped(drop_mem) char *dir = box_state_dir(&e);
	scoped(buf_finish) struct buf command = { 0 };
	struct store_run note = { .exit_code = json_is_integer(code) ? json_integer_value(code) : -1,
				  .wall_ms = json_number_value(json_object_get(json_object_get(report_json, "usage"), "wall_ms")) };

	for (size_t i = 0; i < req->argv.n; i++)
		buf_addf(&command, "%s%s", i ? " " : "", req->argv.items[i]);
	note.command = buf_str(&command);
	note.started_ms = box_now_ms() - (int64_t)note.wall_ms;
	snprintf(note.id, sizeof(note.id), "%s", json_string_value(json_object_get(report_json, "run")));
	snprintf(note.status, sizeof(note.status), "%s", json_string_value(json_object_get(report_json, "status")));
	snprintf(note.box, sizeof(note.box), "%s", req->box_id);
	if (dir && note.command)
		store_run_note(dir, &note, &e);
	if (e.code)
		json_object_set_new(report_json, "history_error", json_string(e.text));
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_request_finish) struct box_request req = { 0 };
	scoped(driver_result_finish) struct driver_result outcome = { 0 };
	int r = op_run_request(ctx, args, &req, e);

	if (r == 0)
		r = box_run(&req, &outcome, e);
	if (r < 0) {
		ctx->exit_status = 125;
		return r;
	}
	*ret_result = report(&outcome, &req.spec, &ctx->exit_status);
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	if (outcome.after.code)
		json_object_set_new(*ret_result, "snapshot_error", json_string(outcome.after.text));
	remember(*ret_result, &req);
	return 0;
}

const struct op op_run = {
	.name = "run",
	.summary = "Run a command in a fresh clone of this machine",
	.about = "Clones this machine as it is, runs COMMAND in the clone behind every wall, and throws the clone\n"
		 "away. The project (the current directory) can be read and written, the system can be read (and,\n"
		 "when root runs it with the profile dev, written); nothing reaches the real files. The home\n"
		 "directory is hidden except for toolchains on PATH. There is no network.\n\n"
		 "If a wall cannot be built the command does not start (exit status 125) and the message says what\n"
		 "is missing. The exit status is the command's own; 124 a deadline, 125 aisbx failed or refused,\n"
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
