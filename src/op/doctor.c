/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation `doctor`: joins what the kernel was found able to do with what a box needs, and then
 * starts a box. Where the two disagree the box is right.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/leaks.h"
#include "box/lost.h"
#include "op/args.h"
#include "op/op.h"
#include "flow/rego.h"
#include "op/remedy.h"
#include "sys/probe.h"

/* How the attempt to start a box ended. */
struct trial {
	bool starts;
	bool full;
	int walls;
	double ms;
	const char *held_by[LIMIT_COUNT];
	struct aisbx_error error;
};

static void judge_trial(const struct driver_result *r, struct trial *t)
{
	const struct run_outcome *o = &r->outcome;

	t->ms = (double)o->wall_us / 1000;
	t->full = !r->missing;
	t->walls = __builtin_popcount(o->walls);
	memcpy(t->held_by, r->held_by, sizeof(t->held_by));
	if (o->end == RUN_EXITED && WIFEXITED(o->status) && WEXITSTATUS(o->status) == 0)
		t->starts = true;
	else
		aisbx_refuse(&t->error, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
			     "the box came up, but 'true' did not end well in it");
}

/* `aisbx run -- true`, from here and with this environment. */
static void start_box(const struct op_context *ctx, struct trial *t)
{
	struct op_context quiet = {
		.by.stdin_fd = -1, .by.out_fds = { -1, -1 }, .by.cwd = ctx->by.cwd, .by.env = ctx->by.env
	};
	scoped(box_spec_finish) struct run_spec req = { 0 };
	scoped(driver_result_finish) struct driver_result outcome = { 0 };
	json_t *args = json_pack("{s:[s], s:s, s:i}", "command", "true", "timeout", "20s", "cpu", 1);
	int r = op_run_request(&quiet, args, &req, &t->error);

	if (r == 0)
		r = box_run(&req, &outcome, &t->error);
	if (r == 0)
		judge_trial(&outcome, t);
	json_decref(args);
}

static const char *status_name(enum probe_status s)
{
	switch (s) {
	case PROBE_LIMITED:
		return "limited";
	case PROBE_OK:
	case PROBE_UNUSED:
		return "ok";
	case PROBE_MISSING:
		break;
	}
	return "missing";
}

static json_t *check(const char *name, const char *status, const char *detail, const char *fix, bool refuses)
{
	return json_pack("{s:s, s:s, s:s, s:s?, s:b}", "name", name, "status", status, "detail", detail,
			 "fix", fix, "refuses", refuses);
}

/* The walls in the order people know them, each by the probe of its name; then the rest of the probes. */
static json_t *checks(const struct probe *p, const struct trial *t)
{
	json_t *list = json_array();

	for (enum probe_id id = 0; id < PROBE_COUNT; id++) {
		const struct probe_item *item = &p->items[id];
		bool missing = item->status == PROBE_MISSING;
		/* What is missing and was not missed has been made up for, see box/passing.c. */
		enum probe_status status =
			missing && t->starts && (int)id >= WALL_COUNT ? PROBE_LIMITED : item->status;
		scoped(drop_mem) char *fix = missing || item->status == PROBE_LIMITED ? remedy(p, id) : NULL;

		if (item->status != PROBE_UNUSED)
			json_array_append_new(list, check(probe_name(id), status_name(status), item->detail,
							  fix, missing && !t->starts));
	}
	return list;
}

static const char *first_refusal(const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) if (
		json_is_true(
			json_object_get(item, "refuses"))) return json_string_value(json_object_get(item,
												    "name"));
	return NULL;
}

/* What holds the limits that a control group holds best, as the box that was started had them. */
static void add_limits(json_t *list, const struct trial *t, const struct probe_facts *f)
{
	static const enum limit best[] = { LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_CPU };
	scoped(buf_finish) struct buf text = { 0 };
	const char *fix = NULL;

	for (size_t i = 0; i < sizeof(best) / sizeof(*best); i++) {
		const char *by = t->held_by[best[i]];

		buf_addf(&text, "%s%s: %s", i ? ", " : "", limit_name(best[i]), by ? by : "?");
		if (!by || strncmp(by, "cgroup", strlen("cgroup")) != 0)
			fix = limits_remedy(f);
	}
	json_array_append_new(list, check("limits", fix ? "limited" : "ok", buf_str(&text) ? text.data : "",
					  fix, false));
}

