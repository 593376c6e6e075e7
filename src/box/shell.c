/* SPDX-License-Identifier: Apache-2.0 */
/* Finds or makes the box, chooses the shell, runs it, and counts what it changed. */
#include "box/shell.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/screen.h"
#include "box/compare.h"
#include "box/current.h"
#include "box/image.h"
#include "box/lifecycle.h"
#include "box/shell_start.h"

void shell_done_finish(struct shell_done *d)
{
	run_report_finish(&d->report);
}

/* 1: there is one; 0: there is none, and E is unchanged. */
static int find_box(const char *key, struct shell_done *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup found = LOOKUP_INIT;
	int r = lookup_open_box(key, false, &found, e);

	if (r == -ENOENT) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	if (r == 0) {
		snprintf(ret->box, sizeof(ret->box), "%s", found.box.name);
		ret->image_shell = box_image_shell(&found.state, &found.box);
	}
	return r < 0 ? r : 1;
}

/* NAME NULL: two words, and it becomes the current box, so that what follows is about it. */
static int make_box(const struct caller *by, const char *name, const struct run_options *w,
		    struct shell_done *ret, struct aisbx_error *e)
{
	const char *from;
	const struct box_create_request req = { .name = name,
						.project = w->project ? w->project : caller_project(by),
						.profile = run_profile_ref(by, w->profile, NULL, &from) };
	scoped(box_created_finish) struct box_created made = { 0 };
	struct box_current now;
	int r = box_create(by->cwd, &req, &made, e);

	if (r < 0)
		return r;
	ret->made = true;
	snprintf(ret->box, sizeof(ret->box), "%s", made.box.name);
	if (by->out_fds[1] > 0)
		dprintf(by->out_fds[1], "aisbx: made box '%s', a clone of %s\n", made.box.name,
			made.box.project);
	ret->current = !name;
	return ret->current ? box_current_set(made.box.project, made.box.id, &now, e) : 0;
}

static int choose_box(const struct caller *by, const char *key, const struct run_options *w,
		      struct shell_done *ret, struct aisbx_error *e)
{
	int r = key ? find_box(key, ret, e) : 0;

	return r ? (r < 0 ? r : 0) : make_box(by, key, w, ret, e);
}

/* Whether the last line that the shell wrote has not ended. */
static void note_line(void *ctx, int which, const char *data, size_t len)
{
	bool *in_line = ctx;

	(void)which;
	if (len)
		*in_line = data[len - 1] != '\n';
}

static int run_one(const struct caller *by, const char *path, const struct run_options *w,
		   struct shell_done *ret, struct aisbx_error *e)
{
	struct run_options as = *w;
	size_t n_env = w->env.n;
	int r;

	as.command = (struct strlist){ 0 };
	as.env = (struct strlist){ 0 };
	for (size_t i = 0; i < n_env; i++)
		strlist_add(&as.env, w->env.items[i]);
	strlist_addf(&as.env, "SHELL=%s", path);
	shell_start_words(path, ret->image_shell || geteuid() == 0, caller_variable(by, "PROMPT_COMMAND"),
			  &as.command, &as.env);
	as.box = ret->box;
	as.project = NULL;
	r = as.command.failed || as.env.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "start a shell")
					       : run_execute(by, &as, &ret->report, e);
	strlist_finish(&as.command);
	strlist_finish(&as.env);
	return r;
}

/* It is there, but not in the box: a home directory, for example, is hidden. */
static bool is_missing(const struct run_report *r)
{
	return r->error && (r->exit_status == 126 || r->exit_status == 127);
}

static int run_shell(const struct caller *by, const struct run_options *w, struct shell_done *ret,
		     struct aisbx_error *e)
{
	const char *own = caller_variable(by, "SHELL");
	const char *const paths[] = { shell_is_usable(own) ? own : NULL, "/bin/bash", "/usr/bin/bash",
				      "/bin/sh" };
	size_t last = sizeof(paths) / sizeof(*paths) - 1;
	int r = 0;

	if (ret->image_shell)
		return run_one(by, ret->image_shell, w, ret, e);
	for (size_t i = 0; i <= last; i++) {
		if (!paths[i] || (i < last && access(paths[i], X_OK) < 0))
			continue;
		run_report_finish(&ret->report);
		r = run_one(by, paths[i], w, ret, e);
		if (r < 0 || !is_missing(&ret->report))
			break;
	}
	return r;
}

static void count_changes(const struct caller *by, struct shell_done *ret)
{
	const struct box_compare_request req = { .box = ret->box, .cwd = by->cwd };
	scoped(box_comparison_finish) struct box_comparison c = { 0 };

	ret->uncounted = (struct aisbx_error)AISBX_ERROR_INIT;
	ret->counted = box_compare(&req, &c, &ret->uncounted) == 0;
	for (size_t i = 0; ret->counted && i < c.changes.n; i++)
		ret->changes[c.changes.items[i].kind]++;
}

/* One that was made for nothing goes; not while others are in it. */
static void drop_unused(const struct caller *by, struct shell_done *ret)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist keys = { 0 }, removed = { 0 };
	bool unused = false;

	{
		scoped(lookup_finish) struct lookup p = LOOKUP_INIT;

		if (lookup_open_box(ret->box, true, &p, &ignored) < 0 ||
		    box_is_unchanged(&p.state, &p.box, &unused, &ignored) < 0 || !unused)
			return;
	}
	strlist_add(&keys, ret->box);
	ret->removed = box_remove(&keys, &removed, &ignored) == 0 && removed.n == 1;
	if (ret->removed && ret->current)
		box_current_forget(caller_project(by), &ignored);
}

int shell_run(const struct caller *by, const char *key, struct run_options *w, struct shell_done *ret,
	      struct aisbx_error *e)
{
	bool in_line = false;
	int r = choose_box(by, key, w, ret, e);

	if (r < 0)
		return r;
	w->output_listener = note_line;
	w->output_listener_ctx = &in_line;
	r = run_shell(by, w, ret, e);
	w->output_listener = NULL;
	if (r == 0 && w->tty)
		screen_reclaim(by->stdin_fd, by->out_fds[1], in_line);
	if (ret->made)
		drop_unused(by, ret);
	if (r == 0 && !ret->removed)
		count_changes(by, ret);
	return r;
}
