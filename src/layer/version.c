/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of one path compared and merged. */
#include "layer/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/time.h"
#include "layer/blob.h"
#include "layer/text.h"

void version_scratch_finish(struct version_scratch *d)
{
	strlist_finish(&d->files);
}

/* A name that stays as long as the scratch directory. */
static const char *keep_name(struct version_scratch *d, const char *dir, const char *below, const char *name)
{
	strlist_addf(&d->files, "%s%s%s", dir, below, name);
	return d->files.failed ? NULL : d->files.items[d->files.n - 1];
}

int version_of_base(struct version_scratch *d, const struct base *b, struct version *ret)
{
	scoped(drop_mem) char *file = NULL;
	int r;

	*ret = (struct version){ .state = b->state, .whole = b->whole, .st = b->st, .xattrs = b->xattrs };
	snprintf(ret->sum, sizeof(ret->sum), "%s", b->sum);
	if (b->state != BASE_KNOWN || !b->blob[0])
		return 0;
	r = blob_file(b->dir, b->blob, &file);
	if (r < 0)
		return r;
	ret->file = keep_name(d, file, "", "");
	ret->is_blob = true;
	return ret->file ? 0 : -ENOMEM;
}

int version_to_base(struct version_scratch *d, const struct version *v, const char *path, struct base *ret)
{
	const char *name = v->file ? strrchr(v->file, '/') : NULL;
	struct base b = { .path = path,
			  .state = v->state,
			  .whole = v->whole,
			  .st = v->st,
			  .xattrs = v->xattrs,
			  .promotion = "",
			  .blob = "",
			  .sum = "" };

	if (v->sum[0]) {
		strlist_add(&d->files, v->sum);
		if (d->files.failed)
			return -ENOMEM;
		b.sum = d->files.items[d->files.n - 1];
	}
	if (name) {
		strlist_addf(&d->files, "%.*s", (int)(name - v->file - strlen("/blobs")), v->file);
		if (d->files.failed)
			return -ENOMEM;
		b.dir = d->files.items[d->files.n - 1];
		b.blob = name + 1;
	}
	*ret = b;
	return 0;
}

int version_of_thing(struct version_scratch *d, const struct thing *t, const char *path, struct version *ret)
{
	scoped(drop_fd) int fd = -1;

	*ret = (struct version){ .state = t->exists ? BASE_KNOWN : BASE_ABSENT, .st = t->st };
	if (!t->exists)
		return 0;
	ret->st.st_dev = ret->st.st_ino = 0; /* it may be written to again */
	if (S_ISREG(t->st.st_mode) || S_ISDIR(t->st.st_mode)) {
		int r;

		fd = copy_open(t->at, t->name);
		r = fd < 0 ? fd : copy_xattr_sum(fd, t->id_delta, &ret->xattrs);
		if (r < 0)
			return r == -EACCES ? 0 : r;
	}
	if (S_ISDIR(t->st.st_mode))
		return 0;
	ret->file = keep_name(d, path, "", "");
	return ret->file ? 0 : -ENOMEM;
}

static struct thing thing_of(const struct version *v)
{
	return (struct thing){ .exists = v->state == BASE_KNOWN,
			       .st = v->st,
			       .at = AT_FDCWD,
			       .name = v->file,
			       .sum = v->sum,
			       .has_sum = true,
			       .xattrs = v->xattrs };
}

int version_same(const struct version *a, const struct version *b)
{
	struct thing one = thing_of(a), two = thing_of(b);
	unsigned int bits;
	int kind;

	if (a->state == BASE_UNKNOWN || b->state == BASE_UNKNOWN)
		return 0;
	kind = change_compare(&one, &two, &bits);
	return kind < 0 ? kind : kind == CHANGE_NONE || kind == CHANGE_TOUCH;
}

static bool is_text(const struct version *v)
{
	return v->state == BASE_KNOWN && S_ISREG(v->st.st_mode) && v->file;
}

static bool is_dir(const struct version *v)
{
	return v->state == BASE_KNOWN && S_ISDIR(v->st.st_mode);
}