static void add_box(json_t *list, const struct trial *t)
{
	const char *because = first_refusal(list);
	char text[sizeof(t->error.text)], fix[64];
	const char *hint;

	if (t->starts) {
		snprintf(text, sizeof(text),
			 "'aisbx run -- true' started and ended, %d walls measured, %.1f ms", t->walls,
			 t->ms);
		json_array_append_new(list, check("box", "ok", text, NULL, false));
		return;
	}
	/* The error sends people to the doctor, and here they are. */
	hint = strstr(t->error.text, "; 'aisbx doctor'");
	snprintf(text, sizeof(text), "%.*s",
		 (int)(hint ? hint - t->error.text : (ptrdiff_t)strlen(t->error.text)), t->error.text);
	snprintf(fix, sizeof(fix), "get '%s' first", because ? because : "");
	json_array_append_new(list, check("box", "missing", text, because ? fix : NULL, true));
}

/* Whether what aisbx remembers belongs to what lies beside it. Boxes that go with their run
 * need none of it. */
static void add_store(json_t *list)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_mem) char *dir = box_state_dir(&e);
	size_t unknown = 0;
	bool first = false;
	char text[160];
	int r = dir ? store_look(dir, &first, &e) : e.code;

	if (r == 0 && first) {
		json_array_append_new(list, check("store", "ok", "there is none yet", NULL, false));
		return;
	}
	if (r == 0)
		r = box_shelf_open(&shelf, &e);
	if (r == 0)
		r = store_check(shelf.store, &e);
	if (r == 0)
		r = box_lost_count(&shelf, &unknown, &e);
	if (r < 0) {
		json_array_append_new(list, check("store", "limited", e.text,
						  r == -EUCLEAN ? "'aisbx recover --rebuild'" : NULL, false));
		return;
	}
	snprintf(text, sizeof(text), "%zu layers of boxes that it has no record of", unknown);
	json_array_append_new(
		list,
		unknown ? check("store", "limited", text,
				"'aisbx recover --rebuild' brings them back; 'aisbx gc' puts them aside for "
				"30 days",
				false)
			: check("store", "ok", "it knows every layer that is there", NULL, false));
}

/* A probe's item for every wall, under the wall's name: the two lists are written in two places. */
static int check_names(struct aisbx_error *e)
{
	for (enum wall w = 0; w < WALL_COUNT; w++)
		if ((int)w >= PROBE_COUNT || strcmp(wall_name(w), probe_name((enum probe_id)w)) != 0)
			return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_SYS, EPROTO,
					    "no probe for the wall '%s'", wall_name(w));
	return 0;
}

static json_t *number_or_null(long n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static json_t *words(const char *list)
{
	json_t *array = json_array();

	while (*list) {
		size_t n = strcspn(list, ",");

		json_array_append_new(array, json_stringn(list, n));
		list += n + (list[n] == ',');
	}
	return array;
}

static json_t *facts(const struct probe_facts *f)
{
	return json_pack("{s:s?, s:b, s:o, s:o, s:o, s:s, s:o, s:o}", "container",
			 f->container[0] ? f->container : NULL, "first_userns", f->first_userns,
			 "max_user_namespaces", number_or_null(f->max_userns),
			 "apparmor_restrict_unprivileged_userns", number_or_null(f->apparmor_userns),
			 "unprivileged_userns_clone", number_or_null(f->userns_clone), "cgroup", f->cgroup,
			 "cgroup_delegated", words(f->delegated), "subuid", words(f->subuid));
}

static const char *mode(const struct probe_facts *f)
{
	if (!f->first_userns)
		return "nested";
	return f->real_root ? "root" : "user";
}

static json_t *leaks_json(const struct leaks *l)
{
	json_t *found = json_array();

	for (size_t i = 0; i < l->found.n; i++) /* what is no UTF-8 is not listed */
		json_array_append_new(found, json_string(l->found.items[i]));
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "processes",
			 (json_int_t)l->processes, "mounts", (json_int_t)l->mounts, "cgroups",
			 (json_int_t)l->cgroups, "namespaces", (json_int_t)l->namespaces, "files",
			 (json_int_t)l->files, "live_boxes", (json_int_t)l->live_boxes, "dead_runs",
			 (json_int_t)l->dead_runs, "kernel_net_namespaces", number_or_null(l->kernel_nets),
			 "found", found);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct trial trial = { .error = AISBX_ERROR_INIT };
	struct probe p;
	const char *level;
	scoped(leaks_finish) struct leaks leaks = { .clean = true };
	json_t *list, *result;
	int r = check_names(e);

	if (r < 0)
		return r;
	probe_read(&p);
	start_box(ctx, &trial);
	level = trial.full ? "full" : "reduced";
	list = checks(&p, &trial);
	if (trial.starts)
		add_limits(list, &trial, &p.facts);
	add_store(list);
	add_box(list, &trial);
	result = json_pack("{s:s, s:s, s:s, s:I, s:s, s:b, s:s?, s:o, s:o}", "kernel", p.facts.kernel, "arch",
			   p.facts.arch, "user", p.facts.user, "uid", (json_int_t)p.facts.uid, "mode",
			   mode(&p.facts), "run_will_start", trial.starts, "level",
			   trial.starts ? level : NULL, "checks", list, "facts", facts(&p.facts));
	if (result && json_is_true(json_object_get(args, "leaks"))) {
		leaks_count(ctx->by.env, REGO_DESK, &leaks);
		json_object_set_new(result, "leaks", leaks_json(&leaks));
	}
	if (!result)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "write the result");
	ctx->exit_status = trial.starts && leaks.clean ? 0 : 1;
	*ret_result = result;
	return 0;
}

