/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive may have a name twice, and then the last one counts. So a difference is remembered, and
 * forgotten when a later entry explains it.
 */
#include "helpers/image/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "helpers/image/compare_file.h"
#include "helpers/image/layer_stream.h"
#include "helpers/image/owner.h"
#include "helpers/image/unpack.h"
#include "image/wire.h"

#define DIFFERENCES_MAX 1000u

struct comparing {
	const struct compare_order *o; /* borrowed */
	struct strlist paths;          /* what is different now, */
	struct strlist reasons;        /* and why */
	struct compare_counts counts;
};

static void comparing_finish(struct comparing *c)
{
	strlist_finish(&c->paths);
	strlist_finish(&c->reasons);
}

/* An entry that is reached by PATH, with links on the way but not at its end followed below the top. */
static int open_entry(const struct compare_order *o, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, o->up, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* A directory of PATH is a link in a layer below: the entry is elsewhere then. */
static bool leads_elsewhere(const struct compare_order *o, const char *path)
{
	char prefix[TAR_NAME_MAX + 1];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		memcpy(prefix, path, (size_t)(slash - path));
		prefix[slash - path] = '\0';
		for (size_t i = 0; i < o->n_below; i++) {
			struct stat st;

			if (fstatat(o->below[i], prefix, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			    S_ISLNK(st.st_mode))
				return true;
		}
	}
	return false;
}

static void forget(struct comparing *c, size_t at)
{
	free(c->paths.items[at]);
	free(c->reasons.items[at]);
	c->paths.n--;
	c->reasons.n--;
	c->paths.items[at] = c->paths.items[c->paths.n];
	c->reasons.items[at] = c->reasons.items[c->reasons.n];
	c->paths.items[c->paths.n] = c->reasons.items[c->reasons.n] = NULL;
}

/* PATH is as this entry says: what earlier ones said of it, of what was in it, or of what it is in, no longer
 * counts. */
static void explain(struct comparing *c, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = c->paths.n; i-- > 0;) {
		const char *other = c->paths.items[i];
		size_t n = strlen(other), least = n < len ? n : len;

		if (!memcmp(other, path, least) &&
		    (n == len || (n > len ? other[len] == '/' || !len : path[n] == '/')))
			forget(c, i);
	}
}

static int differs(struct comparing *c, const char *path, const char *why, struct aisbx_error *e)
{
	if (c->paths.n == DIFFERENCES_MAX)
		return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EUCLEAN,
				    "more than %u files differ; '%.200s' %s", DIFFERENCES_MAX, path, why);
	strlist_add(&c->paths, path);
	strlist_add(&c->reasons, why);
	return c->paths.failed || c->reasons.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare files")
						    : 0;
}

/* NULL: as the entry says. */
static const char *compare_owner(const struct compare_order *o, const struct tar_entry *t, int fd,
				 const struct stat *st)
{
	struct owner want = owner_of(t->uid, t->gid, t->mode, t->type == '5', o->id_shift,
				     o->one_id ? OWNER_ONE : OWNER_ALL);
	char self[32], note[sizeof(want.note)] = "";
	bool has_acl = false;

	for (size_t i = 0; i < t->n_xattrs; i++)
		has_acl |= !strncmp(t->xattrs[i].name, "system.posix_acl", 16);
	if (!has_acl && t->type != '2' && (st->st_mode & 07777) != (want.mode & 07777))
		return "has other permissions";
	if (!o->one_id && (st->st_uid != want.uid || st->st_gid != want.gid))
		return "has another owner";
	if (!o->one_id || (t->type != '0' && t->type != '5'))
		return NULL;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (getxattr(self, IMAGE_OWNER_XATTR, note, sizeof(note) - 1) < 0 && errno != ENODATA)
		return errno == EOPNOTSUPP ? NULL : "has no readable owner";
	return strcmp(note, want.note) ? "has another owner" : NULL;
}

