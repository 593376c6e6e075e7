/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `run`: arguments to a specification, outcome to the one result. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/owner.h"
#include "op/args.h"
#include "op/output.h"
#include "op/running.h"
#include "op/scrub.h"
#include "policy/seccomp.h"

static const char *const net_names[] = { "none", "loopback", NULL };
static const char *const driver_names[] = { "native", NULL };

static const struct op_param params[] = {
	{ .name = "box",
	  .letter = 'b',
	  .type = OP_STRING,
	  .value = "BOX",
	  .help = "run in this box, which keeps the changes; default: one that goes with the run",
	  .model = true },
	{ .name = "profile",
	  .letter = 'p',
	  .type = OP_STRING,
	  .value = "PROFILE",
	  .help = "what the box may do: a name that 'aisbx profile ls' shows, or a file (with a '/'); "
		  "default: $AISBX_PROFILE, or dev" },
	{ .name = "driver",
	  .type = OP_CHOICE,
	  .choices = driver_names,
	  .value = "DRIVER",
	  .help = "how the walls are built: native (default)" },
	{ .name = "project",
	  .type = OP_STRING,
	  .value = "DIR",
	  .help = "directory cloned writable into the box; default: the current one" },
	{ .name = "cwd",
	  .letter = 'C',
	  .type = OP_STRING,
	  .value = "DIR",
	  .help = "directory to start in; default: the project",
	  .model = true },
	{ .name = "ro",
	  .type = OP_LIST,
	  .value = "HOST[:GUEST]",
	  .help = "show a file or directory, read-only" },
	{ .name = "rw",
	  .type = OP_LIST,
	  .value = "HOST[:GUEST]",
	  .help = "share a file or directory: changes are made to the real one" },
	{ .name = "hide", .type = OP_LIST, .value = "PATH", .help = "cover a file or directory" },
	{ .name = "env",
	  .letter = 'e',
	  .type = OP_LIST,
	  .value = "NAME[=VALUE]",
	  .help = "set a variable, or pass the caller's on",
	  .model = true },
	SECRET_PARAM,
	{ .name = "net",
	  .type = OP_CHOICE,
	  .choices = net_names,
	  .value = "MODE",
	  .help = "none, or loopback: the box's own" },
	{ .name = "seccomp",
	  .type = OP_CHOICE,
	  .choices = seccomp_preset_names,
	  .value = "PRESET",
	  .help = "the system calls there are: default, or fewer, for a language: python, javascript, shell, "
		  "go, rust, java, c" },
	{ .name = "no-net", .type = OP_FLAG, .help = "the same as --net none" },
	OP_LIMIT_PARAMS{ .name = "services",
			 .type = OP_STRING,
			 .value = "FILE",
			 .help = "start the services of this file; default: of the project's aisbx.yaml, if "
				 "there is one" },
	{ .name = "no-services", .type = OP_FLAG, .help = "start none" },
	{ .name = "tty",
	  .letter = 't',
	  .type = OP_FLAG,
	  .help = "give the command a terminal of the box's own" },
	{ .name = "detach",
	  .letter = 'd',
	  .type = OP_FLAG,
	  .help = "print the run's id and leave it running; see logs, wait, kill",
	  .model = true },
	{ .name = "interactive",
	  .letter = 'i',
	  .type = OP_FLAG,
	  .help = "pass standard input on, which is always so; with --detach: keep it open for 'aisbx "
		  "input'" },
	RECORD_PARAM,
	{ .name = "without",
	  .type = OP_LIST,
	  .value = "WALL",
	  .help = "run with this wall missing; the result says so (see 'aisbx doctor' for names)" },
	{ .name = "command",
	  .type = OP_COMMAND,
	  .positional = true,
	  .value = "COMMAND",
	  .help = "the command and its arguments; behind the profile's entrypoint, if it has one",
	  .model = true },
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

/* Output is bytes, JSON is UTF-8: what is no UTF-8 becomes U+FFFD, and NUL stays. */
static json_t *text(const struct buf *b)
{
	scoped(buf_finish) struct buf clean = { 0 };
	json_t *s = json_stringn(b->data ? b->data : "", b->len);

	if (s)
		return s;
	buf_add_utf8(&clean, b->data, b->len);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

static json_t *isolation(const struct driver_result *r)
{
	json_t *walls = json_array(), *missing = json_array(), *caps = json_array();
	const char *level = !r->outcome.started ? "none" : r->missing ? "reduced" : "full";

	for (enum wall w = 0; w < WALL_COUNT; w++)
		if ((r->outcome.walls | r->missing) & (1u << w))
			json_array_append_new(r->outcome.walls & (1u << w) ? walls : missing,
					      json_string(wall_name(w)));
	for (unsigned int cap = 0; cap_name(cap); cap++)
		if (r->outcome.caps & (1ULL << cap))
			json_array_append_new(caps, json_string(cap_name(cap)));
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "driver", "native", "level", level, "walls", walls,
			 "missing", missing, "caps", caps);
}

static json_t *violations(const struct driver_result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_violations; i++) {
		const struct violation *v = &r->violations[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s?, s:o, s:s, s:s, s:I}", "kind", v->kind,
						"what", v->what, "by", v->by, "pid",
						v->pid ? json_integer(v->pid) : json_null(), "rule", v->rule,
						"allow_with", v->allow_with, "count", (json_int_t)v->count));
	}
	return list;
}

