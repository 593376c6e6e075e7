/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a template: a directory of its own with the recipe's files, a box that has it as its project, the
 * steps one after the other, the checks, and then the template. Box and directory go, however it ends.
 */
#include "flow/template_build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "box/execute.h"
#include "box/from.h"
#include "box/lifecycle.h"
#include "flow/recipe_file.h"

#define SCRATCH_MS (24u * 3600 * 1000) /* should aisbx be killed, gc finds it */
#define KEY_TEXT   (2 * SHA256_BYTES + 1)
#define PROFILE    "dev"

/* A build that goes on. */
struct build {
	const struct caller *by;
	struct recipe_file file; /* owned */
	char dir[32];            /* the steps' directory; "": none yet */
	char box[STORE_NAME_MAX + 1];
	char key[KEY_TEXT];
	sigset_t signals; /* as they were */
};

/* Signals wait while there is something to remove; the supervisor of a run reads them all the same. */
static void hold_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, old);
}

void template_built_finish(struct template_built *t)
{
	box_template_finish(&t->template);
	free(t->lock);
	*t = (struct template_built){ 0 };
}

static void drop_box(struct build *b)
{
	struct box_scratch box = { 0 };

	memcpy(box.name, b->box, sizeof(box.name));
	box_scratch_drop(&box);
	b->box[0] = '\0';
}

