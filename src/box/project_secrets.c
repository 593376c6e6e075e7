/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files of a project that hold secrets, and reads them as its owner. */
#include "box/project_secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/profiles.h"
#include "policy/secret_file.h"

/* Of a directory so many names are looked at, and so many directories are looked into. */
#define NAMES_MAX 4096
#define DIRS_MAX  32
#define FILES_MAX 32

/* A search through one project. */
struct search {
	int root; /* borrowed */
	struct run_secrets *ret;
	struct project_secret_files *files; /* NULL: nobody asks */
	size_t n_files, n, bytes;           /* of the project */
	size_t more;
};

void project_secret_files_finish(struct project_secret_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->items[i].path);
	free(f->items);
	*f = (struct project_secret_files){ 0 };
}

/* A secret that is known already, by another name, need not be looked for twice. */
static bool is_known(const struct run_secrets *s, const struct secret_value *v)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].len == v->len && !memcmp(s->items[i].value, v->value, v->len))
			return true;
	return false;
}

/* PATH:NAME, in which a name that is too long loses its beginning: then the path is not one of a file. */
static char *name_of(const char *path, const char *name)
{
	char *all = NULL;
	size_t n;

	if (asprintf(&all, "%s:%s", path, name) < 0)
		return NULL;
	n = strlen(all);
	if (n > SECRET_MAX_NAME)
		memmove(all, all + n - SECRET_MAX_NAME, SECRET_MAX_NAME + 1);
	for (char *c = all; *c; c++) /* it is shown to people, and in one line */
		if ((unsigned char)*c < ' ' || *c == 0x7F || *c == ']')
			*c = '?';
	return all;
}

/* 1: it counts; 0: it was known, or there is no room. */
static int add_value(struct search *s, const char *path, struct secret_value *v)
{
	struct run_secrets *all = s->ret;
	struct run_secret item = { .value = v->value, .len = v->len, .of_project = true };

	if (is_known(all, v))
		return 0;
	if (s->n == SECRET_PROJECT_MAX || s->bytes + v->len > SECRET_PROJECT_ALL) {
		s->more++;
		return 0;
	}
	if (!all->items)
		all->items = calloc(SECRET_MAX + 1 + SECRET_PROJECT_MAX, sizeof(*all->items));
	item.name = name_of(path, v->name);
	if (!all->items || !item.name) {
		free(item.name);
		return -ENOMEM;
	}
	all->items[all->n++] = item;
	v->value = NULL; /* it is theirs now */
	s->n++;
	s->bytes += item.len;
	return 1;
}

static int note_file(struct search *s, const char *path, size_t values)
{
	struct project_secret_file *grown;

	if (!s->files || !values)
		return 0;
	grown = realloc(s->files->items, (s->files->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->files->items = grown;
	grown[s->files->n] = (struct project_secret_file){ strdup(path), values };
	if (!grown[s->files->n].path)
		return -ENOMEM;
	s->files->n++;
	return 0;
}

/* Neither a link nor anything but a file: who made the project may have put them there. */
static ssize_t read_text(int dir, const char *name, char *ret, size_t cap)
{
	scoped(drop_fd) int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	while (len < cap && (n = read(fd, ret + len, cap - len)) > 0)
		len += (size_t)n;
	return n < 0 ? -1 : (ssize_t)len;
}

/* The file NAME of DIR, which is PATH in the project. */
static int read_one(struct search *s, int dir, const char *name, const char *path)
{
	enum secret_file kind = secret_file_kind(name);
	scoped(secret_values_finish) struct secret_values found = { 0 };
	scoped(drop_mem) char *text = NULL;
	size_t values = 0;
	ssize_t len;
	int r = 0;

	if (kind == SECRET_FILE_NONE || s->n_files == FILES_MAX)
		return 0;
	text = malloc(SECRET_FILE_BYTES + 1);
	if (!text)
		return -ENOMEM;
	len = read_text(dir, name, text, SECRET_FILE_BYTES);
	if (len <= 0)
		return 0;
	s->n_files++;
	text[len] = '\0';
	secret_file_read(kind, text, (size_t)len, &found);
	explicit_bzero(text, (size_t)len);
	s->more += found.more;
	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		r = add_value(s, path, &found.items[i]);
		values += r > 0;
	}
	if (found.failed)
		return -ENOMEM;
	return r < 0 ? r : note_file(s, path, values);
}

/* In a directory of the project only what most people have there; it costs one call that fails. */
static int look_below(struct search *s, const char *dir)
{
	static const char *const usual[] = { ".env", ".env.local" };
	char path[300];
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(usual) / sizeof(*usual); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, usual[i]);
		if (faccessat(s->root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
			scoped(drop_fd) int fd =
				openat(s->root, dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			r = fd < 0 ? 0 : read_one(s, fd, usual[i], path);
		}
	}
	return r;
}

/* Every name in one directory; PREFIX is where it is in the project, "" or with a slash at its end. */
static int look_in(struct search *s, int dir, const char *prefix)
{
	int r = 0, copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_dir) DIR *d = copy < 0 ? NULL : dir_take(copy, &r);
	struct dirent *entry;
	size_t names = 0, dirs = 0;
	int end = 0;

	while (d && r == 0 && names++ < NAMES_MAX && (entry = dir_next(d, &end))) {
		scoped(drop_mem) char *path = NULL;

		if (entry->d_type == DT_DIR) {
			if (!*prefix && dirs < DIRS_MAX && !secret_file_skips(entry->d_name) && ++dirs)
				r = look_below(s, entry->d_name);
			continue;
		}
		if (secret_file_kind(entry->d_name) == SECRET_FILE_NONE)
			continue;
		if (asprintf(&path, "%s%s", prefix, entry->d_name) < 0)
			return -ENOMEM;
		r = read_one(s, dir, entry->d_name, path);
	}
	return r;
}