static json_t *services(const struct run_outcome *o)
{
	static const char *const states[] = {
		[RUN_SERVICE_WAITING] = "waiting", [RUN_SERVICE_STARTING] = "starting",
		[RUN_SERVICE_RUNNING] = "running", [RUN_SERVICE_RESTARTING] = "restarting",
		[RUN_SERVICE_EXITED] = "exited",   [RUN_SERVICE_FAILED] = "failed"
	};
	json_t *list = json_array();

	for (size_t i = 0; i < o->n_services; i++) {
		const struct run_service_end *s = &o->services[i];
		bool exited = s->has_status && WIFEXITED(s->status),
		     signalled = s->has_status && WIFSIGNALED(s->status);

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s?, s:i, s:o, s:o, s:o, s:o}", "name", s->name, "state",
				  states[s->state], "error", s->error, "restarts", (int)s->restarts,
				  "exit_code", exited ? json_integer(WEXITSTATUS(s->status)) : json_null(),
				  "signal", signalled ? json_integer(WTERMSIG(s->status)) : json_null(),
				  "ready_ms",
				  s->ready_us >= 0 ? json_real((double)s->ready_us / 1000) : json_null(),
				  "output", text(&s->tail)));
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
		v.error = o->status < 0
				  ? json_sprintf("enter '%s': %s", spec->cwd, strerror(-o->status))
				  : json_sprintf("execute '%s': %s", spec->argv[0], strerror(o->status));
		break;
	case RUN_STOPPED:
		/* By time as timeout(1); by memory as what the kernel does to who takes too much. */
		v.exit_status = o->limit == LIMIT_MEMORY || o->limit == LIMIT_DISK || o->limit == LIMIT_INODES
					? 137
					: 124;
		break;
	case RUN_INTERRUPTED:
		v.status = "interrupted";
		v.signal = json_integer(o->status);
		v.exit_status = 128 + o->status;
		break;
	case RUN_SERVICE:
		v.status = "error";
		v.exit_status = 125;
		v.error = json_string(o->failure ? o->failure : "a service failed");
		break;
	}
	if (o->limit != LIMIT_COUNT) {
		v.status = "limit";
		v.limit = json_pack("{s:s, s:I, s:I, s:o}", "kind", limit_name(o->limit), "value",
				    (json_int_t)r->limits[o->limit], "used", (json_int_t)o->limit_used,
				    "raise_with", json_sprintf("--%s", limit_option(o->limit)));
	}
	return v;
}

/* Every limit there was, and what held it. */
static json_t *limits(const struct driver_result *r)
{
	json_t *all = json_object();

	for (enum limit l = 0; l < LIMIT_COUNT; l++)
		if (r->limits[l])
			json_object_set_new(all, limit_name(l),
					    json_pack("{s:I, s:s?}", "value", (json_int_t)r->limits[l], "by",
						      r->held_by[l]));
	return all;
}

static json_t *report(const struct driver_result *r, const struct driver_spec *spec, const char *run_id,
		      const char *trace_id, int *ret_exit_status)
{
	const struct run_outcome *o = &r->outcome;
	struct verdict v = judge(r, spec);

	*ret_exit_status = v.exit_status;
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:o, s:{s:f, s:f, s:I, s:I, s:I, "
			 "s:I}, s:o, s:o, s:o, s:I, s:o, s:o}",
			 "run", run_id, "trace_id", trace_id, "status", v.status, "exit_code", v.exit_code,
			 "signal", v.signal, "stdout", text(&o->output[0]), "stderr", text(&o->output[1]),
			 "truncated", "stdout", (json_int_t)o->dropped[0], "stderr",
			 (json_int_t)o->dropped[1], "isolation", isolation(r), "usage", "wall_ms",
			 (double)o->wall_us / 1000, "cpu_ms", (double)o->usage.cpu_us / 1000, "mem_peak",
			 (json_int_t)o->usage.mem_peak, "pids_peak", (json_int_t)o->usage.pids_peak, "disk",
			 (json_int_t)o->usage.disk, "inodes", (json_int_t)o->usage.inodes, "limits",
			 limits(r), "limit", v.limit, "violations", violations(r), "violations_not_listed",
			 (json_int_t)o->trips_not_kept, "services", services(o), "error", v.error);
}

