/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory of images. Who brings an image, or reads its blobs, holds a shared lock on it; who removes
 * blobs holds it alone. So a blob that was fetched, and whose image has no row yet, stays as long as somebody
 * works on it, and is garbage when that one is gone.
 */
#include "box/images.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/image_chunks.h"
#include "box/owner.h"
#include "image/oci.h"
#include "image/reference.h"
#include "image/wire.h"
#include "layer/layer.h"

#define ALGORITHM "sha256"
#define BLOBS     "images/blobs/" ALGORITHM
#define PREFIX    ALGORITHM ":"

static int make_dir(const char *path, struct aisbx_error *e)
{
	return mkdir(path, 0700) < 0 && errno != EEXIST
		       ? aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", path)
		       : 0;
}

static int make_dirs(const char *state, struct aisbx_error *e)
{
	static const char *const names[] = { "images", "images/tmp", "images/blobs", BLOBS };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(names) / sizeof(*names); i++) {
		scoped(drop_mem) char *path = path_join(state, names[i]);

		r = path ? make_dir(path, e) : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make '%s'", names[i]);
	}
	return r;
}

static int open_dir(const char *state, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(state, "images");
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "open the directory of images");
	return fd;
}

int images_open(struct images *ret, struct aisbx_error *e)
{
	struct images i = IMAGES_INIT;
	int r = box_state_open(&i.state, e);

	if (r == 0)
		r = make_dirs(i.state.dir, e);
	if (r == 0 && !(i.blobs = path_join(i.state.dir, "images/blobs")))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the directory of images");
	if (r == 0) {
		i.lock = open_dir(i.state.dir, e);
		r = i.lock < 0 ? i.lock : 0;
	}
	while (r == 0 && flock(i.lock, LOCK_SH) < 0) /* who removes blobs is done soon */
		if (errno != EINTR)
			r = aisbx_fail(e, AISBX_AREA_BOX, errno, "lock the directory of images");
	if (r < 0)
		images_close(&i);
	else
		*ret = i;
	return r;
}

void images_close(struct images *i)
{
	close_fd(&i->lock);
	free(i->blobs);
	box_state_close(&i->state);
	*i = (struct images)IMAGES_INIT;
}

char *images_blob_path(const struct images *i, const char *digest, struct aisbx_error *e)
{
	char *path = NULL;

	if (!digest_is_sha256(digest))
		aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
			     "'%.80s' is not a SHA-256 digest", digest ? digest : "");
	else if (asprintf(&path, "%s/" ALGORITHM "/%s", i->blobs, digest + strlen(PREFIX)) < 0) {
		path = NULL;
		aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find blob '%s'", digest);
	}
	return path;
}

bool images_has_blob(const struct images *i, const char *digest)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_mem) char *path = images_blob_path(i, digest, &ignored);

	return path && (access(path, F_OK) == 0 || image_chunks_has(i->lock, digest + strlen(PREFIX)));
}

int images_read_blob(const struct images *i, const char *digest, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = images_blob_path(i, digest, e);
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
	char is[STORE_DIGEST_MAX];
	int r;

	if (!path)
		return e->code;
	r = fd < 0 ? -errno : io_read_all(fd, IMAGE_MAX_JSON, ret);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "read blob '%s'", digest);
	if (ret->len <= IMAGE_MAX_JSON)
		digest_of(ret->data, ret->len, is);
	if (ret->len > IMAGE_MAX_JSON || strcmp(is, digest) != 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
				    "blob '%s' is damaged: its content is not what its name says", digest);
	return 0;
}

/* A file without a name gets its name when its content is on the disk. */
int images_write_blob(const struct images *i, const void *data, size_t len, char ret_digest[STORE_DIGEST_MAX],
		      struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_join(i->blobs, ALGORITHM);
	scoped(drop_fd) int at = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	scoped(drop_fd) int fd = at < 0 ? -1 : openat(at, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char self[32];
	int r;

	digest_of(data, len, ret_digest);
	r = fd < 0 ? -errno : io_write_all(fd, data, len);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (r == 0 && linkat(AT_FDCWD, self, at, ret_digest + strlen(PREFIX), AT_SYMLINK_FOLLOW) < 0 &&
	    errno != EEXIST)
		r = -errno;
	if (r == 0 && fsync(at) < 0)
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, dir ? -r : ENOMEM, "write a blob in '%s'", i->blobs) : 0;
}

int images_blobs_of(const struct store_image *i, struct strlist *ret, struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	int r = oci_manifest_read(i->manifest, strlen(i->manifest), NULL, &m, e);

	if (r < 0)
		return aisbx_context(e, "image '%s'", i->id);
	strlist_add(ret, m.config.digest);
	for (size_t k = 0; k < m.n_layers; k++)
		strlist_add(ret, m.layers[k].digest);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find blobs of images") : 0;
}

