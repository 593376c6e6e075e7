/* SPDX-License-Identifier: Apache-2.0 */
/* Finding runs, connecting to their supervisors, and recording those whose supervisor was killed. */
#include "box/live_run.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/owner.h"
#include "box/run_names.h"
#include "policy/seccomp.h"

/* So many are asked at once; all of them together may take so long to answer. */
#define AT_ONCE   200
#define ANSWER_MS 2000
/* Of a command, for who looks at it. */
#define COMMAND_MAX 4096
/* r- and 16 digits */
#define RUN_ID_LEN 18

static int match(const struct strlist *ids, const char *key, const char **found, struct aisbx_error *e)
{
	for (size_t i = 0; i < ids->n; i++) {
		if (strncmp(ids->items[i], key, strlen(key)) != 0 ||
		    (*found && !strcmp(*found, ids->items[i])))
			continue;
		if (*found && strcmp(*found, key) != 0 && strcmp(ids->items[i], key) != 0)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "several runs begin with '%s'; give more of the id", key);
		if (!*found || !strcmp(ids->items[i], key))
			*found = ids->items[i];
	}
	return 0;
}

/* Whose it is: what is kept of it says so, or itself while it lives, or the history. */
static bool is_mine(const char *id)
{
	scoped(drop_mem) char *text = box_run_read(id, BOX_RUN_ABOUT);
	scoped(box_state_close) struct box_state state = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int fd = -1;
	struct run_status status;
	struct store_run old;
	bool mine = false;

	if (!text && box_run_connect(id, &fd, &ignored) == 0 &&
	    driver_usage(driver_default(), fd, &status, &text, &ignored) < 0)
		text = NULL;
	if (text) {
		json_t *about = json_loads(text, 0, NULL);

		mine = box_owns(json_string_value(json_object_get(about, "owner")));
		json_decref(about);
		return mine;
	}
	ignored = (struct aisbx_error)AISBX_ERROR_INIT;
	if (box_state_open(&state, &ignored) == 0 && store_run_find(state.store, id, &old, &ignored) == 0) {
		mine = !strcmp(old.id, id) && box_owns(old.owner);
		store_run_finish(&old);
	}
	return mine;
}

int live_run_find(const char *key, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist present = { 0 }, kept = { 0 };
	scoped(box_state_close) struct box_state state = { 0 };
	const char *found = NULL;
	scoped(store_box_finish) struct store_box box = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_run old;
	int r = *key ? box_runs_present(&present, e)
		     : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the run id is empty; 'aisbx ps' lists live runs");

	if (r == 0 && strncmp(key, "r-", 2) != 0) {
		r = run_name_find(key, ret_id, e);
		if (r == 0 || e->code)
			return r;
		r = 0;
	}
	if (r == 0 && box_acting_for() &&
	    strlen(key) != RUN_ID_LEN) /* nobody guesses a whole one, but a beginning */
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' is not a complete run id such as r-0123456789abcdef", key);
	if (r == 0 && box_acting_for() &&
	    !is_mine(key)) /* in the same words: that there is one is not told either */
		r = store_run_missing(key, e);
	if (r == 0)
		r = box_runs_kept(&kept, e);
	if (r == 0)
		r = match(&present, key, &found, e);
	if (r == 0)
		r = match(&kept, key, &found, e);
	if (r < 0)
		return r;
	if (found) {
		snprintf(ret_id, STORE_ID_MAX, "%s", found);
		return 0;
	}
	r = box_state_open(&state, e);
	if (r == 0)
		r = store_run_find(state.store, key, &old, e);
	if (r == -ENOENT && !box_acting_for() && box_find(&state, key, &box, &ignored) == 0)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
				    "'%s' is a box, not a run; 'aisbx ps' lists live runs, 'aisbx history "
				    "--box %s' those "
				    "that ended",
				    box.name, box.name);
	if (r < 0)
		return r;
	memcpy(ret_id, old.id, STORE_ID_MAX);
	store_run_finish(&old);
	return 0;
}

/* Of a run that was detached we know what it was; of another only its caller did, and that has
 * seen its end. */
