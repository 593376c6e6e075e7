/* SPDX-License-Identifier: Apache-2.0 */
/* Saving artifacts: verified, hashed and searched for secrets on the way in. */
#include "artifact/artifact.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/outputs.h"
#include "secret/fingerprints.h"

#define CHUNK 65536
/*
 * Drafts of a file system that knows no files without a name, and content whose row is not there yet: younger
 * ones may be in use.
 */
#define STRAY_S 3600

static int open_dir(const struct box_state *s, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(s->dir, "artifacts");
	int fd;

	if (path && mkdir(path, 0700) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path);
	fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	return fd < 0 ? aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM,
				   "open the directory of artifacts")
		      : fd;
}

int artifact_draft(const struct box_state *s, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = open_dir(s, e);
	int fd = dir < 0 ? -1 : openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0400);

	if (dir < 0)
		return dir;
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make a file in '%s/artifacts'", s->dir);
	*ret_fd = fd;
	return 0;
}

/* On the way in. */
struct intake {
	struct unpack pack;
	struct fingerprints *fingerprints; /* owned */
	struct fingerprint_scan *scan;     /* owned; NULL: there are no secrets */
	const struct strlist *allowed;
	struct store_saved_artifact *row;
	int content; /* owned; of a single file, which is kept without what is around it */
	struct sha256 sum;
};

static void intake_finish(struct intake *in)
{
	fingerprint_scan_free(in->scan);
	fingerprints_free(in->fingerprints);
	drop_fd(&in->content);
}

/* Of what the scan has seen since it began. */
static int check_secrets(const struct intake *in, struct aisbx_error *e)
{
	const struct fingerprint_found *found;
	size_t n;

	if (!in->scan)
		return 0;
	if (!fingerprint_scan_found(in->scan, &found, &n))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for secrets");
	for (size_t i = 0; i < n; i++)
		if (!in->allowed || !strlist_has(in->allowed, found[i].name))
			return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
					    "it contains the secret '%s' that was given to a box (%s, in "
					    "'%s'); nothing was saved; --allow-secret %s saves it anyway",
					    found[i].name, encoding_name(found[i].form),
					    *in->pack.name ? path_tail(in->pack.name, PATH_TOLD)
							   : path_tail(in->row->path, PATH_TOLD),
					    found[i].name);
	return 0;
}

static int check_text(struct intake *in, const char *text, struct aisbx_error *e)
{
	if (!in->scan || !*text)
		return 0;
	fingerprint_scan_begin(in->scan);
	fingerprint_scan_add(in->scan, text, strlen(text));
	return check_secrets(in, e);
}

static int take_file(struct intake *in, struct aisbx_error *e)
{
	uint64_t left = in->pack.e.size;
	char chunk[CHUNK];
	size_t n;
	int r = 0;

	if (in->scan)
		fingerprint_scan_begin(in->scan);
	while (r == 0 && left) {
		r = unpack_read(&in->pack, &left, chunk, sizeof(chunk), &n, e);
		if (in->scan && r == 0)
			fingerprint_scan_add(in->scan, chunk, n);
		if (in->content >= 0 && r == 0) {
			int err = io_write_all(in->content, chunk, n);

			sha256_add(&in->sum, chunk, n);
			r = err < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -err, "save the content") : 0;
		}
	}
	return r < 0 ? r : check_secrets(in, e);
}

/* Everything in it, one behind the other. */
static int take_all(struct intake *in, const struct box_state *s, struct aisbx_error *e)
{
	struct unpack *p = &in->pack;
	int r = unpack_next(p, e);

	if (r < 0)
		return r;
	in->row->mode = p->e.mode & 0777;
	snprintf(in->row->type, sizeof(in->row->type), "%s", p->e.type == FILE_IS_DIR ? "directory" : "file");
	if (p->e.type == FILE_IS_FILE) {
		p->sum = NULL; /* of the content alone: by its sum it is known elsewhere, too */
		sha256_init(&in->sum);
		r = artifact_draft(s, &in->content, e);
	}
	for (r = r < 0 ? r : 1; r > 0; r = unpack_next(p, e)) {
		in->row->files += p->e.type != FILE_IS_DIR;
		r = check_text(in, p->name, e);
		if (r == 0)
			r = check_text(in, p->target, e);
		if (r == 0 && p->e.type == FILE_IS_FILE)
			r = take_file(in, e);
		if (r < 0)
			return r;
	}
	return r;
}

static int check_total(struct box_state *s, const struct store_saved_artifact *row, struct aisbx_error *e)
{
	char most[32];
	int64_t total = 0, same = 0;
	int r = store_saved_artifact_total(s->store, &total, e);

	if (r == 0)
		r = store_saved_artifact_count(s->store, row->sha256, &same, e);
	if (r < 0 || same || total + row->size <= ARTIFACTS_BYTES)
		return r;
	return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EDQUOT,
			    "all artifacts together would exceed %s; remove some with 'aisbx artifact rm'",
			    str_size(ARTIFACTS_BYTES, most, sizeof(most)));
}

/*
 * Content and row in one transaction: who removes the last row of a content takes the content along, in one
 * of its own.
 */
