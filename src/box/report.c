/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run: status and limits, as the one result that history and operations report. */
#include "box/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/exec_error.h"
#include "box/live_run.h"
#include "box/net_report.h"
#include "box/owner.h"
#include "secret/scrub.h"

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
	json_t *walls = json_array(), *missing = json_array(), *caps = json_array(), *devices = json_array();
	const char *level = !r->outcome.started ? "none" : r->missing ? "reduced" : "full";

	for (enum wall w = 0; w < WALL_COUNT; w++)
		if ((r->outcome.walls | r->missing) & (1u << w))
			json_array_append_new(r->outcome.walls & (1u << w) ? walls : missing,
					      json_string(wall_name(w)));
	if (r->own_wall)
		json_array_append_new(walls, json_string(r->own_wall));
	for (unsigned int cap = 0; cap_name(cap); cap++)
		if (r->outcome.caps & (1ULL << cap))
			json_array_append_new(caps, json_string(cap_name(cap)));
	for (size_t i = 0; i < r->devices.n; i++)
		json_array_append_new(devices, json_string(r->devices.items[i]));
	return json_pack("{s:s, s:s*, s:s, s:o, s:o, s:o, s:o}", "driver", r->driver, "runtime",
			 r->runtime[0] ? r->runtime : NULL, "level", level, "walls", walls, "missing",
			 missing, "caps", caps, "devices", devices);
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

/* Why the command could not be executed; a new reference. */
static json_t *why_not(const struct driver_result *r, const struct run_spec *spec)
{
	const struct run_outcome *o = &r->outcome;
	scoped(drop_mem) char *told = NULL;
	json_t *said;

	if (r->failure)
		return json_string(r->failure);
	if (o->end == RUN_SERVICE)
		return json_string(o->failure ? o->failure : "a service failed");
	if (o->end != RUN_EXEC_FAILED)
		return json_null();
	told = box_exec_error(spec, o->status, !box_acting_for());
	said = told ? json_string(told) : NULL;
	return said ? said : json_string("execute the command: it failed");
}

static void judge(const struct run_outcome *o, struct run_report *v)
{
	v->status = "ok";
	switch (o->end) {
	case RUN_EXITED:
		if (WIFSIGNALED(o->status)) {
			v->status = o->interrupted_by ? "interrupted" : "failed";
			v->signal = WTERMSIG(o->status);
			v->exit_status = 128 + v->signal;
		} else {
			v->exit_status = v->exit_code = WEXITSTATUS(o->status);
			v->status = o->interrupted_by ? "interrupted" : v->exit_status ? "failed" : "ok";
		}
		break;
	case RUN_EXEC_FAILED:
		v->status = "error";
		v->exit_status = o->status == ENOENT ? 127 : 126;
		break;
	case RUN_STOPPED:
		/* By time as timeout(1); by memory as what the kernel does to who takes too much. */
		v->exit_status =
			o->limit == LIMIT_MEMORY || o->limit == LIMIT_DISK || o->limit == LIMIT_INODES ? 137
												       : 124;
		break;
	case RUN_INTERRUPTED:
		v->status = "interrupted";
		v->signal = o->status;
		v->exit_status = 128 + o->status;
		break;
	case RUN_SERVICE:
		v->status = "error";
		v->exit_status = 125;
		break;
	}
	v->limit = o->limit;
	if (o->limit != LIMIT_COUNT)
		v->status = "limit";
}

/* The one that ended the run, or that it came to. */
static json_t *limit_json(const struct driver_result *r)
{
	const struct run_outcome *o = &r->outcome;

	if (o->limit == LIMIT_COUNT)
		return json_null();
	return json_pack("{s:s, s:I, s:I, s:o, s:b}", "kind", limit_name(o->limit), "value",
			 (json_int_t)driver_limit_met(r, o->limit), "used", (json_int_t)o->limit_used,
			 "raise_with", json_sprintf("--%s", limit_option(o->limit)), "sure",
			 !o->limit_unsure);
}

/* Those of a process are the caller's own at most. */
static bool is_capped(enum limit l)
{
	return l == LIMIT_FILES || l == LIMIT_PROCESSES || l == LIMIT_FILE_SIZE;
}

/* Every limit there was, and what held it; null for one that was lifted. */
static json_t *limits(const struct driver_result *r, const struct run_spec *spec)
{
	json_t *all = json_object(), *one;

	for (enum limit l = 0; l < LIMIT_COUNT; l++) {
		uint64_t asked = spec->profile.limits[l];

		if (!r->limits[l]) {
			/* Every profile has one, so somebody lifted it; of a box that was joined it may be
			 * unknown. */
			if (l == LIMIT_MEMORY && !spec->walls.any)
				json_object_set_new(all, limit_name(l), json_null());
			continue;
		}
		one = json_pack("{s:I, s:s?}", "value", (json_int_t)r->limits[l], "by", r->held_by[l]);
		if (is_capped(l) && asked > r->limits[l])
			json_object_set_new(one, "asked", json_integer((json_int_t)asked));
		if (l == LIMIT_FILES && r->outcome.files_soft < r->limits[l])
			json_object_set_new(one, "soft", json_integer((json_int_t)r->outcome.files_soft));
		json_object_set_new(all, limit_name(l), one);
	}
	return all;
}