static void settle(const char *id)
{
	scoped(drop_mem) char *text = box_run_read(id, BOX_RUN_ABOUT);
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_mem) char *dir = box_state_dir(&e);
	json_t *about = text ? json_loads(text, 0, NULL) : NULL;
	const char *command = json_string_value(json_object_get(about, "command"));
	const char *box = json_string_value(json_object_get(about, "box"));
	const char *owner = json_string_value(json_object_get(about, "owner"));
	struct store_run note = { .status = "interrupted",
				  .exit_code = -1,
				  .command = (char *)(command ? command : ""),
				  .started_ms = json_integer_value(json_object_get(about, "started_ms")) };

	if (about && dir) {
		json_t *result = json_pack("{s:s, s:O*, s:O?, s:s, s:n, s:i, s:i, s:s}", "run", id, "name",
					   json_object_get(about, "name"), "trace_id",
					   json_object_get(about, "trace_id"), "status", "interrupted",
					   "exit_code", "signal", 9, "exit_status", 137, "error",
					   "its supervisor was killed, and its box with it");

		snprintf(note.id, sizeof(note.id), "%s", id);
		snprintf(note.box, sizeof(note.box), "%s", box ? box : "");
		snprintf(note.owner, sizeof(note.owner), "%s", owner ? owner : "");
		note.result = json_dumps(result, JSON_COMPACT);
		json_decref(result);
		store_run_note(dir, &note, &e);
		free(note.result);
	}
	json_decref(about);
	driver_sweep();
	if (!e.code) /* else the next who looks tries again */
		box_run_bury(id);
}

json_t *live_run_end(const char *id)
{
	scoped(drop_mem) char *text = box_run_read(id, BOX_RUN_END),
			      *about_text = box_run_read(id, BOX_RUN_ABOUT);
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_mem) char *dir = box_state_dir(&e);
	json_t *end = text && *text ? json_loads(text, 0, NULL) : NULL,
	       *about = about_text ? json_loads(about_text, 0, NULL) : NULL;
	const char *command = json_string_value(json_object_get(about, "command")),
		   *box = json_string_value(json_object_get(about, "box"));
	const char *status = json_string_value(json_object_get(end, "status"));
	const json_t *code = json_object_get(end, "exit_code");
	struct store_run note = { .result = text,
				  .exit_code = json_is_integer(code) ? json_integer_value(code) : -1,
				  .command = (char *)(command ? command : ""),
				  .started_ms = json_integer_value(json_object_get(about, "started_ms")),
				  .wall_ms = json_number_value(
					  json_object_get(json_object_get(end, "usage"), "wall_ms")) };

	snprintf(note.id, sizeof(note.id), "%s", id);
	snprintf(note.status, sizeof(note.status), "%s", status ? status : "error");
	snprintf(note.box, sizeof(note.box), "%s", box ? box : "");
	if (end && dir && store_run_note(dir, &note, &e) == 0)
		box_run_end_drop(id);
	json_decref(about);
	return end;
}

void live_runs_end(void)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	box_runs_kept(&ids, &ignored);
	for (size_t i = 0; i < ids.n; i++)
		json_decref(live_run_end(ids.items[i]));
}

int live_run_connect(const char *id, int *ret_fd, struct aisbx_error *e)
{
	int r = box_run_connect(id, ret_fd, e);

	if (r == -ECONNREFUSED && !e->code) {
		settle(id);
		return -ENOENT;
	}
	return r;
}

int live_run_ended(const char *id, struct aisbx_error *e)
{
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ESRCH,
			    "run '%s' has ended; 'aisbx history %s' shows its result", id, id);
}

int live_run_reach(const char *key, char ret_id[STORE_ID_MAX], int *ret_fd, struct aisbx_error *e)
{
	int r = live_run_find(key, ret_id, e);

	if (r == 0)
		r = live_run_connect(ret_id, ret_fd, e);
	return r == -ENOENT && !e->code ? live_run_ended(ret_id, e) : r;
}

void live_run_settle_all(void)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	live_runs_end();
	box_runs_present(&ids, &ignored);
	for (size_t i = 0; i < ids.n; i++) {
		scoped(drop_fd) int fd = -1;

		ignored = (struct aisbx_error)AISBX_ERROR_INIT;
		live_run_connect(ids.items[i], &fd, &ignored);
	}
}