/* Digests of all blobs that images need. */
static int needed(struct box_state *s, struct strlist *ret, struct aisbx_error *e)
{
	struct store_image *list = NULL;
	size_t n = 0;
	int r = store_image_list(s->store, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		scoped(store_image_finish) struct store_image one = { 0 };

		r = store_image_find(s->store, list[i].id, &one, e);
		strlist_add(ret, list[i].digest);
		if (r == 0)
			r = images_blobs_of(&one, ret, e);
	}
	store_image_list_finish(list, n);
	return r;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_needed(const struct strlist *sorted, const char *hex)
{
	char digest[STORE_DIGEST_MAX];
	const char *key = digest;

	snprintf(digest, sizeof(digest), PREFIX "%.100s", hex);
	return sorted->n && bsearch(&key, sorted->items, sorted->n, sizeof(*sorted->items), by_text);
}

/* Of the open directory AT/NAME everything that is not in KEEP (NULL: everything). */
static int sweep_dir(int at, const char *name, const struct strlist *keep, size_t *n, struct aisbx_error *e)
{
	int r = 0;
	scoped(drop_dir) DIR *d =
		dir_take(openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), &r);
	const struct dirent *entry;

	if (!d)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_BOX, errno, "read 'images/%s'", name);
	while (r == 0 && (entry = dir_next(d, &r)))
		if (!keep || !is_needed(keep, entry->d_name)) {
			r = layer_remove_at(dirfd(d), entry->d_name);
			*n += r == 0;
		}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "remove blobs in 'images/%s'", name) : 0;
}

/* Who was killed while a blob became chunks left both: the chunks go. */
static int sweep_doubles(int dir, struct aisbx_error *e)
{
	int r = 0;
	int fd = openat(dir, "indexes", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_dir) DIR *d = dir_take(fd < 0 ? -errno : fd, &r);
	const struct dirent *entry;

	while (d && r == 0 && (entry = dir_next(d, &r))) {
		char blob[300];

		snprintf(blob, sizeof(blob), "blobs/" ALGORITHM "/%s", entry->d_name);
		if (faccessat(dir, blob, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			image_chunks_forget(dir, entry->d_name);
	}
	return r < 0 && r != -ENOENT ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read 'images/indexes'") : 0;
}

static int sweep(struct box_state *s, int dir, struct images_swept *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keep = { 0 };
	struct aisbx_error none = AISBX_ERROR_INIT;
	int r = needed(s, &keep, &none);

	if (r == -ENOMEM)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "remove blobs");
	if (r < 0) { /* they stay; the rest of gc does not depend on it */
		log_debug("blobs of images stay: %s", none.text);
		ret->unreadable++;
		return 0;
	}
	if (keep.n)
		qsort(keep.items, keep.n, sizeof(*keep.items), by_text);
	r = sweep_dir(dir, "blobs/" ALGORITHM, &keep, &ret->blobs, e);
	if (r == 0)
		r = sweep_dir(dir, "indexes", &keep, &ret->blobs, e);
	if (r == 0)
		r = sweep_dir(dir, "tmp", NULL, &ret->blobs, e);
	if (r == 0)
		r = sweep_doubles(dir, e);
	return r == 0 ? image_chunks_sweep(dir, &ret->unreadable, e) : r;
}

int images_sweep(struct box_state *s, struct images_swept *ret, struct aisbx_error *e)
{
	struct aisbx_error none = AISBX_ERROR_INIT;
	scoped(drop_fd) int dir = open_dir(s->dir, &none);

	*ret = (struct images_swept){ 0 };
	if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) < 0) /* there are none, or somebody works on them */
		return 0;
	return sweep(s, dir, ret, e);
}

static int measure_dir(int images, const char *name, const struct strlist *keep, struct images_sizes *ret)
{
	int r = 0, fd = openat(images, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_dir) DIR *d = dir_take(fd < 0 ? -errno : fd, &r);
	const struct dirent *entry;

	while (d && r == 0 && (entry = dir_next(d, &r))) {
		struct stat st;

		if (fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		ret->blobs += (uint64_t)st.st_blocks * 512;
		ret->unneeded += is_needed(keep, entry->d_name) ? 0 : (uint64_t)st.st_blocks * 512;
	}
	return r == -ENOENT ? 0 : r;
}

static bool keeps(void *ctx, const char *hex)
{
	return is_needed(ctx, hex);
}

int images_measure(struct box_state *s, struct images_sizes *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keep = { 0 };
	struct image_chunks_sizes chunks = { 0 };
	struct aisbx_error none = AISBX_ERROR_INIT;
	scoped(drop_fd) int images = open_dir(s->dir, &none);
	int r = needed(s, &keep, e);

	*ret = (struct images_sizes){ 0 };
	if (r < 0 || images < 0)
		return r;
	if (keep.n)
		qsort(keep.items, keep.n, sizeof(*keep.items), by_text);
	r = measure_dir(images, "blobs/" ALGORITHM, &keep, ret);
	if (r == 0)
		r = measure_dir(images, "indexes", &keep, ret);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "measure blobs");
	r = image_chunks_measure(images, keeps, &keep, &chunks, e);
	ret->blobs += chunks.disk;
	ret->unneeded += chunks.unneeded;
	ret->chunked = chunks.whole;
	ret->chunks = chunks.disk;
	return r;
}

char *images_full_name(const char *key)
{
	scoped(reference_finish) struct reference ref = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return reference_parse(key, &ref, &ignored) < 0 ? NULL : reference_full(&ref);
}

int images_may_change(const char *what, struct aisbx_error *e)
{
	if (!box_acting_for())
		return 0;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
			    "only the person can %s; ask them to run it in a terminal", what);
}
