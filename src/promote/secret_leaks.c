/* SPDX-License-Identifier: Apache-2.0 */
/* Reads everything that a promotion would write, and searches it for fingerprints of secrets. */
#include "promote/secret_leaks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "secret/fingerprints.h"

#define CHUNK 65536

void box_secret_leaks_finish(struct box_secret_leaks *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].path);
	free(s->list);
	*s = (struct box_secret_leaks){ 0 };
}

struct search {
	struct fingerprints *fingerprints; /* owned */
	struct fingerprint_scan *scan;     /* owned */
	const struct box_secret_search *what;
	struct box_secret_leaks *found;
	char *chunk; /* owned */
};

/* "PATH:NAME" is a secret of the project in its own file, where it was before. */
static bool is_at_home(const struct search *in, const char *path, const char *name)
{
	size_t n = strlen(path);

	return in->what->into_project && !strncmp(name, path, n) && name[n] == ':' &&
	       !strchr(name + n + 1, ':');
}

static int add(struct search *in, const char *path, const struct fingerprint_found *f)
{
	struct box_secret_leaks *all = in->found;
	struct box_secret_leak *grown;

	if (is_at_home(in, path, f->name))
		return 0;
	for (size_t i = all->n; i-- > 0 && !strcmp(all->list[i].path, path);)
		if (!strcmp(all->list[i].name, f->name))
			return 0;
	grown = realloc(all->list, (all->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	all->list = grown;
	grown += all->n;
	*grown = (struct box_secret_leak){ .path = strdup(path),
					   .form = f->form,
					   .allowed = in->what->allowed &&
						      strlist_has(in->what->allowed, f->name) };
	if (!grown->path)
		return -ENOMEM;
	strncpy(grown->name, f->name, SECRET_MAX_NAME);
	all->n++;
	all->n_stopping += !grown->allowed;
	return 0;
}

/* What the scan has found in something of PATH; the next thing begins. */
static int collect(struct search *in, const char *path)
{
	const struct fingerprint_found *list;
	size_t n;
	int r = fingerprint_scan_found(in->scan, &list, &n) ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(in, path, &list[i]);
	fingerprint_scan_begin(in->scan);
	return r;
}

static int search_text(struct search *in, const char *path, const char *text, size_t len)
{
	fingerprint_scan_add(in->scan, text, len);
	return collect(in, path);
}

static int search_content(struct search *in, const char *path, int fd)
{
	ssize_t n;

	while ((n = read(fd, in->chunk, CHUNK)) > 0)
		fingerprint_scan_add(in->scan, in->chunk, (size_t)n);
	return n < 0 ? -errno : collect(in, path);
}

static int search_xattrs(struct search *in, const char *path, int fd)
{
	char names[4096]; /* a file with more of them is none that a person made; what is not read here is not
			     promoted in secret: */
	ssize_t len = flistxattr(fd, names, sizeof(names));
	int r = len < 0 && errno == ERANGE ? -E2BIG : 0; /* it is refused */

	for (ssize_t at = 0; r == 0 && at < len; at += (ssize_t)strlen(names + at) + 1) {
		ssize_t n = copy_getxattr(fd, names + at, in->chunk, CHUNK);

		fingerprint_scan_add(in->scan, names + at, strlen(names + at));
		r = collect(in, path);
		if (r == 0)
			r = n < 0 ? (int)n : search_text(in, path, in->chunk, (size_t)n);
	}
	return r;
}

static int search_step(struct search *in, struct open_view *box, const struct merge_step *step)
{
	scoped(drop_fd) int fd = -1;
	struct view_entry seen;
	int r = search_text(in, step->path, step->path, strlen(step->path));

	if (r < 0)
		return r;
	r = view_find(box, step->source ? step->source : step->path, &seen);
	if (r < 0 || !seen.thing.exists)
		return r < 0 ? r : -ESTALE;
	if (S_ISLNK(step->now.st_mode)) {
		ssize_t n = copy_readlink(seen.thing.at, seen.thing.name, in->chunk, CHUNK);

		return n < 0 ? (int)n : search_text(in, step->path, in->chunk, (size_t)n);
	}
	if (!S_ISREG(step->now.st_mode))
		return 0;
	fd = copy_open(seen.thing.at, seen.thing.name);
	if (fd < 0)
		return fd;
	r = search_xattrs(in, step->path, fd);
	if (r == 0 && step->chosen) { /* what is written is not what the box has */
		close_fd(&fd);
		fd = open(step->merged, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		r = fd < 0 ? -errno : 0;
	}
	return r == 0 && step->op != MERGE_ATTRS ? search_content(in, step->path, fd) : r;
}

static void search_finish(struct search *in)
{
	fingerprint_scan_free(in->scan);
	fingerprints_free(in->fingerprints);
	free(in->chunk);
}

/* Without a scan afterwards there never was a secret. */
static int search_begin(struct search *in, struct aisbx_error *e)
{
	const struct run_secrets *p = in->what->project;
	int r = fingerprints_load_with(in->what->dir, p->items, p->n, &in->fingerprints, e);

	if (r < 0 || !in->fingerprints)
		return r;
	in->scan = fingerprint_scan_create(in->fingerprints);
	in->chunk = malloc(CHUNK);
	if (!in->scan || !in->chunk)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for secrets");
	fingerprint_scan_begin(in->scan);
	return 0;
}

int box_secret_leaks_find_in(const struct box_secret_search *what, const char *file, const char *path,
			     struct box_secret_leaks *ret, struct aisbx_error *e)
{
	scoped(search_finish) struct search in = { .what = what, .found = ret };
	scoped(drop_fd) int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "search for secrets in '%s'", file)
		       : search_begin(&in, e);

	if (r < 0 || !in.scan)
		return r;
	r = search_content(&in, path, fd);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "search for secrets in '%s'", path) : 0;
}

int box_secret_leaks_find(const struct box_secret_search *what, struct open_view *box,
			  const struct merge_plan *plan, struct box_secret_leaks *ret, struct aisbx_error *e)
{
	scoped(search_finish) struct search in = { .what = what, .found = ret };
	int r = search_begin(&in, e);

	if (r < 0 || !in.scan)
		return r;
	for (size_t i = 0; i < plan->n; i++) {
		const struct merge_step *step = &plan->steps[i];

		if (step->op == MERGE_NOTHING || step->op == MERGE_DELETE || !strcmp(step->path, "."))
			continue;
		r = search_step(&in, box, step);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, -r, "search for secrets in '%s'", step->path);
	}
	return 0;
}