/* Until the process that supervises it is gone; what that was changes once, when a run detaches itself. */
int live_run_await(const char *id, uint64_t timeout_ms, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t until = timeout_ms ? time_ms() + timeout_ms : 0;

	for (;;) {
		scoped(drop_fd) int fd = -1;
		scoped(drop_fd) int pidfd = -1;
		struct run_status status;
		struct pollfd p = { .events = POLLIN };
		uint64_t now = time_ms();
		int r = live_run_connect(id, &fd, e);

		if (r < 0)
			return r == -ENOENT && !e->code ? 0 : r;
		if (until && now >= until)
			return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_RUN, ETIMEDOUT,
					    "run '%s' has not ended", id);
		r = run_ask_watch(fd, &pidfd, &status, e);
		if (r < 0 && r != -ESTALE && r != -ETIMEDOUT)
			return r;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		p.fd = pidfd;
		if (r < 0)
			nanosleep(&pause, NULL);
		else
			poll(&p, 1, !until ? -1 : until - now < 1000000 ? (int)(until - now) : 1000000);
	}
}

int box_spec_hide(const struct run_spec *spec, struct redactor **ret, struct aisbx_error *e)
{
	const struct run_secrets *s = &spec->secrets;

	*ret = s->redactor ? redactor_share(s->redactor) : s->n ? redactor_create(s->items, s->n) : NULL;
	return spec->secrets.n && !*ret ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "search for secrets") : 0;
}

bool scrub_secrets(const void *redactor, const char *data, size_t len, struct buf *out)
{
	return redact_bytes(redactor, data, len, out);
}

bool box_spec_command(const struct run_spec *spec, size_t max, struct buf *ret)
{
	scoped(drop_redactor) struct redactor *hide = NULL;
	scoped(buf_finish) struct buf line = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (box_spec_hide(spec, &hide, &ignored) < 0)
		return false;
	/* A cut through a secret would leave its beginning: so whole words, and then it is cut. */
	for (size_t i = 0; i < spec->command.argv.n && line.len < max; i++)
		buf_addf(&line, "%s%s", i ? " " : "", spec->command.argv.items[i]);
	return buf_str(&line) && redact_bytes(hide, line.data, line.len, ret);
}

char *box_spec_about(const struct run_spec *spec, const char *trace_id, bool detached)
{
	scoped(buf_finish) struct buf command = { 0 };
	scoped(buf_finish) struct buf clean = { 0 };
	json_t *without = json_array(), *egress = spec->net.rules.n ? json_array() : NULL, *about;
	char *text;

	if (!box_spec_command(spec, COMMAND_MAX, &command) || command.len > COMMAND_MAX)
		command.len = command.failed ? 0 : COMMAND_MAX;
	buf_add_utf8(&clean, command.data, command.len); /* the cut may go through a letter */
	for (enum wall w = 0; w < WALL_COUNT; w++)
		if (spec->walls.without & (1u << w))
			json_array_append_new(without, json_string(wall_name(w)));
	for (size_t i = 0; i < spec->net.rules.n; i++)
		json_array_append_new(egress, json_string(spec->net.rules.items[i]));
	about = json_pack("{s:s, s:s, s:s?, s:s, s:I, s:b, s:s, s:s, s:s, s:o}", "run", spec->run_id,
			  "trace_id", trace_id, "box", spec->box.id[0] ? spec->box.id : NULL, "command",
			  buf_str(&clean) ? clean.data : "", "started_ms", (json_int_t)box_now_ms(),
			  "detached", detached, "profile", spec->profile.name, "net",
			  net_mode_name(spec->profile.net), "seccomp",
			  seccomp_preset_name(spec->profile.seccomp), "without", without);
	if (egress)
		json_object_set_new(about, "egress", egress);
	if (spec->box.driver)
		json_object_set_new(about, "driver", json_string(spec->box.driver));
	if (spec->profile.seccomp_file)
		json_object_set_new(about, "seccomp_file", json_string(spec->profile.seccomp_file));
	json_object_set_new(about, "box_name", json_string(run_box_name(spec)));
	if (spec->walls.image && !spec->box.id[0])
		json_object_set_new(about, "image", json_string(spec->walls.image->id));
	if (spec->run_name[0])
		json_object_set_new(about, "name", json_string(spec->run_name));
	json_object_set_new(about, "tty", json_boolean(spec->io.tty));
	/* A path that is no UTF-8 is left out. */
	json_object_set_new(about, "project", spec->walls.project ? json_string(spec->walls.project) : NULL);
	json_object_set_new(about, "cwd", json_string(spec->command.cwd));
	json_object_set_new(about, "owner", box_acting_for() ? json_string(box_acting_for()) : json_null());
	json_object_set_new(about, "interpreter", json_boolean(spec->command.interpreter));
	text = about ? json_dumps(about, JSON_COMPACT) : NULL;
	json_decref(about);
	return text;
}