static json_t *without_output(const json_t *list)
{
	json_t *copy = json_deep_copy(list), *item;
	size_t i;

	json_array_foreach(copy, i, item) json_object_del(item, "output");
	return copy;
}

/* The result without output, which may be secret and is long; heap, or NULL. */
static char *kept_result(const json_t *report_json, json_t *record)
{
	json_t *copy = json_copy((json_t *)report_json);
	char *text_json;

	json_object_del(copy, "stdout");
	json_object_del(copy, "stderr");
	json_object_set_new(copy, "services", without_output(json_object_get(copy, "services")));
	if (record)
		json_object_set(copy, "record", record);
	text_json = json_dumps(copy, JSON_COMPACT);
	json_decref(copy);
	return text_json;
}

/* What the command said did not get where the caller wants it: that is no success. */
static void tell_unwritten(json_t *report_json, const struct run_outcome *o, int *exit_status)
{
	int which = o->unwritten[0] ? 0 : 1;

	if (!o->unwritten[which])
		return;
	json_object_set_new(
		report_json, "output_error",
		json_sprintf("write the command's output to standard %s: %s; the rest of it is lost",
			     which ? "error" : "output", strerror(o->unwritten[which])));
	if (!*exit_status)
		*exit_status = 125;
}

/* Who waits for it is told from there. */
static void keep_end(const char *id, const char *kept, const json_t *report_json)
{
	static const char *const least[] = { "run", "status", "exit_code", "exit_status", "signal", "error" };
	scoped(drop_mem) char *shorter = NULL;
	json_t *j = json_object();

	for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
		json_object_set(j, least[i], json_object_get(report_json, least[i]));
	shorter = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	box_run_end(id, kept, shorter);
}

/* Into the history. A run that happened is not undone by a full disk: then the result says so. */
static void remember(json_t *report_json, const struct box_request *req, json_t *record, bool is_kept)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const json_t *code = json_object_get(report_json, "exit_code");
	scoped(drop_mem) char *dir = box_state_dir(&e);
	scoped(drop_mem) char *kept = kept_result(report_json, record);
	scoped(buf_finish) struct buf command = { 0 };
	struct store_run note = { .result = kept,
				  .exit_code = json_is_integer(code) ? json_integer_value(code) : -1,
				  .wall_ms = json_number_value(
					  json_object_get(json_object_get(report_json, "usage"),
							  "wall_ms")) };

	if (op_run_command(req, SIZE_MAX, &command))
		note.command = buf_str(&command);
	note.started_ms = box_now_ms() - (int64_t)note.wall_ms;
	snprintf(note.id, sizeof(note.id), "%s", json_string_value(json_object_get(report_json, "run")));
	snprintf(note.status, sizeof(note.status), "%s",
		 json_string_value(json_object_get(report_json, "status")));
	snprintf(note.box, sizeof(note.box), "%s", req->box_id);
	snprintf(note.owner, sizeof(note.owner), "%s", box_acting_for() ? box_acting_for() : "");
	if (dir && note.command)
		store_run_note(dir, &note, &e);
	if (e.code) {
		keep_end(req->run_id, kept, report_json);
		aisbx_context(&e, "the history has no record of this run");
	} else {
		if (is_kept)
			box_run_end_drop(req->run_id);
		if (dir && store_look(dir, NULL, &e) < 0)
			aisbx_context(&e, "the run is noted");
	}
	if (e.code)
		json_object_set_new(report_json, "history_error", json_string(e.text));
}

/* What others see of the run, and where its output is kept if the caller wants that. */
struct kept {
	char *about; /* owned */
	int dir;     /* owned */
	struct runlog log;
	struct run_face *face; /* borrowed; has them until then */
};

static void kept_finish(struct kept *k)
{
	if (k->face) {
		k->face->about = NULL;
		k->face->log = NULL;
	}
	free(k->about);
	drop_fd(&k->dir);
	drop_fd(&k->log.fd);
}

static void tell_begun(void *ctx)
{
	const struct op_running *how = ctx;

	how->ctx->begun(how->ctx, how->run_id, how->trace_id);
}

static int show_face(const struct op_context *ctx, const struct box_request *req, struct op_running *how,
		     struct kept *k, struct aisbx_error *e)
{
	struct run_face *face = &how->face;
	int r;

