/* SPDX-License-Identifier: Apache-2.0 */
/* Probes, starts a box, and says what brings what is missing. */
#include "box/doctor.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/orphans.h"
#include "box/run_options.h"
#include "driver/oci_runtime.h"
#include "sys/remedy.h"
#include "sys/subids.h"
#include "wasm/install.h"

/* How the attempt to start a box ended. */
struct trial {
	bool starts;
	bool full;
	int walls;
	double ms;
	char runtime[OCI_VERSION_ROOM];
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
	snprintf(t->runtime, sizeof(t->runtime), "%s", r->runtime);
	if (o->end == RUN_EXITED && WIFEXITED(o->status) && WEXITSTATUS(o->status) == 0)
		t->starts = true;
	else
		aisbx_refuse(&t->error, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
			     "the box started, but its command failed");
}

/* A command (NULL-terminated) that does nothing and ends well, from here and with this environment. */
static void start_box(const struct caller *by, const char *driver, const char *const *command,
		      struct trial *t)
{
	const struct caller quiet = { .stdin_fd = -1, .out_fds = { -1, -1 }, .cwd = by->cwd, .env = by->env };
	scoped(run_options_finish) struct run_options options = { 0 };
	scoped(box_spec_finish) struct run_spec req = { 0 };
	scoped(driver_result_finish) struct driver_result outcome = { 0 };
	int r;

	options.driver = driver;
	for (; *command; command++)
		strlist_add(&options.command, *command);
	run_options_limit(&options, LIMIT_WALL_TIME, 20000);
	run_options_limit(&options, LIMIT_CPU, 1000); /* one processor */
	r = box_spec_fill(&quiet, &options, &req, &t->error);
	if (r == 0)
		r = box_run(&req, &outcome, &t->error);
	if (r == 0)
		judge_trial(&outcome, t);
}

static const char *const do_nothing[] = { "true", NULL };

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

static void add(struct doctor *d, const char *name, const char *status, const char *detail, const char *fix,
		bool refuses)
{
	d->checks[d->n++] =
		(struct doctor_check){ name, status, strdup(detail), fix ? strdup(fix) : NULL, refuses };
}

/* The walls in the order people know them, each by the probe of its name; then the rest of the probes. */
static void add_probes(struct doctor *d, const struct trial *t)
{
	const struct probe *p = &d->probe;

	for (enum probe_id id = 0; id < PROBE_COUNT; id++) {
		const struct probe_item *item = &p->items[id];
		bool missing = item->status == PROBE_MISSING;
		/* What is missing and was not missed has been made up for, see box/scratch_layer.c. */
		enum probe_status status =
			missing && t->starts && (int)id >= WALL_COUNT ? PROBE_LIMITED : item->status;
		scoped(drop_mem) char *fix = missing || item->status == PROBE_LIMITED ? remedy(p, id) : NULL;

		if (item->status != PROBE_UNUSED)
			add(d, probe_name(id), status_name(status), item->detail, fix, missing && !t->starts);
	}
}

static const char *first_refusal(const struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->checks[i].refuses)
			return d->checks[i].name;
	return NULL;
}

/* What holds the limits that a control group holds best, as the box that was started had them. */
static void add_limits(struct doctor *d, const struct trial *t)
{
	static const enum limit best[] = { LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_CPU };
	scoped(buf_finish) struct buf text = { 0 };
	const char *fix = NULL;

	for (size_t i = 0; i < sizeof(best) / sizeof(*best); i++) {
		const char *by = t->held_by[best[i]];

		buf_addf(&text, "%s%s: %s", i ? ", " : "", limit_name(best[i]), by ? by : "?");
		if (!by || strncmp(by, "cgroup", strlen("cgroup")) != 0)
			fix = limits_remedy(&d->probe.facts);
	}
	add(d, "limits", fix ? "limited" : "ok", buf_str(&text) ? text.data : "", fix, false);
}

static void add_box(struct doctor *d, const struct trial *t)
{
	const char *because = first_refusal(d);
	char text[sizeof(t->error.text)], fix[64];
	const char *hint;

	if (t->starts) {
		snprintf(text, sizeof(text), "'aisbx run -- true' worked, %d walls measured, %.1f ms",
			 t->walls, t->ms);
		add(d, "box", "ok", text, NULL, false);
		return;
	}
	/* The error sends people to the doctor, and here they are. */
	hint = strstr(t->error.text, "; 'aisbx doctor'");
	snprintf(text, sizeof(text), "%.*s",
		 (int)(hint ? hint - t->error.text : (ptrdiff_t)strlen(t->error.text)), t->error.text);
	snprintf(fix, sizeof(fix), "get '%s' first", because ? because : "");
	add(d, "box", "missing", text, because ? fix : NULL, true);
}

/* The error sends people to the doctor, and here they are. */
static void add_tried_runtime(struct doctor *d, const struct oci_runtime *r, const struct trial *t)
{
	const char *end = strstr(t->error.text, "; 'aisbx doctor'");
	int len = (int)(end ? end - t->error.text : (ptrdiff_t)strlen(t->error.text));
	char text[sizeof(t->error.text) + 128];

	if (t->starts)
		snprintf(text, sizeof(text),
			 "%s: 'aisbx run --driver %s -- true' worked, %d walls measured, %.1f ms", t->runtime,
			 r->row, t->walls, t->ms);
	else
		snprintf(text, sizeof(text), "installed, but a box did not start: %.*s", len, t->error.text);
	add(d, r->row, t->starts ? "ok" : "limited", text, t->starts ? NULL : r->remedy, false);
}