static int compare_link(const struct tar_entry *t, int fd, const char **ret)
{
	char target[TAR_NAME_MAX + 2];
	ssize_t n = readlinkat(fd, "", target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	*ret = strcmp(target, t->link) ? "is a link to something else" : NULL;
	return 0;
}

/* Another name of a file: one file, or, since equal files are stored once, two equal ones. */
static int compare_names(struct comparing *c, const struct tar_entry *t, int fd, const struct stat *st,
			 const char **ret, struct aisbx_error *e)
{
	char path[TAR_NAME_MAX + 1];
	scoped(drop_fd) int other = -1;
	struct stat there;

	if (unpack_clean(t->link, path, e) < 0)
		return e->code;
	other = open_entry(c->o, path);
	if (other < 0 || fstat(other, &there) < 0) { /* it may have been replaced later */
		c->counts.skipped++;
		return 0;
	}
	if (there.st_ino == st->st_ino && there.st_dev == st->st_dev)
		return 0;
	return compare_two_files(fd, other, ret);
}

static mode_t kind_of(const struct tar_entry *t)
{
	switch (t->type) {
	case '2':
		return S_IFLNK;
	case '5':
		return S_IFDIR;
	case '6':
		return S_IFIFO;
	default:
		return S_IFREG;
	}
}

/* RET: NULL, or what is different. */
static int compare_found(struct comparing *c, struct tar_reader *r, const struct tar_entry *t, int fd,
			 const char **ret, struct aisbx_error *e)
{
	struct stat st;
	int n = fstat(fd, &st) < 0 ? -errno : 0;

	*ret = NULL;
	if (n == 0 && t->type == '1')
		return compare_names(c, t, fd, &st, ret, e);
	if (n == 0 && (st.st_mode & S_IFMT) != kind_of(t))
		*ret = "is of another kind";
	else if (n == 0)
		*ret = compare_owner(c->o, t, fd, &st);
	if (n == 0 && !*ret && t->type == '2')
		n = compare_link(t, fd, ret);
	if (n == 0 && !*ret && t->type == '0')
		return compare_content(r, t, fd, ret, e);
	return n < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -n, "read '%.200s'", t->path) : 0;
}

static int compare_entry(struct comparing *c, struct tar_reader *r, const struct tar_entry *t,
			 struct aisbx_error *e)
{
	char path[TAR_NAME_MAX + 1];
	scoped(drop_fd) int fd = -1;
	const char *ignored, *why = NULL;
	int n;

	if (unpack_clean(t->path, path, e) < 0)
		return e->code;
	/* What deletes, and devices, may be replaced by what this layer has itself. */
	if (whiteout_of(path, &ignored) != WHITEOUT_NONE || t->type == '3' || t->type == '4') {
		c->counts.skipped++;
		explain(c, path);
		return 0;
	}
	fd = open_entry(c->o, *path ? path : ".");
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP) {
		if (!leads_elsewhere(c->o, path))
			return differs(c, path, "is missing", e);
		c->counts.skipped++;
		return 0;
	}
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -fd, "open '%.200s'", path);
	n = compare_found(c, r, t, fd, &why, e);
	if (n < 0)
		return n;
	if (why)
		return differs(c, path, why, e);
	explain(c, path);
	c->counts.files++;
	return 0;
}

static int compare_all(struct comparing *c, struct layer_stream *s, struct aisbx_error *e)
{
	scoped(tar_reader_finish) struct tar_reader r;
	struct tar_entry t;
	int n;

	tar_reader_init(&r, (struct tar_source){ layer_stream_next, s });
	while ((n = tar_next(&r, &t, e)) > 0) {
		n = compare_entry(c, &r, &t, e);
		if (n < 0)
			return n;
	}
	return n;
}

int compare_layer(const struct compare_order *o, struct compare_counts *ret, struct aisbx_error *e)
{
	scoped(comparing_finish) struct comparing c = { .o = o };
	scoped(drop_layer_stream) struct layer_stream *s = NULL;
	char digest[DIGEST_HEX + 1], diff_id[DIGEST_HEX + 1];
	int r = layer_stream_open(o->blob, o->most, &s, e);

	if (r == 0)
		r = compare_all(&c, s, e);
	if (r == 0)
		r = layer_stream_end(s, digest, diff_id, e);
	if (r < 0)
		return aisbx_context(e, "layer %s", o->digest);
	if (strcmp(digest, o->digest + strlen("sha256:")) != 0)
		r = aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EBADMSG,
				 "the blob %s has other content than its name says (it is sha256:%s)",
				 o->digest, digest);
	if (r == 0 && c.paths.n)
		r = aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EUCLEAN,
				 "'/%.200s' %s; the layer %s that it comes from has it otherwise",
				 c.paths.items[0], c.reasons.items[0], o->digest);
	*ret = c.counts;
	return r;
}
