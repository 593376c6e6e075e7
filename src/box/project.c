/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the aisbx.yaml files of a project that apply, from a directory up to the root, and combines them. */
#include "box/project.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

void box_project_files_finish(struct box_project_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->items[i].dir);
		free(f->items[i].text);
	}
	free(f->items);
	*f = (struct box_project_files){ 0 };
}

/* It says what must hold before something is done with the caller's rights: nobody else may
 * have written it. */
static int check_file(const struct stat *st, const char *path, struct aisbx_error *e)
{
	/* A group of one's own, as many systems give everybody, is nobody else. */
	const mode_t others = S_IWOTH | (st->st_gid == getegid() && getegid() == geteuid() ? 0 : S_IWGRP);
	const char *told = path_tail(path, PATH_TOLD);

	if (!S_ISREG(st->st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' is not a regular file", told);
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "'%s' belongs to somebody else (user %u), who would decide what your "
				    "boxes may do; make it your own, or "
				    "move it away",
				    told, st->st_uid);
	if (st->st_mode & others)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "others can write to '%s'; run 'chmod go-w %s'", told, told);
	return 0;
}

/* One byte more than may be there shows that it is too long. Heap, or NULL with an error. */
static char *read_text(int fd, const char *path, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char chunk[8192];
	ssize_t n = 0;

	while (text.len <= PROJECT_MAX_BYTES && (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(&text, chunk, (size_t)n);
	if (n < 0 || !buf_str(&text))
		aisbx_fail(e, AISBX_AREA_POLICY, n < 0 ? errno : ENOMEM, "read '%s'",
			   path_tail(path, PATH_TOLD));
	else if (text.len > PROJECT_MAX_BYTES)
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EFBIG, "'%s' has more than %u bytes",
			     path_tail(path, PATH_TOLD), PROJECT_MAX_BYTES);
	else if (strlen(text.data) != text.len)
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "'%s' contains a NUL byte, so it is not a text file",
			     path_tail(path, PATH_TOLD));
	else
		return take_mem(&text.data);
	return NULL;
}

/* Where everybody may put a file, one of somebody else is nobody's word: it must not stop whoever works
 * below. */
static bool is_litter(const char *dir, const struct stat *file)
{
	struct stat st;

	return file->st_uid != 0 && file->st_uid != geteuid() && stat(dir, &st) == 0 &&
	       (st.st_mode & S_IWOTH);
}

/* RET stays NULL: there is none in DIR that counts. FIRST: it is the directory that was asked about. */
static int read_file(const char *dir, bool first, char **ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(dir, PROJECT_FILE);
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "search for '%s'", PROJECT_FILE);
	/* A link that leads nowhere counts: somebody meant something by it. */
	if (lstat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR || (errno == EACCES && !first)))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (!first && is_litter(dir, &st))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", path_tail(path, PATH_TOLD));
	r = check_file(&st, path, e);
	if (r == 0)
		*ret = read_text(fd, path, e);
	return r == 0 && !*ret ? e->code : r;
}

/* In front of the others: it lies above them. */
static int add(struct box_project_files *f, const char *dir, char *text, struct aisbx_error *e)
{
	struct box_project_file *grown = reallocarray(f->items, f->n + 1, sizeof(*grown));
	char *copy = strdup(dir);

	if (grown)
		f->items = grown;
	if (!grown || !copy) {
		free(copy);
		free(text);
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", PROJECT_FILE);
	}
	memmove(grown + 1, grown, f->n++ * sizeof(*grown));
	*grown = (struct box_project_file){ copy, text };
	return 0;
}

/* False: it was the root. */
static bool go_up(char *dir)
{
	char *slash = strrchr(dir, '/');

	if (!slash || !dir[1])
		return false;
	slash[slash == dir] = '\0';
	return true;
}

int box_project_find(const char *dir, struct box_project_files *ret, struct aisbx_error *e)
{
	scoped(box_project_files_finish) struct box_project_files found = { 0 };
	scoped(drop_mem) char *real = realpath(dir, NULL), *at = strdup(real ? real : dir);
	bool first = true;
	int r;

	if (!at)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "search for '%s'", PROJECT_FILE);
	do {
		char *text = NULL;

		r = read_file(at, first, &text, e);
		if (r == 0 && text)
			r = add(&found, at, text, e);
		first = false;
	} while (r == 0 && go_up(at));
	if (r < 0)
		return r;
	*ret = found;
	found = (struct box_project_files){ 0 };
	return 0;
}

static int parse(const struct box_project_file *f, unsigned int needs, struct project *ret,
		 struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(f->dir, PROJECT_FILE);
	int r = path ? project_parse_parts(f->text, strlen(f->text), path, needs, ret, e) : -ENOMEM;

	if (r == 0)
		strlist_add(&ret->files, path);
	if (!path || ret->files.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", PROJECT_FILE);
	return r < 0 ? r : project_place(ret, f->dir, e);
}

int box_project_read(const struct box_project_files *f, unsigned int needs, struct project *ret,
		     struct aisbx_error *e)
{
	scoped(project_finish) struct project all = { 0 };
	int r = f->n ? parse(&f->items[0], needs, &all, e) : 0;

	for (size_t i = 1; r == 0 && i < f->n; i++) {
		scoped(project_finish) struct project inner = { 0 };

		r = parse(&f->items[i], needs, &inner, e);
		if (r == 0)
			r = project_nest(&all, &inner, e);
	}
	if (r < 0)
		return r;
	*ret = all;
	all = (struct project){ 0 };
	return 0;
}

int box_project_load(const char *dir, unsigned int needs, struct project *ret, struct aisbx_error *e)
{
	scoped(box_project_files_finish) struct box_project_files files = { 0 };
	int r = box_project_find(dir, &files, e);

	return r < 0 ? r : box_project_read(&files, needs, ret, e);
}

/* What PROJECT is called below DIR; "" when it is DIR itself, or lies elsewhere. Points into PROJECT. */
static const char *part_of(const char *project, const char *dir)
{
	scoped(drop_mem) char *real = realpath(project, NULL); /* as DIR was found */
	const char *below = dir ? path_below(real ? real : project, dir) : NULL;
	size_t all = strlen(project), n = below ? strlen(below) : 0;

	if (!n || n >= all || project[all - n - 1] != '/' || strcmp(project + all - n, below) != 0)
		return project + all;
	return project + all - n;
}

char *box_project_cwd(const char *project, const char *dir, const char *cwd)
{
	const char *part = part_of(project, dir);
	scoped(drop_mem) char *base = strndup(project, (size_t)(part - project));

	return base ? path_resolve(base, cwd ? cwd : ".") : NULL;
}

char *box_project_part(const char *project, const char *dir, const char *place)
{
	const char *part = part_of(project, dir);

	return path_resolve(place, *part ? part : ".");
}