static int add(struct box_state *s, int fd, const struct store_saved_artifact *row, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = open_dir(s, e);
	char self[32];
	int r = dir < 0 ? dir : store_begin(s->store, e);

	if (r < 0)
		return r;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	r = check_total(s, row, e);
	if (r == 0 && fsync(fd) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "save the content");
	if (r == 0 && linkat(AT_FDCWD, self, dir, row->sha256, AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "save the content in '%s/artifacts'", s->dir);
	if (r == 0)
		r = store_saved_artifact_add(s->store, row, e);
	if (r == 0)
		r = store_event_add(s->store, "artifact.saved", row->box, NULL, e,
				    "{\"artifact\":\"%s\",\"sha256\":\"%s\"}", row->id, row->sha256);
	if (r == 0)
		r = store_commit(s->store, e);
	else
		store_rollback(s->store);
	return r;
}

int artifact_keep(struct box_state *s, int draft, uint64_t len, const struct strlist *allowed,
		  struct store_saved_artifact *row, struct aisbx_error *e)
{
	scoped(intake_finish) struct intake in = { .pack = { .fd = draft, .end = len, .sum = &in.sum },
						   .allowed = allowed,
						   .row = row,
						   .content = -1 };
	uint8_t sum[SHA256_BYTES];
	struct stat st;
	int r = fingerprints_load(s->dir, &in.fingerprints, e);

	if (r == 0 && in.fingerprints && !(in.scan = fingerprint_scan_create(in.fingerprints)))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for secrets");
	sha256_init(&in.sum);
	row->files = 0;
	if (r == 0)
		r = take_all(&in, s, e);
	if (r == 0 && in.content < 0 &&
	    ftruncate(draft, (off_t)len) < 0) /* what stands behind the pack is not part of it */
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "save the content");
	if (r == 0 && fstat(in.content >= 0 ? in.content : draft, &st) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "save the content");
	if (r < 0)
		return r;
	sha256_end(&in.sum, sum);
	io_hex(sum, sizeof(sum), row->sha256);
	row->size = st.st_size;
	snprintf(row->media, sizeof(row->media), "%s",
		 in.content < 0 ? "inode/directory" : outputs_media(in.content));
	return add(s, in.content >= 0 ? in.content : draft, row, e);
}

int artifact_open(const struct box_state *s, const struct store_saved_artifact *row, int *ret_fd,
		  struct aisbx_error *e)
{
	scoped(drop_fd) int dir = open_dir(s, e);
	int fd = dir < 0 ? -1 : openat(dir, row->sha256, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return dir;
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open the content of artifact '%s'", row->id);
	*ret_fd = fd;
	return 0;
}

int artifact_remove(struct artifact *a, struct aisbx_error *e)
{
	const struct store_saved_artifact *row = &a->row;
	struct box_state *s = &a->state;
	scoped(drop_fd) int dir = open_dir(s, e);
	int64_t same = 0;
	int r = dir < 0 ? dir : store_begin(s->store, e);

	if (r < 0)
		return r;
	r = store_saved_artifact_remove(s->store, row->id, e);
	if (r == 0)
		r = store_saved_artifact_count(s->store, row->sha256, &same, e);
	if (r == 0)
		r = store_event_add(s->store, "artifact.removed", row->box, NULL, e, "{\"artifact\":\"%s\"}",
				    row->id);
	if (r == 0 && !same && unlinkat(dir, row->sha256, 0) < 0 && errno != ENOENT)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "remove the content of artifact '%s'", row->id);
	if (r == 0)
		r = store_commit(s->store, e);
	else
		store_rollback(s->store);
	return r;
}

/* Whether a row speaks of it: of a content by its sum, of a manifest by its id. */
static int is_known(struct box_state *s, const char *name, bool *ret, struct aisbx_error *e)
{
	struct store_saved_artifact row = { 0 };
	struct aisbx_error none = AISBX_ERROR_INIT;
	char id[STORE_ID_MAX];
	int64_t rows = 1;
	int r;

	if (strncmp(name, "a-", 2) != 0) {
		r = store_saved_artifact_count(s->store, name, &rows, e);
		*ret = rows > 0;
		return r;
	}
	snprintf(id, sizeof(id), "%.*s", (int)strcspn(name, "."), name);
	r = store_saved_artifact_find(s->store, id, NULL, &row, &none);
	store_saved_artifact_finish(&row);
	*ret = r != -ENOENT;
	return 0;
}

/* Content without a row; only a crash leaves such content. */
static int sweep(struct box_state *s, struct box_orphans *lost, struct box_gc_report *ret,
		 struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(s->dir, "artifacts");
	scoped(drop_dir) DIR *d = path ? opendir(path) : NULL;
	struct dirent *entry;
	int r = 0;

	(void)ret;
	while (d && r == 0 && (entry = dir_next(d, &r))) {
		bool known = true;
		struct stat st;

		if (fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_ctim.tv_sec + STRAY_S > time(NULL))
			continue;
		r = is_known(s, entry->d_name, &known, e);
		if (r == 0 && !known)
			r = box_orphans_put(lost, "artifacts", entry->d_name, e);
	}
	return r;
}

__attribute__((constructor)) static void attend(void)
{
	static struct box_attendant self = { .collect = sweep };

	box_attend(&self);
}