static json_t *said(const struct driver_result *r, const struct run_spec *spec, const struct run_report *v)
{
	const struct run_outcome *o = &r->outcome;

	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:o, s:{s:f, s:f, s:I, s:I, s:I, "
			 "s:I}, s:o, s:o, s:o, s:I, s:o, s:o}",
			 "run", v->run, "trace_id", v->trace_id, "status", v->status, "exit_code",
			 v->exit_code >= 0 ? json_integer(v->exit_code) : json_null(), "signal",
			 v->signal ? json_integer(v->signal) : json_null(), "stdout", text(&o->output[0]),
			 "stderr", text(&o->output[1]), "truncated", "stdout", (json_int_t)o->dropped[0],
			 "stderr", (json_int_t)o->dropped[1], "isolation", isolation(r), "usage", "wall_ms",
			 v->wall_ms, "cpu_ms", v->cpu_ms, "mem_peak", (json_int_t)v->mem_peak, "pids_peak",
			 (json_int_t)o->usage.pids_peak, "disk", (json_int_t)o->usage.disk, "inodes",
			 (json_int_t)o->usage.inodes, "limits", limits(r, spec), "limit", limit_json(r),
			 "violations", violations(r), "violations_not_listed",
			 (json_int_t)o->refusals_not_kept, "services", services(o), "error",
			 why_not(r, spec));
}

/* What the command said did not get where the caller wants it: that is no success. */
static void tell_unwritten(struct run_report *v, const struct run_outcome *o)
{
	int which = o->unwritten[0] ? 0 : 1;

	if (!o->unwritten[which])
		return;
	json_object_set_new(
		v->said, "output_error",
		json_sprintf("write the command's output to standard %s: %s; the rest of it is lost",
			     which ? "error" : "output", strerror(o->unwritten[which])));
	if (!v->exit_status)
		v->exit_status = 125;
}

void run_report_waited(struct run_report *v, uint64_t ms)
{
	if (ms)
		json_object_set_new(json_object_get(v->said, "usage"), "queued_ms",
				    json_integer((json_int_t)ms));
}

void run_report_add(struct run_report *v, const char *name, const char *words)
{
	json_object_set_new(v->said, name, json_string(words));
}

static void name_it(struct run_report *v, const struct run_spec *req, const char *trace_id)
{
	memcpy(v->run, req->run_id, sizeof(v->run));
	memcpy(v->box, req->box.id, sizeof(v->box));
	snprintf(v->trace_id, sizeof(v->trace_id), "%s", trace_id);
	v->exit_code = -1;
	v->limit = LIMIT_COUNT;
}

int run_report_make(struct run_report *v, const struct run_spec *req, const char *trace_id,
		    const struct driver_result *r, struct aisbx_error *e)
{
	json_t *net;

	name_it(v, req, trace_id);
	judge(&r->outcome, v);
	if (r->failure)
		v->status = "error";
	v->wall_ms = (double)r->outcome.wall_us / 1000;
	v->cpu_ms = (double)r->outcome.usage.cpu_us / 1000;
	v->mem_peak = r->outcome.usage.mem_peak;
	v->said = said(r, req, v);
	if (!v->said)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	if (r->has_fuel)
		json_object_set_new(json_object_get(v->said, "usage"), "fuel",
				    json_integer((json_int_t)r->fuel));
	if (r->trap[0])
		run_report_add(v, "trap", r->trap);
	net = net_report(&r->outcome);
	if (net)
		json_object_set_new(v->said, "net", net);
	if (req->run_name[0])
		run_report_add(v, "name", req->run_name);
	tell_unwritten(v, &r->outcome);
	json_object_set_new(v->said, "exit_status", json_integer(v->exit_status));
	return 0;
}

void run_report_close(struct run_report *v, const struct redactor *hide)
{
	static const char *const names[] = { "stdout", "stderr" };

	if (hide)
		scrub_json(v->said, scrub_secrets, hide);
	for (int i = 0; i < 2; i++) {
		const json_t *output = json_object_get(v->said, names[i]);

		v->output[i] = json_string_value(output);
		v->output_len[i] = json_string_length(output);
	}
	v->error = json_string_value(json_object_get(v->said, "error"));
}

void run_report_detached(struct run_report *v, const struct run_spec *req, const char *trace_id)
{
	name_it(v, req, trace_id);
	v->detached = true;
	v->said = json_pack("{s:s, s:s, s:s, s:s?, s:b}", "run", v->run, "name", req->run_name, "trace_id",
			    v->trace_id, "box", v->box[0] ? v->box : NULL, "detached", true);
}

void run_report_finish(struct run_report *v)
{
	json_decref(v->said);
	*v = (struct run_report){ 0 };
}

static json_t *without_output(const json_t *list)
{
	json_t *copy = json_deep_copy(list), *item;
	size_t i;

	json_array_foreach(copy, i, item) json_object_del(item, "output");
	return copy;
}

char *run_report_kept(const struct run_report *v, json_t *record)
{
	json_t *copy = json_copy(v->said);
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

char *run_report_least(const struct run_report *v)
{
	static const char *const least[] = { "run", "status", "exit_code", "exit_status", "signal", "error" };
	json_t *j = json_object();
	char *shorter;

	for (size_t i = 0; i < sizeof(least) / sizeof(*least); i++)
		json_object_set(j, least[i], json_object_get(v->said, least[i]));
	shorter = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	return shorter;
}