static const struct op_param params[] = {
	{ "leaks", 0, OP_FLAG, 0, NULL, "also count what earlier runs have left behind" },
	{ .name = NULL },
};

static const struct op_field result_fields[] = {
	{ "kernel", "string", "release of the running kernel" },
	{ "arch", "string", "of the machine" },
	{ "user", "string", "who asks" },
	{ "uid", "integer", "effective id of who asks" },
	{ "mode", "string",
	  "root: boxes have shifted ids, user: own id only, nested: inside a user namespace" },
	{ "run_will_start", "boolean", "a box was started just now and it worked" },
	{ "level", "string|null", "of that box's isolation: full, or null when it did not start" },
	{ "checks", "array", "every wall, what building them takes, and last the box that was started" },
	{ "checks[].name", "string", "of the wall or ability; walls are called as in --without" },
	{ "checks[].status", "string", "ok, missing, or limited: there, but a newer kernel gives more" },
	{ "checks[].detail", "string", "what was tried and what came of it" },
	{ "checks[].fix", "string|null", "what brings it: a command, an option, a version" },
	{ "checks[].refuses", "boolean", "'aisbx run' does not start because of it" },
	{ "facts", "object", "what was read, not tried" },
	{ "facts.container", "string|null",
	  "docker, podman or another this runs in, as far as it can be seen" },
	{ "facts.first_userns", "boolean", "not inside another user namespace" },
	{ "facts.max_user_namespaces", "integer|null", "the kernel's limit" },
	{ "facts.apparmor_restrict_unprivileged_userns", "integer|null", "Ubuntu's switch" },
	{ "facts.unprivileged_userns_clone", "integer|null", "Debian's switch" },
	{ "facts.cgroup", "string", "v2, v1, hybrid or none" },
	{ "facts.cgroup_delegated", "array", "controllers this user may use" },
	{ "facts.subuid", "array", "subordinate ids of this user, START:COUNT" },
	{ "leaks", "object",
	  "only with --leaks: what runs have left; root counts everybody's, others their own" },
	{ "leaks.processes", "integer", "aisbx-jail without a supervisor" },
	{ "leaks.mounts", "integer", "mounts of aisbx in this mount namespace" },
	{ "leaks.cgroups", "integer", "empty cgroups of boxes whose supervisor is gone" },
	{ "leaks.namespaces", "integer", "network namespaces those processes hold" },
	{ "leaks.files", "integer",
	  "layers of runs that were killed, and directories of policies whose judge was" },
	{ "leaks.live_boxes", "integer", "boxes that run right now; not a leak" },
	{ "leaks.dead_runs", "integer",
	  "runs whose supervisor was killed and that nobody has written down yet; not a leak" },
	{ "leaks.kernel_net_namespaces", "integer|null",
	  "network namespaces of the whole machine; null unless root" },
	{ "leaks.found", "array", "the leaks in words; the first 32" },
	{ NULL, NULL, NULL },
};

const struct op op_doctor = {
	.name = "doctor",
	.group = GROUP_SYSTEM,
	.view = VIEW_DOCTOR,
	.first = true,
	.method = "doctor",
	.summary = "Tell what this machine can do and how to get the rest",
	.about = "Tries every wall of a box on its own, then starts a box, and says for each what came of "
		 "it, what\n"
		 "brings a missing one, and whether 'aisbx run' refuses because of it. The exit status is 0 "
		 "when a run\n"
		 "will start from here, 1 when it will not.\n\n"
		 "With --leaks it also counts processes, mounts, cgroups, namespaces and files that earlier "
		 "runs have\n"
		 "left; then the exit status is 1 if there is any. Boxes that begin, live or end just now "
		 "are none.",
	.example = "aisbx doctor\n"
		   "aisbx doctor --leaks --json",
	.grant = GRANT_READ, /* it runs `true`, never what a caller says */
	.params = params,
	.result = result_fields,
	.run = run,
};