/* Paths with a directory in them; no part of one is a link. */
static int look_at_paths(struct search *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && secret_file_paths[i]; i++) {
		const char *path = secret_file_paths[i], *name = strrchr(path, '/') + 1;
		char dir[64];
		scoped(drop_fd) int fd = -1;

		if (faccessat(s->root, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		snprintf(dir, sizeof(dir), "%.*s", (int)(name - path - 1), path);
		fd = openat(s->root, dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = fd < 0 ? 0 : read_one(s, fd, name, path);
	}
	return r;
}

/* The directory where the person is, if that is not the project's own. */
static int look_at_cwd(struct search *s, const char *project, const char *cwd)
{
	size_t n = strlen(project);
	scoped(drop_mem) char *prefix = NULL;
	scoped(drop_fd) int fd = -1;

	if (!cwd || strncmp(cwd, project, n) != 0 || cwd[n] != '/' || !cwd[n + 1])
		return 0;
	if (asprintf(&prefix, "%s/", cwd + n + 1) < 0)
		return -ENOMEM;
	fd = openat(s->root, cwd + n + 1, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? 0 : look_in(s, fd, prefix);
}

int project_secrets_find(const char *project, const char *cwd, struct run_secrets *ret,
			 struct project_secret_files *files, struct aisbx_error *e)
{
	scoped(drop_fd) int root = open(project, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct search s = { .root = root, .ret = ret, .files = files };
	int r;

	if (root < 0)
		return 0;
	r = look_in(&s, root, "");
	if (r == 0)
		r = look_at_paths(&s);
	if (r == 0)
		r = look_at_cwd(&s, project, cwd);
	if (files)
		files->more = s.more;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read the secrets of '%s'", project) : 0;
}

int project_secrets_add(struct run_spec *spec, struct aisbx_error *e)
{
	/* A live box has them: who started it looked. */
	if (spec->profile.plain_secret_files || spec->box.exec || spec->box.purpose || !spec->walls.project)
		return 0;
	return project_secrets_find(spec->walls.project, spec->command.cwd, &spec->secrets, NULL, e);
}

int project_secrets_of_box(const struct store_box *b, struct run_secrets *ret, struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT; /* a profile that cannot be read allows nothing */
	scoped(box_profile_finish) struct box_profile profile = { 0 };

	if (*b->profile && box_profile_load(b->profile, b->project, NULL, &profile, &ignored) == 0 &&
	    profile.rules.profile.plain_secret_files)
		return 0;
	return project_secrets_find(b->project, NULL, ret, NULL, e);
}