	face->listener = how->presence.listener;
	if (face->about) /* who detached it has seen to that, and to tell the caller, whom nobody here can
			    reach any more */
		return 0;
	k->face = face;
	face->started = ctx->begun ? tell_begun : NULL;
	face->started_ctx = how;
	face->about = k->about = op_run_about(req, how->trace_id, false);
	if (!(ctx->keep_output || how->record.on) || !k->about)
		return 0;
	r = box_run_keep(req->run_id, k->about, &k->dir, e);
	if (r == 0)
		r = runlog_create(k->dir, BOX_RUN_LOG, &k->log, e);
	if (r < 0)
		return r;
	if (!ctx->keep_output) { /* a recorded one: the output goes where it would, and what is compared one
				    day is kept beside */
		how->record.log = &k->log;
		return 0;
	}
	face->log_dir = k->dir;
	face->log = &k->log;
	return 0;
}

/* Of each stream, of a run whose output is kept in a log: the end of it. */
#define KEPT_IN_RESULT (1u << 20)

int op_run_here(struct op_context *ctx, struct box_request *req, struct op_running *how, json_t **ret_result,
		struct aisbx_error *e)
{
	scoped(driver_result_finish) struct driver_result outcome = { 0 };
	scoped(kept_finish) struct kept kept = { .dir = -1, .log.fd = -1 };
	scoped(drop_redactor) struct redactor *hide = NULL;
	struct run_face *face = &how->face;
	json_t *record;
	int r = op_run_hide(req, &hide, e);

	if (r == 0)
		r = show_face(ctx, req, how, &kept, e);
	if (r < 0)
		return r;
	req->spec.face = face;
	r = box_run(req, &outcome, e);
	if (r < 0 && kept.dir >= 0) /* no command was started */
		box_run_forget(req->run_id);
	if (r < 0 && hide)
		op_scrub_error(e, op_run_scrub, hide);
	if (r < 0)
		return r;
	if (face->log)
		runlog_close(face->log);
	if (how->record.log)
		runlog_close(how->record.log);
	*ret_result = report(&outcome, &req->spec, req->run_id, how->trace_id, &ctx->exit_status);
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	tell_unwritten(*ret_result, &outcome.outcome, &ctx->exit_status);
	json_object_set_new(*ret_result, "exit_status", json_integer(ctx->exit_status));
	if (kept.dir >= 0 && ctx->keep_output &&
	    ctx->out_fds[0] < 0) { /* kept as well, not instead: it went to the log alone */
		struct aisbx_error late = AISBX_ERROR_INIT;

		op_add_output(req->run_id, KEPT_IN_RESULT, *ret_result, &late);
	}
	if (outcome.after.code)
		json_object_set_new(*ret_result, "snapshot_error", json_string(outcome.after.text));
	if (face->log && face->log->error)
		json_object_set_new(*ret_result, "log_error", json_string(strerror(face->log->error)));
	record = op_record_end(&how->record, req);
	if (hide) {
		op_scrub_json(*ret_result, op_run_scrub, hide);
		op_scrub_json(record, op_run_scrub, hide);
	}
	remember(*ret_result, req, record, kept.dir >= 0 || face->log);
	json_decref(record);
	return 0;
}

static int check_detach(const json_t *args, struct aisbx_error *e)
{
	return json_is_true(json_object_get(args, "tty"))
		       ? aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				      "a terminal needs somebody at it: leave --tty out, or --detach")
		       : 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_request_finish) struct box_request req = { 0 };
	scoped(op_running_finish) struct op_running how = OP_RUNNING_INIT;
	bool detach = json_is_true(json_object_get(args, "detach"));
	struct op_context seen = *ctx;
	char group[320] = "";
	int r = detach ? check_detach(args, e) : 0;

	if (detach) { /* it has no caller to read from or write to */
		seen.stdin_fd = -1;
		seen.out_fds[0] = seen.out_fds[1] = 0;
	}
	if (r == 0)
		r = op_running_begin(ctx, &how, &req, detach, e);
	if (r == 0)
		r = op_run_request(&seen, args, &req, e);
	req.interpreter = ctx->interpreter;
	/* When it starts: afterwards it would explain what somebody has searched for already. */
	if (r == 0 && driver_unknown_group(req.spec.project, group, sizeof(group)) && ctx->out_fds[1] > 0)
		dprintf(ctx->out_fds[1], "aisbx: %s\n", group);
	if (r == 0)
		r = op_record_begin(&how.record, &seen, args, &req, &how.face, e);
	if (r == 0 && detach)
		r = op_run_detached(&req, json_is_true(json_object_get(args, "interactive")), &how,
				    ret_result, e);
	else if (r == 0)
		r = op_run_here(ctx, &req, &how, ret_result, e);
	if (r == 0 && *group)
		json_object_set_new(*ret_result, "unknown_group", json_string(group));
	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

const struct op op_run = {
	.name = "run",
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
