/* SPDX-License-Identifier: Apache-2.0 */
/* Which branches and tags of a box's repository are promoted, and under which names. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "promote/git_transfer.h"
#include "layer/blob.h"

#define MAX_KEPT ((off_t)4 << 20)

/* What was kept of a small file, heap; NULL: nothing. */
static char *read_base(const struct base *base)
{
	scoped(drop_mem) char *blob = NULL;
	scoped(drop_mem) char *text = NULL;
	scoped(drop_fd) int fd = -1;
	struct stat st;
	ssize_t n;

	if (base->state != BASE_KNOWN || !base->blob[0] || blob_file(base->dir, base->blob, &blob) < 0)
		return NULL;
	fd = open(blob, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	text = fd >= 0 && fstat(fd, &st) == 0 && st.st_size <= MAX_KEPT ? malloc((size_t)st.st_size + 1)
									: NULL;
	n = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (n < 0)
		return NULL;
	text[n] = '\0';
	return take_mem(&text);
}

/* The branch that a HEAD names, heap; NULL: none. */
static char *branch_in(char *text)
{
	text[strcspn(text, "\n")] = '\0';
	return !strncmp(text, "ref: ", 5) && git_is_ref(text + 5) ? strdup(text + 5) : NULL;
}

/* Of the host's work tree when the box first did something to its repository. NULL: nobody knows, or it was
 * on none. */
static char *branch_before(const struct box_git_ask *ask, const struct git_repo *host)
{
	const char *below = path_below(host->dir, ask->target);
	scoped(drop_mem) char *path = below ? path_join(below, "HEAD") : NULL;
	const struct base *base = path ? base_find(ask->bases, path) : NULL;
	scoped(drop_mem) char *text = base ? read_base(base) : NULL;

	return text ? branch_in(text) : NULL;
}

static int add_wanted(struct git_wanted_list *w, const struct git_wanted *wanted)
{
	struct git_wanted *grown = realloc(w->list, (w->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	w->list = grown;
	grown[w->n++] = *wanted;
	return 0;
}

void git_transfer_finish(struct git_transfer *d)
{
	free(d->before);
	free(d->wanted.list);
}

/* The box's own HEAD. Where it never wrote one it sees the host's of now; unless it did something to that, it
 * worked on the one of then. */
static const char *head_of_box(const struct git_transfer *d)
{
	const char *below = path_below(d->box->dir, d->ask->target);
	scoped(drop_mem) char *path = below ? path_join(below, "HEAD") : NULL;

	if (d->before && path && !view_knows(d->ask->open_view, path)) {
		const char *now = d->box->head ? git_ref_find(d->box, d->box->head) : NULL;
		const char *old = d->box->head ? git_ref_find(d->host, d->box->head) : NULL;

		if (!now || (old && !strcmp(now, old)))
			return d->before;
	}
	return d->box->head;
}

static int want_head(struct git_transfer *d)
{
	struct git_wanted w = { .is_head = true, .from = d->head ? d->head : "HEAD" };

	if (d->ask->branch)
		return 0;
	w.now = d->head ? git_ref_find(d->box, d->head) : d->box->at;
	if (!w.now || !*w.now)
		return 0; /* no commit yet */
	w.ref = d->head;
	if (d->host && !d->head && !d->host->head && d->host->at[0])
		w.ref = "HEAD"; /* neither is on a branch */
	if (d->host && w.ref)
		w.old = d->head ? git_ref_find(d->host, w.ref) : d->host->at;
	return add_wanted(&d->wanted, &w);
}

/* Another work tree of the same repository is on it, and brings it. */
static bool is_others_head(const struct git_transfer *d, const char *ref)
{
	for (size_t i = 0; i < d->boxes->n; i++) {
		const struct git_repo *r = &d->boxes->repos[i];

		if (r != d->box && r->head && !strcmp(r->common, d->box->common) && !strcmp(r->head, ref) &&
		    git_list_find(d->hosts, r->tree))
			return true;
	}
	return false;
}

/* The host had REF when the box began to write to its repository, as a file of its own or among those that
 * are packed. */
static bool was_there(const struct git_transfer *d, const char *ref)
{
	const char *below = path_below(d->host->common, d->ask->target);
	scoped(drop_mem) char *path = below ? path_join(below, ref) : NULL;
	scoped(drop_mem) char *packed = below ? path_join(below, "packed-refs") : NULL;
	const struct base *base = path ? base_find(d->ask->bases, path) : NULL;
	scoped(drop_mem) char *text = NULL;
	scoped(drop_mem) char *line = NULL;

	if (base && base->state == BASE_KNOWN)
		return true;
	base = packed ? base_find(d->ask->bases, packed) : NULL;
	text = base ? read_base(base) : NULL;
	return text && asprintf(&line, " %s\n", ref) >= 0 && strstr(text, line);
}

static bool is_asked_for(const struct git_transfer *d, const char *ref)
{
	if (!d->ask->branch)
		return d->ask->refs;
	return !strncmp(ref, "refs/heads/", 11) && !strcmp(ref + 11, d->ask->branch);
}

/* Another wish brings REF, or the host has it as OLD. */
static bool is_settled(const struct git_transfer *d, const struct git_ref *ref, const char *old)
{
	return (d->head && !strcmp(d->head, ref->name)) || (old && !strcmp(old, ref->id)) ||
	       is_others_head(d, ref->name);
}

/* The host's version OLD of a ref that is asked for, and that differs there. */
static int want_ref(struct git_transfer *d, const struct git_ref *ref, const char *old)
{
	if (old && !strncmp(ref->name, "refs/tags/", 10))
		git_say(d->g, "tag '%s' is different in your repository; the box's version stayed in the box",
			ref->name + 10);
	else if (!old && d->host && was_there(d, ref->name))
		git_say(d->g, "'%s' is no longer in your repository; the box's version stayed in the box",
			git_short_name(ref->name));
	else
		return add_wanted(&d->wanted, &(struct git_wanted){ ref->name, ref->name, old, ref->id });
	return 0;
}

static int want_others(struct git_transfer *d)
{
	scoped(buf_finish) struct buf left = { 0 };
	const char *below = path_below(d->box->common, d->ask->target);
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->box->n_refs; i++) {
		const struct git_ref *ref = &d->box->refs[i];
		const char *old = d->host ? git_ref_find(d->host, ref->name) : NULL;
		scoped(drop_mem) char *path = below ? path_join(below, ref->name) : NULL;

		if (is_settled(d, ref, old))
			continue;
		if (is_asked_for(d, ref->name))
			r = want_ref(d, ref, old);
		else if (!d->ask->branch && path &&
			 view_knows(d->ask->open_view, path)) /* the box wrote it */
			buf_addf(&left, "%s%s", left.len ? ", " : "", git_short_name(ref->name));
	}
	if (left.len && buf_str(&left))
		git_say(d->g, "other branches and tags of the box stayed there: %s; --refs promotes them",
			left.data);
	return r;
}

/* Git has them as files and directories. */
const char *git_blocked_by(const struct git_repo *host, const char *ref)
{
	size_t n = strlen(ref);

	for (size_t i = 0; i < host->n_refs; i++) {
		const char *other = host->refs[i].name;
		size_t len = strlen(other);

		if ((len < n && !strncmp(ref, other, len) && ref[len] == '/') ||
		    (len > n && !strncmp(ref, other, n) && other[n] == '/'))
			return other;
	}
	return NULL;
}

/* By the box's name, or, where that is no name of a branch, its id; not below what is a branch itself. */
static void name_aside(struct git_transfer *d)
{
	const struct store_box *b = d->ask->box;

	for (size_t i = 0; i < 4; i++) {
		snprintf(d->aside, sizeof(d->aside), i % 2 ? "refs/heads/aisbx-%s" : "refs/heads/aisbx/%s",
			 i < 2 ? b->name : b->id);
		if (git_is_ref(d->aside) && !git_blocked_by(d->host, d->aside))
			return;
	}
}

/* Where commits go that cannot go where they belong: a name that is free, or that went the
 * same way before. */
static int want_aside(struct git_transfer *d)
{
	struct git_wanted w = { .is_aside = true, .ref = d->aside };
	const struct git_wanted *head = d->wanted.n && d->wanted.list[0].is_head ? &d->wanted.list[0] : NULL;

	if (!head || !d->host || d->ask->branch)
		return 0;
	w.from = head->from;
	w.now = head->now;
	name_aside(d);
	w.old = git_ref_find(d->host, d->aside);
	return add_wanted(&d->wanted, &w);
}

int git_transfer_want(struct git_transfer *d, struct aisbx_error *e)
{
	int r;

	d->before = d->host ? branch_before(d->ask, d->host) : NULL;
	d->head = head_of_box(d);
	r = want_head(d);
	if (r == 0)
		r = want_others(d);
	if (r == 0 && !d->host && d->wanted.n && !d->wanted.list[0].ref)
		d->wanted.n = 0; /* a new one needs a branch to stand on */
	if (r == 0 && d->wanted.n)
		r = want_aside(d);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "inspect the commits of the box") : 0;
}