const char *live_run_state(const struct live_run *r)
{
	if (!r->answers)
		return "unresponsive";
	switch ((enum run_state)r->status.state) {
	case RUN_WAITING:
		return "waiting";
	case RUN_STARTING:
		return "starting";
	case RUN_RUNNING:
		return "running";
	case RUN_PAUSED:
		return "paused";
	case RUN_ENDING:
		return "ending";
	}
	return "unknown";
}

static int by_start(const void *a, const void *b)
{
	const struct live_run *x = a, *y = b;
	json_int_t s = json_integer_value(json_object_get(x->about, "started_ms"));
	json_int_t t = json_integer_value(json_object_get(y->about, "started_ms"));

	return s != t ? (s > t) - (s < t) : strcmp(x->id, y->id);
}

/* All are asked, then all are heard: one that is stopped makes nobody else wait. */
static size_t look_at_some(char *const *ids, size_t n, struct live_run *ret)
{
	struct aisbx_error e;
	int fds[AT_ONCE];
	uint64_t until = time_ms() + ANSWER_MS;
	size_t made = 0;

	for (size_t i = 0; i < n; i++) {
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		fds[i] = -1;
		if (live_run_connect(ids[i], &fds[i], &e) == 0)
			run_send_status(fds[i], &e);
		else if (e.code != -ETIMEDOUT)
			ids[i][0] = '\0';
	}
	for (size_t i = 0; i < n; i++) {
		scoped(drop_mem) char *text = NULL;
		struct live_run *r = &ret[made];
		uint64_t now = time_ms();
		int heard = -ETIMEDOUT;

		if (!ids[i][0])
			continue;
		*r = (struct live_run){ 0 };
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		snprintf(r->id, sizeof(r->id), "%s", ids[i]);
		if (fds[i] >= 0)
			heard = run_hear_status(fds[i], now < until ? (int)(until - now) : 0, &r->status,
						&text, &e);
		r->answers = heard == 0;
		r->about = text ? json_loads(text, 0, NULL) : NULL;
		made += heard != -ESTALE; /* it ended just now */
		drop_fd(&fds[i]);
	}
	return made;
}

/* Others' runs are not there. */
static size_t drop_foreign(struct live_run *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (box_owns(json_string_value(json_object_get(list[i].about, "owner"))))
			list[kept++] = list[i];
		else
			json_decref(list[i].about);
	}
	return kept;
}

int live_runs_look(const struct strlist *ids, struct live_run **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist all = { 0 };
	struct live_run *list;
	size_t made = 0;
	int r = 0;

	if (!ids)
		r = box_runs_present(&all, e);
	for (size_t i = 0; ids && i < ids->n; i++)
		strlist_add(&all, ids->items[i]);
	if (r < 0)
		return r;
	list = calloc(all.n + 1, sizeof(*list));
	if (!list || all.failed) {
		free(list);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "inspect the runs");
	}
	for (size_t at = 0; at < all.n; at += AT_ONCE)
		made += look_at_some(all.items + at, all.n - at < AT_ONCE ? all.n - at : AT_ONCE,
				     list + made);
	if (!ids && box_acting_for())
		made = drop_foreign(list, made);
	qsort(list, made, sizeof(*list), by_start);
	*ret = list;
	*ret_n = made;
	return 0;
}

void live_runs_finish(struct live_run *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_decref(list[i].about);
	free(list);
}
