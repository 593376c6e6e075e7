/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is remembered of sandboxes: whose they are, until when, what their maker said of them. A small file
 * each, so that a server that is started again finds them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "server/core/json.h"
#include "server/e2b/internal.h"

#define FILE_MOST (1u << 20)

struct sandbox *sandbox_find(const struct e2b *e, const char *id)
{
	for (struct sandbox *s = *id ? e->sandboxes : NULL; s; s = s->next)
		if (!strcmp(s->id, id))
			return s;
	return NULL;
}

struct sandbox *sandbox_new(struct e2b *e, const char *id, const char *token)
{
	struct sandbox *s = e->n_sandboxes < MAX_SANDBOXES ? calloc(1, sizeof(*s)) : NULL;

	if (!s)
		return NULL;
	*s = (struct sandbox){ .e2b = e, .next = e->sandboxes };
	snprintf(s->id, sizeof(s->id), "%s", id);
	snprintf(s->token, sizeof(s->token), "%s", token);
	if (s->next)
		s->next->prev = s;
	e->sandboxes = s;
	e->n_sandboxes++;
	return s;
}

static void destroy(struct sandbox *s)
{
	struct e2b *e = s->e2b;

	if (s->prev)
		s->prev->next = s->next;
	else
		e->sandboxes = s->next;
	if (s->next)
		s->next->prev = s->prev;
	e->n_sandboxes--;
	processes_free(s);
	watchers_free(s);
	contexts_free(s);
	free(s->template);
	json_decref(s->metadata);
	json_decref(s->env);
	free(s);
}

void sandboxes_free(struct e2b *e)
{
	while (e->sandboxes)
		destroy(e->sandboxes);
}

/* ---- files ---- */

static char *file_of(const struct sandbox *s)
{
	char *path;

	return asprintf(&path, "%s/%s.json", s->e2b->how.state, s->id) < 0 ? NULL : path;
}

/* Whole or not at all. What cannot be written is known until the server ends. */
void sandbox_save(const struct sandbox *s)
{
	scoped(drop_mem) char *path = file_of(s);
	scoped(drop_mem) char *new = NULL;
	scoped(drop_mem) char *text = NULL;
	scoped(drop_fd) int fd = -1;
	json_auto_t *j =
		json_pack("{s:s, s:s, s:s, s:O, s:O, s:I, s:I, s:b, s:b, s:b, s:s}", "id", s->id, "token",
			  s->token, "template", s->template ? s->template : "base", "metadata", s->metadata,
			  "env", s->env, "started_ms", (json_int_t)s->started_ms, "end_ms",
			  (json_int_t)s->end_ms, "paused", s->paused, "pauses", s->pauses, "offline",
			  s->offline, "origin", s->origin);

	text = j ? json_dumps(j, JSON_COMPACT) : NULL;
	if (!path || !text || asprintf(&new, "%s.XXXXXX", path) < 0)
		return;
	fd = mkostemp(new, O_CLOEXEC);
	if (fd >= 0 && (io_write_all(fd, text, strlen(text)) < 0 || rename(new, path) < 0))
		unlink(new);
}

static void load_json(struct e2b *e, const json_t *j)
{
	const char *id = json_string_value(json_object_get(j, "id")),
		   *token = json_string_value(json_object_get(j, "token")),
		   *template = json_string_value(json_object_get(j, "template")),
		   *origin = json_string_value(json_object_get(j, "origin"));
	json_t *metadata = json_object_get(j, "metadata"), *env = json_object_get(j, "env");
	struct sandbox *s;

	if (!id || !route_is_id(id) || !token || strlen(token) >= TOKEN_MAX || !json_is_object(metadata) ||
	    !json_is_object(env) || sandbox_find(e, id))
		return;
	s = sandbox_new(e, id, token);
	if (!s)
		return;
	s->template = strdup(template ? template : "base");
	s->metadata = json_incref(metadata);
	s->env = json_incref(env);
	s->started_ms = json_integer_value(json_object_get(j, "started_ms"));
	s->end_ms = json_integer_value(json_object_get(j, "end_ms"));
	s->paused = json_is_true(json_object_get(j, "paused"));
	s->pauses = json_is_true(json_object_get(j, "pauses"));
	s->offline = json_is_true(json_object_get(j, "offline"));
	snprintf(s->origin, sizeof(s->origin), "%s", origin ? origin : "");
}