/* Those that are installed: each has to show what it can do. */
static void add_runtimes(struct doctor *d, const struct caller *by)
{
	for (const struct oci_runtime *r = oci_runtimes; r->name; r++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct trial trial = { .error = AISBX_ERROR_INIT };

		if (!oci_is_installed(r, &e))
			continue;
		if (r->unfit) {
			add(d, r->row, "limited", r->unfit, NULL, false);
			continue;
		}
		start_box(by, r->row, do_nothing, &trial);
		add_tried_runtime(d, r, &trial);
	}
}

/* The languages as WebAssembly that were added, and in FIX how the first that was not is; whether Python is
 * there. */
static bool list_languages(struct buf *text, char *fix, size_t cap)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_mem) char *state = box_state_dir(&ignored);
	bool python = false;

	*fix = '\0';
	for (size_t i = 0; state && i < wasm_n_languages; i++) {
		const struct wasm_language *l = &wasm_languages[i];
		scoped(wasm_installed_finish) struct wasm_installed found = { 0 };

		if (wasm_installed(state, l, &found, &ignored) == 0 && found.is_there) {
			buf_addf(text, "%s%s", text->len ? ", " : "", l->name);
			python = python || !strcmp(l->language, "python");
		} else if (!*fix) {
			snprintf(fix, cap, "'aisbx lang add %s'", l->name);
		}
	}
	return python;
}

/* WebAssembly, if this aisbx has it: Python, where it was added, shows what it can do. */
static void add_wasm(struct doctor *d, const struct caller *by)
{
	static const char *const pass[] = { "python3", "-c", "pass", NULL };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct trial trial = { .error = AISBX_ERROR_INIT, .starts = true };
	scoped(buf_finish) struct buf text = { 0 };
	struct driver_here here;
	char fix[64];

	if (driver_probe(&driver_wasm, &here, &ignored) < 0)
		return;
	if (list_languages(&text, fix, sizeof(fix))) {
		trial.starts = false;
		start_box(by, "wasm", pass, &trial);
		if (trial.starts)
			buf_addf(&text, ": a program worked, %.1f ms", trial.ms);
		else
			buf_addf(&text, ": a program did not run: %s", trial.error.text);
	} else if (!text.len) {
		buf_addf(&text, "modules can be run; no language was added");
	}
	add(d, "wasm", trial.starts ? "ok" : "limited", buf_str(&text) ? text.data : "", *fix ? fix : NULL,
	    false);
}

/* Whether what aisbx remembers belongs to what lies beside it. Boxes that go with their run
 * need none of it. */
static void add_store(struct doctor *d)
{
	scoped(box_state_close) struct box_state state = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_mem) char *dir = box_state_dir(&e);
	size_t unknown = 0;
	bool first = false;
	char text[160];
	int r = dir ? store_look(dir, &first, &e) : e.code;

	if (r == 0 && first) {
		add(d, "store", "ok", "no store yet", NULL, false);
		return;
	}
	if (r == 0)
		r = box_state_open(&state, &e);
	if (r == 0)
		r = store_check(state.store, &e);
	if (r == 0)
		r = box_orphans_count(&state, &unknown, &e);
	if (r < 0) {
		add(d, "store", "limited", e.text, r == -EUCLEAN ? "'aisbx recover --rebuild'" : NULL, false);
		return;
	}
	snprintf(text, sizeof(text), "%zu layers of boxes that it has no record of", unknown);
	if (unknown)
		add(d, "store", "limited", text,
		    "'aisbx recover --rebuild' restores them; 'aisbx gc' moves them to 'lost' for 30 days",
		    false);
	else
		add(d, "store", "ok", "has a record of every layer", NULL, false);
}

/* How many ids a box on an image can have. That it is one is no fault: boxes need no more. */
static void add_ids(struct doctor *d)
{
	struct sys_subids ids;
	char why[400], text[480];

	if (d->probe.facts.real_root)
		snprintf(text, sizeof(text), "boxes on images have %u", SYS_SUBIDS_COUNT);
	else if (sys_subids_find(&ids, why, sizeof(why)))
		snprintf(text, sizeof(text),
			 "boxes on images have one, or with --ids sub %u: yours, then uids from %u and gids "
			 "from %u on",
			 SYS_SUBIDS_COUNT, ids.uid, ids.gid);
	else
		snprintf(text, sizeof(text), "boxes on images have one; for more: %s", why);
	add(d, "ids", "ok", text, NULL, false);
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

static const char *mode(const struct probe_facts *f)
{
	if (!f->first_userns)
		return "nested";
	return f->real_root ? "root" : "user";
}

void doctor_finish(struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->checks[i].detail);
		free(d->checks[i].fix);
	}
	leaks_finish(&d->leaks);
}

int doctor_look(const struct caller *by, const char *scratch_dir, struct doctor *ret, struct aisbx_error *e)
{
	struct trial trial = { .error = AISBX_ERROR_INIT };
	int r = check_names(e);

	if (r < 0)
		return r;
	probe_read(&ret->probe);
	start_box(by, NULL, do_nothing, &trial);
	ret->mode = mode(&ret->probe.facts);
	ret->starts = trial.starts;
	ret->full = trial.full;
	add_probes(ret, &trial);
	if (trial.starts)
		add_limits(ret, &trial);
	if (trial.starts) {
		add_runtimes(ret, by);
		add_wasm(ret, by);
	}
	add_ids(ret);
	add_store(ret);
	add_box(ret, &trial);
	ret->leaks.clean = true;
	if (scratch_dir)
		leaks_count(by->env, scratch_dir, &ret->leaks);
	for (size_t i = 0; i < ret->n; i++)
		if (!ret->checks[i].detail)
			return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "write the result");
	return 0;
}