static void drop_dir_of(struct build *b)
{
	const struct recipe *r = &b->file.recipe;
	scoped(drop_fd) int dir = b->dir[0] ? open(b->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (dir < 0)
		return;
	for (size_t i = 0; i < r->files.n; i++)
		unlinkat(dir, r->files.items[i], 0);
	if (r->lock_file)
		unlinkat(dir, r->lock_file, 0);
	rmdir(b->dir);
	b->dir[0] = '\0';
}

static void build_finish(struct build *b)
{
	drop_box(b);
	drop_dir_of(b);
	recipe_file_finish(&b->file);
	sigprocmask(SIG_SETMASK, &b->signals, NULL);
}

static int put(int dir, const char *name, const char *data, size_t len, struct aisbx_error *e)
{
	scoped(drop_fd) int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		return aisbx_fail(e, AISBX_AREA_BOX, errno ? errno : ENOSPC, "write '%s'", name);
	return 0;
}

static int make_dir(struct build *b, bool with_lock, struct aisbx_error *e)
{
	const struct recipe *recipe = &b->file.recipe;
	scoped(drop_fd) int dir = -1;
	int r = 0;

	snprintf(b->dir, sizeof(b->dir), "/tmp/aisbx-recipe-XXXXXX");
	if (!mkdtemp(b->dir)) {
		b->dir[0] = '\0';
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make a directory in /tmp");
	}
	dir = open(b->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", b->dir);
	for (size_t i = 0; r == 0 && i < recipe->files.n; i++)
		r = put(dir, recipe->files.items[i], recipe->texts.items[i], strlen(recipe->texts.items[i]),
			e);
	if (r == 0 && with_lock && recipe->lock_file)
		r = put(dir, recipe->lock_file, b->file.lock.data ? b->file.lock.data : "", b->file.lock.len,
			e);
	return r;
}

static int make_box(struct build *b, struct aisbx_error *e)
{
	const struct recipe *recipe = &b->file.recipe;
	const struct box_create_request how = { .scratch = true,
						.from = recipe->from,
						.project = b->dir,
						.project_given = true,
						.profile = recipe->profile ? recipe->profile : PROFILE,
						.profile_given = !recipe->from || recipe->profile,
						.ttl_ms = SCRATCH_MS,
						.no_caches = !recipe->caches };
	scoped(box_created_finish) struct box_created made = { 0 };
	int r = box_create(b->by->cwd, &how, &made, e);

	if (r == 0)
		snprintf(b->box, sizeof(b->box), "%s", made.box.name);
	return r;
}

static void take_output(void *ctx, int which, const char *data, size_t len)
{
	struct buf *to = ctx;

	if (to && which == 0 && to->len <= RECIPE_LOCK_MAX)
		buf_add(to, data, len);
}

/* One shell command in the box; WHAT names it. */
static int run(struct build *b, const struct caller *by, const char *what, const char *command, bool net,
	       struct buf *ret, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { .box = b->box, .no_tty = true };
	scoped(run_report_finish) struct run_report report = { 0 };
	struct caller quiet = *by;
	int r;

	quiet.stdin_fd = -1;
	strlist_add(&options.command, "/bin/sh");
	strlist_add(&options.command, "-ec");
	strlist_add(&options.command, command);
	for (size_t i = 0; net && i < b->file.recipe.net.n; i++)
		strlist_add(&options.net, b->file.recipe.net.items[i]);
	options.output_listener = ret ? take_output : NULL;
	options.output_listener_ctx = ret;
	r = run_execute(&quiet, &options, &report, e);
	if (r < 0 || report.exit_status == 0)
		return r;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, ECHILD,
			    "%s of recipe '%s' failed (%s, %d): %.200s", what, b->file.recipe.name,
			    report.status, report.exit_status, command);
}

static int run_all(struct build *b, const char *what, const struct strlist *commands, bool net,
		   struct aisbx_error *e)
{
	char which[40];
	int r = 0;

	for (size_t i = 0; r == 0 && i < commands->n; i++) {
		snprintf(which, sizeof(which), "%s %zu", what, i + 1);
		r = run(b, b->by, which, commands->items[i], net, NULL, e);
	}
	return r;
}

/* The file that the box has made, read by a command of the box: no link leads out of there. */
static int read_lock(struct build *b, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *command = NULL;
	struct caller silent = *b->by;
	int r;

	silent.out_fds[0] = silent.out_fds[1] = -1;
	if (asprintf(&command, "exec cat -- %s", b->file.recipe.lock_file) < 0) {
		command = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the lock");
	}
	r = run(b, &silent, "the lock", command, false, ret, e);
	return r == 0 && ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the lock") : r;
}

static int update_lock(struct build *b, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf lock = { 0 };
	int r = make_dir(b, false, e);

	if (r == 0)
		r = make_box(b, e);
	if (r == 0)
		r = run(b, b->by, "the command for the lock", b->file.recipe.lock_command, true, NULL, e);
	if (r == 0)
		r = read_lock(b, &lock, e);
	drop_box(b);
	drop_dir_of(b);
	return r == 0 ? recipe_file_lock(&b->file, &lock, e) : r;
}

/* What it stands on, as a text that changes when that does. */
static int add_base(struct build *b, struct sha256 *sum, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(box_from_finish) struct box_from from = { 0 };
	scoped(drop_fd) int fd = -1;
	const char *word = b->file.recipe.from;
	struct utsname machine = { 0 };
	char text[4096];
	ssize_t n;
	int r;

	if (!word || !strcmp(word, "host")) {
		fd = open("/etc/os-release", O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? 0 : read(fd, text, sizeof(text));
		sha256_add(sum, text, n > 0 ? (size_t)n : 0);
		uname(&machine);
		sha256_add(sum, machine.machine, strlen(machine.machine));
		return 0;
	}
	r = box_state_open(&state, e);
	if (r == 0)
		r = box_from_resolve(&state, word, &from, e);
	if (r == 0 && from.kind == BOX_FROM_BOX)
		r = aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"a recipe cannot start from the box '%s', which changes; save a template of it",
			word);
	if (r < 0)
		return r;
	word = from.kind == BOX_FROM_IMAGE ? from.image.digest : from.template.row.layer;
	sha256_add(sum, word, strlen(word));
	return 0;
}

static int make_key(struct build *b, struct aisbx_error *e)
{
	uint8_t bytes[SHA256_BYTES];
	struct sha256 sum;
	int r;

	sha256_init(&sum);
	sha256_add(&sum, "aisbx recipe 1", sizeof("aisbx recipe 1"));
	sha256_add(&sum, b->file.text.data, b->file.text.len + 1); /* with its end */
	if (b->file.lock.data)
		sha256_add(&sum, b->file.lock.data, b->file.lock.len + 1);
	r = add_base(b, &sum, e);
	sha256_end(&sum, bytes);
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(b->key + 2 * i, 3, "%02x", bytes[i]);
	return r;
}

/* Whether the template is there already, built from the same. One that was saved by hand is not replaced. */
static int look_for(struct build *b, const struct template_build_request *req, struct box_template *ret,
		    bool *ret_same, struct aisbx_error *e)
{
	struct aisbx_error none = AISBX_ERROR_INIT;
	scoped(box_state_close) struct box_state state = { 0 };
	int r = box_state_open(&state, e);

	if (r < 0)
		return r;
	r = box_template_find(&state, b->file.recipe.name, ret, &none);
	if (r == -ENOENT)
		return 0;
	if (r < 0) {
		*e = none;
		return r;
	}
	if (!ret->row.recipe[0])
		return aisbx_refuse(
			e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
			"the template '%s' was saved or pulled, not built here; remove it with 'aisbx "
			"template rm %s' first",
			ret->row.name, ret->row.name);
	*ret_same = !req->rebuild && !strcmp(ret->row.lock, b->key) && ret->shared == req->shared;
	return 0;
}

static int build(struct build *b, const struct template_build_request *req, struct box_template *ret,
		 struct aisbx_error *e)
{
	const struct strlist no_net = { 0 };
	const struct box_template_request save = { .from = b->box,
						   .name = b->file.recipe.name,
						   .shared = req->shared,
						   .replace = true,
						   .recipe = b->file.recipe.name,
						   .lock = b->key,
						   .net = &no_net };
	int r = make_dir(b, true, e);

	if (r == 0)
		r = make_box(b, e);
	if (r == 0)
		r = run_all(b, "step", &b->file.recipe.steps, true, e);
	if (r == 0)
		r = run_all(b, "check", &b->file.recipe.checks, false, e);
	return r == 0 ? box_template_save(&save, ret, e) : r;
}

int template_build(const struct caller *by, const struct template_build_request *req,
		   struct template_built *ret, struct aisbx_error *e)
{
	scoped(build_finish) struct build b = { .by = by };
	scoped(template_built_finish) struct template_built done = { 0 };
	bool same = false;
	int r;

	hold_signals(&b.signals);
	r = recipe_file_read(req->recipe, by->cwd, !req->update_lock, &b.file, e);
	if (r == 0 && b.file.recipe.lock_file && !req->update_lock && !b.file.locked)
		r = aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_POLICY, ENOENT,
			"recipe '%s' has no lock '%s' yet; 'aisbx template build %s --update-lock' makes "
			"it with the versions of today",
			b.file.recipe.name, b.file.lock_path, req->recipe);
	if (r == 0 && b.file.recipe.lock_file && req->update_lock)
		r = update_lock(&b, e);
	if (r == 0)
		r = make_key(&b, e);
	if (r == 0)
		r = look_for(&b, req, &done.template, &same, e);
	if (r == 0 && !same) {
		box_template_finish(&done.template);
		r = build(&b, req, &done.template, e);
	}
	if (r < 0)
		return r;
	done.built = !same;
	done.lock = b.file.lock_path ? take_mem(&b.file.lock_path) : NULL;
	*ret = done;
	done = (struct template_built){ 0 };
	return 0;
}