/* The merged file, or NULL if there is none without conflicts. */
static int merge_texts(struct version_scratch *d, const struct version *o, const struct version *a,
		       const struct version *b, const char **ret)
{
	struct text_merge m = { .base = o->file, .ours = a->file, .theirs = b->file };
	char name[32];
	int r;

	*ret = NULL;
	snprintf(name, sizeof(name), "%u", d->n++);
	m.out = keep_name(d, d->dir, "/blobs/", name);
	if (!m.out)
		return -ENOMEM;
	r = text_merge_all(&m, 1, "one", "two", d->e);
	if (r == 0 && m.status == TEXT_CLEAN)
		*ret = m.out;
	return r;
}

int version_contains(struct version_scratch *d, const struct version *in, const struct version *v,
		     const struct version *root)
{
	const char *merged = NULL;
	struct version both = *in;
	int r = version_same(in, v);

	if (r != 0)
		return r;
	if (is_dir(v) && is_dir(in))
		return 1;
	r = version_same(in, root);
	if (r != 0)
		return r < 0 ? r : version_same(root, v);
	if (!is_text(in) || !is_text(v) || !is_text(root))
		return 0;
	r = merge_texts(d, root, in, v, &merged);
	if (r < 0 || !merged)
		return r;
	both.file = merged;
	if (stat(merged, &both.st) < 0)
		return -errno;
	both.st.st_mode = in->st.st_mode;
	both.st.st_uid = in->st.st_uid;
	both.st.st_gid = in->st.st_gid;
	return version_same(in, &both);
}

/* Of two numbers that were one: the one that is not as before. */
#define CHANGED(o, a, b) ((a) == (o) ? (b) : (a))

/* V, which is A's, with the text of both and each attribute from the side that changed it. */
static int take_merged(const char *merged, const struct version *o, const struct version *a,
		       const struct version *b, struct version *v)
{
	struct stat st;

	if (stat(merged, &st) < 0)
		return -errno;
	v->file = merged;
	v->is_blob = false;
	v->sum[0] = '\0';
	v->st.st_dev = v->st.st_ino = 0; /* and no time: it never was anybody's file */
	v->st.st_mtim = (struct timespec){ 0 };
	v->st.st_size = st.st_size;
	v->st.st_mode = CHANGED(o->st.st_mode, a->st.st_mode, b->st.st_mode);
	v->st.st_uid = CHANGED(o->st.st_uid, a->st.st_uid, b->st.st_uid);
	v->st.st_gid = CHANGED(o->st.st_gid, a->st.st_gid, b->st.st_gid);
	v->xattrs = CHANGED(o->xattrs, a->xattrs, b->xattrs);
	if (time_compare(a->st.st_ctim, b->st.st_ctim) < 0)
		v->st.st_ctim = b->st.st_ctim; /* as old as the newer one */
	return 0;
}

static bool are_texts(const struct version *o, const struct version *a, const struct version *b)
{
	return is_text(o) && is_text(a) && is_text(b);
}

int version_merge(struct version_scratch *d, const struct version *o, const struct version *a,
		  const struct version *b, struct version *ret)
{
	const char *merged = NULL;
	struct version v = *a;
	int r = version_same(a, b);

	if (r == 0)
		r = version_same(o, b);
	if (r == 0) {
		r = version_same(o, a);
		v = r > 0 ? *b : v;
	}
	if (r == 0 && is_dir(a) && is_dir(b)) {
		v.st.st_mode =
			is_dir(o) ? CHANGED(o->st.st_mode, a->st.st_mode, b->st.st_mode) : a->st.st_mode;
		v.st.st_ino = 0;
		r = 1;
	}
	if (r == 0 && are_texts(o, a, b))
		r = merge_texts(d, o, a, b, &merged);
	if (r == 0 && !merged)
		v = (struct version){ .state = BASE_UNKNOWN };
	if (r >= 0)
		r = merged ? take_merged(merged, o, a, b, &v) : 0;
	if (r == 0)
		*ret = v;
	return r;
}