static void load_file(struct e2b *e, int dir, const char *name)
{
	scoped(drop_fd) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct stat st;
	scoped(drop_mem) char *text = NULL;
	json_t *j;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MOST)
		return;
	text = malloc((size_t)st.st_size + 1);
	if (!text || read(fd, text, (size_t)st.st_size) != st.st_size)
		return;
	j = server_json_read(text, (size_t)st.st_size, &ignored);
	if (j)
		load_json(e, j);
	json_decref(j);
}

int sandboxes_load(struct e2b *e, struct aisbx_error *err)
{
	scoped(drop_dir) DIR *d = opendir(e->how.state);
	struct dirent *entry;

	if (!d)
		return aisbx_fail(err, AISBX_AREA_SYS, errno, "read the sandboxes in '%s'", e->how.state);
	while ((entry = readdir(d))) {
		const size_t n = strlen(entry->d_name);

		if (n > 5 && !strcmp(entry->d_name + n - 5, ".json"))
			load_file(e, dirfd(d), entry->d_name);
	}
	return 0;
}

/* ---- the end ---- */

void sandbox_settle(struct sandbox *s)
{
	scoped(drop_mem) char *path = NULL;

	if (!s->ending || s->n_jobs || s->keeper || s->processes || s->watchers || s->e2b->stopping)
		return;
	if (!s->removing) {
		s->removing = true;
		if (e2b_aside(s, op_by_method("box.rm"), json_pack("{s:[s]}", "boxes", s->id)))
			return;
	}
	path = file_of(s);
	if (path)
		unlink(path);
	destroy(s);
}

static void end_all(struct sandbox *s)
{
	processes_end(s);
	watchers_end(s);
	contexts_end(s);
	if (s->keeper)
		call_cancel(s->keeper);
}

void sandbox_end(struct sandbox *s)
{
	if (s->ending)
		return;
	s->ending = true;
	end_all(s);
	sandbox_settle(s);
}

void sandbox_pause(struct sandbox *s)
{
	s->paused = true;
	/* What runs stands still, if there is a command by which to stop it. */
	if (!s->keeper_run[0] ||
	    !e2b_aside(s, op_by_method("run.pause"), json_pack("{s:[s]}", "runs", s->keeper_run)))
		end_all(s);
	sandbox_save(s);
}

void sandboxes_tend(struct e2b *e)
{
	const int64_t now = box_now_ms();

	for (struct sandbox *s = e->sandboxes, *next; s && !e->stopping; s = next) {
		next = s->next;
		if (s->ending)
			sandbox_settle(s);
		else if (s->origin[0])
			continue;
		else if (!s->paused && now >= s->end_ms && s->pauses)
			sandbox_pause(s);
		else if (!s->paused && now >= s->end_ms)
			sandbox_end(s);
	}
}

/* ---- paths ---- */

/* Whether PATH is DIR or in it; *RET_REST: what follows. */
static bool is_below(const char *path, const char *dir, const char **ret_rest)
{
	const size_t n = strlen(dir);

	if (strncmp(path, dir, n) != 0 || (path[n] && path[n] != '/'))
		return false;
	*ret_rest = path + n;
	return true;
}

char *sandbox_path(const struct e2b *e, const char *path)
{
	const char *rest = path;
	char *out;

	if (path[0] == '/' && !is_below(path, E2B_HOME, &rest))
		return strdup(path);
	if (path[0] != '/' && !is_below(path, "~", &rest))
		rest = path;
	return asprintf(&out, "%s%s%s", e->how.home, rest[0] && rest[0] != '/' ? "/" : "", rest) < 0 ? NULL
												     : out;
}

char *sandbox_path_shown(const struct e2b *e, const char *path)
{
	const char *rest;
	char *out;

	if (!is_below(path, e->how.home, &rest))
		return strdup(path);
	return asprintf(&out, E2B_HOME "%s", rest) < 0 ? NULL : out;
}
