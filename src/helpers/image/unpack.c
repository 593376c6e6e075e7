/* SPDX-License-Identifier: Apache-2.0 */
/* The request "unpack": what it asks for, the walls around it, and the digests at its end. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/asan.h"
#include "base/dir.h"
#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/blobs.h"
#include "helpers/image/layer_stream.h"
#include "helpers/image/parent.h"
#include "helpers/image/subordinates.h"
#include "helpers/image/unpack.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"
#include "sys/confine.h"
#include "sys/sys.h"

#define OPEN_FILES 4096u
#define MEMORY     (4ull << 30)  /* for the directories of a layer that has nothing else */
#define HEADERS    2048u         /* of an archive, for each entry */
#define TRAILER    (64ull << 20) /* what may follow the last */

struct layer {
	const char *blob, *digest, *diff_id, *into; /* borrowed from the request */
	const char *blobs;                          /* likewise; NULL: none is stored as chunks */
	const char *below[IMAGE_MAX_LAYERS + 1];    /* likewise; NULL-terminated */
	int blob_fd;
	off_t blob_size;
	int below_fds[IMAGE_MAX_LAYERS];
	struct sys_subids sub; /* of OWNER_SUB */
	struct unpack u;
	struct layer_stream *stream; /* owned */
};

static void layer_finish(struct layer *l)
{
	layer_stream_close(l->stream);
	unpack_dirs_finish(&l->u);
	unpack_names_finish(&l->u);
	for (size_t i = 0; i < l->u.n_below; i++)
		close_fd(&l->below_fds[i]);
	close_fd(&l->u.into);
	close_fd(&l->blob_fd);
}

static int bad_request(struct aisbx_error *e, const char *key)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "unpack: '%s' is missing or wrong",
			    key);
}

static bool is_digest(const char *text)
{
	return text && !strncmp(text, "sha256:", 7) && strspn(text + 7, "0123456789abcdef") == DIGEST_HEX &&
	       strlen(text) == 7 + DIGEST_HEX;
}

static bool is_layer_type(const char *type)
{
	static const char *const types[] = {
		"application/vnd.oci.image.layer.v1.tar",
		"application/vnd.oci.image.layer.v1.tar+gzip",
		"application/vnd.oci.image.layer.v1.tar+zstd",
		"application/vnd.oci.image.layer.nondistributable.v1.tar",
		"application/vnd.oci.image.layer.nondistributable.v1.tar+gzip",
		"application/vnd.oci.image.layer.nondistributable.v1.tar+zstd",
		"application/vnd.docker.image.rootfs.diff.tar",
		"application/vnd.docker.image.rootfs.diff.tar.gzip",
		"application/vnd.docker.image.rootfs.diff.tar.zstd",
		"application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
	};

	for (size_t i = 0; type && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i], type))
			return true;
	return false;
}

/* A number up to MOST, which it is as well if it is not said. */
static bool number(const json_t *request, const char *key, uint64_t most, uint64_t *ret)
{
	const json_t *said = json_object_get(request, key);
	json_int_t n = json_integer_value(said);

	*ret = most;
	if (!said || json_is_null(said))
		return true;
	if (!json_is_integer(said) || n < 0)
		return false;
	*ret = (uint64_t)n < most ? (uint64_t)n : most;
	return true;
}

static int read_below(struct layer *l, const json_t *below, struct aisbx_error *e)
{
	size_t n = json_array_size(below);

	if (n > IMAGE_MAX_LAYERS)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "an image has at most %u layers", IMAGE_MAX_LAYERS);
	for (size_t i = 0; i < n; i++) {
		l->below[i] = json_string_value(json_array_get(below, i));
		if (!l->below[i])
			return bad_request(e, "below");
	}
	l->u.n_below = n;
	return 0;
}

static int read_request(struct layer *l, const json_t *request, struct aisbx_error *e)
{
	const char *type = json_string_value(json_object_get(request, "media_type"));
	const json_t *shift = json_object_get(request, "id_shift"),
		     *sub = json_object_get(request, "sub_ids");

	l->blob = json_string_value(json_object_get(request, "blob"));
	l->blobs = json_string_value(json_object_get(request, "blobs"));
	l->into = json_string_value(json_object_get(request, "into"));
	l->digest = json_string_value(json_object_get(request, "digest"));
	l->diff_id = json_string_value(json_object_get(request, "diff_id"));
	if (!l->blob || !l->into)
		return bad_request(e, l->blob ? "into" : "blob");
	if (!is_digest(l->digest) || !is_digest(l->diff_id))
		return bad_request(e, is_digest(l->digest) ? "diff_id" : "digest");
	if (!is_layer_type(type))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "a layer of type '%.200s' cannot be unpacked", type ? type : "");
	if (shift && (!json_is_integer(shift) || json_integer_value(shift) < 0 ||
		      json_integer_value(shift) > INT32_MAX))
		return bad_request(e, "id_shift");
	l->u.id_shift = (uint32_t)json_integer_value(shift);
	l->u.ids = json_is_true(json_object_get(request, "one_id")) ? OWNER_ONE : OWNER_ALL;
	if (sub && !json_is_null(sub)) {
		if (l->u.ids == OWNER_ONE || l->u.id_shift || !json_is_string(sub) ||
		    !sys_subids_parse(json_string_value(sub), &l->sub))
			return bad_request(e, "sub_ids");
		l->u.ids = OWNER_SUB;
	}
	if (!number(request, "max_bytes", IMAGE_MAX_BYTES, &l->u.max_bytes) ||
	    !number(request, "max_files", IMAGE_MAX_FILES, &l->u.max_files))
		return bad_request(e, "max_bytes");
	return read_below(l, json_object_get(request, "below"), e);
}

static int check_empty(const struct layer *l, struct aisbx_error *e)
{
	int r = 0;
	scoped(drop_dir) DIR *d = dir_take(openat(l->u.into, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &r);

	if (d && dir_next(d, &r))
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, ENOTEMPTY,
				    "cannot unpack a layer into '%s': it is not empty", l->into);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read '%s'", l->into) : 0;
}

/* One that is stored as chunks is put together, before the walls are there: they allow no more than INTO. */
static int open_blob(struct layer *l, struct aisbx_error *e)
{
	scoped(blobs_close) struct blobs b = BLOBS_INIT;
	int r = 0;

	l->blob_fd = open(l->blob, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (l->blob_fd >= 0 || errno != ENOENT || !l->blobs)
		return 0;
	r = blobs_open(l->blobs, 0, &b, e);
	return r < 0 ? r : blobs_open_blob(&b, l->digest, UINT64_MAX, false, &l->blob_fd, NULL, e);
}

static int open_all(struct layer *l, struct aisbx_error *e)
{
	struct stat st;

	if (open_blob(l, e) < 0)
		return e->code;
	if (l->blob_fd < 0 || fstat(l->blob_fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", l->blob);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "'%s' is no regular file",
				    l->blob);
	l->blob_size = st.st_size;
	l->u.into = open(l->into, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l->u.into < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", l->into);
	l->u.below = l->below_fds;
	for (size_t i = 0; i < l->u.n_below; i++) {
		l->below_fds[i] = open(l->below[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (l->below_fds[i] < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", l->below[i]);
	}
	return check_empty(l, e);
}

static int set_limits(struct layer *l, struct aisbx_error *e)
{
	struct rlimit files = { 0 };

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "ask for a limit");
	if (files.rlim_cur < OPEN_FILES) {
		files.rlim_cur = files.rlim_max < OPEN_FILES ? files.rlim_max : OPEN_FILES;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ l->u.max_bytes, l->u.max_bytes });
	if (!WITH_ASAN)
		setrlimit(RLIMIT_AS, &(struct rlimit){ MEMORY, MEMORY });
	l->u.max_open = files.rlim_cur > IMAGE_MAX_LAYERS + 600 ? 512 : 16;
	return 0;
}

/* Permissions of an image's files bind their owner, too. In a namespace of our own they do not, and files can
 * get capabilities, which count in such namespaces only. Where there is none, it goes without. */
static void enter_own_namespace(void)
{
	char uids[64], gids[64];

	snprintf(uids, sizeof(uids), "0 %u 1", geteuid());
	snprintf(gids, sizeof(gids), "0 %u 1", getegid());
	if (geteuid() == 0 || sys_unshare(CLONE_NEWUSER) < 0)
		return;
	if (sys_write_file(AT_FDCWD, "/proc/self/setgroups", "deny") == 0)
		sys_write_file(AT_FDCWD, "/proc/self/gid_map", gids);
	sys_write_file(AT_FDCWD, "/proc/self/uid_map", uids);
	end_with_parent(); /* other ids cleared it */
}

static int put_walls(struct layer *l, struct aisbx_error *e)
{
	const char *const into[] = { l->into, NULL };
	const uint64_t caps = 1ULL << CAP_CHOWN | 1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_FOWNER |
			      1ULL << CAP_FSETID | 1ULL << CAP_SETFCAP;
	int r = 0;

	if (l->u.ids == OWNER_SUB)
		r = enter_subordinates(&l->sub, e);
	else if (l->u.ids == OWNER_ONE)
		enter_own_namespace();
	else if (geteuid() != 0)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				    "only root can keep the owners of an image's files");
	if (r < 0)
		return r;
	l->u.can_always = geteuid() == 0;
	l->u.can_chown = geteuid() == 0 && l->u.ids != OWNER_ONE;
	l->u.uid = geteuid();
	l->u.gid = getegid();
	if (confine_caps(caps, e) < 0)
		return e->code;
	return confine_to_trees(l->below, into, e);
}

static void progress(void *ctx)
{
	const struct layer *l = ctx;

	tell_progress("unpack", l->digest, layer_stream_read(l->stream), (uint64_t)l->blob_size);
}

static int check_digest(const char *what, const char *wanted, const char *got, struct aisbx_error *e)
{
	if (!strcmp(wanted + 7, got))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EBADMSG,
			    "the layer's %s is not what the image says: sha256:%s instead of %s", what, got,
			    wanted);
}

/* The top, as it is if no entry describes it. */
static int start_top(struct unpack *u, struct aisbx_error *e)
{
	static const struct tar_entry plain = { .type = '5', .mode = 0755 };
	int r = unpack_top_create(u, e);

	if (r == 0)
		r = u->n_below ? unpack_copy_top(u, e) : unpack_set_dir(u, u->top, &plain, e);
	return r;
}

static int unpack(struct layer *l, struct aisbx_error *e)
{
	const uint64_t most = l->u.max_bytes + l->u.max_files * HEADERS + TRAILER;
	char digest[DIGEST_HEX + 1], diff_id[DIGEST_HEX + 1];
	int r = start_top(&l->u, e);

	if (r == 0)
		r = layer_stream_open(l->blob_fd, most, &l->stream, e);
	if (r == 0)
		r = unpack_all(&l->u, (struct tar_source){ layer_stream_next, l->stream }, progress, l, e);
	if (r == 0)
		r = layer_stream_end(l->stream, digest, diff_id, e);
	if (r == 0)
		r = check_digest("digest", l->digest, digest, e);
	if (r == 0)
		r = check_digest("content", l->diff_id, diff_id, e);
	if (r == 0)
		r = unpack_dirs_end(&l->u, e);
	if (r == 0 && syncfs(l->u.into) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "write '%s' to disk", l->into);
	return r;
}

int verb_unpack(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	scoped(layer_finish) struct layer l = { .blob_fd = -1, .u = { .into = -1 } };
	const struct unpack_told *t = &l.u.told;

	for (size_t i = 0; i < IMAGE_MAX_LAYERS; i++)
		l.below_fds[i] = -1;
	umask(0);
	if (read_request(&l, request, e) < 0 || open_all(&l, e) < 0 || set_limits(&l, e) < 0 ||
	    put_walls(&l, e) < 0)
		return e->code;
	tell_progress("unpack", l.digest, 0, (uint64_t)l.blob_size);
	if (unpack(&l, e) < 0)
		return e->code;
	tell_progress("unpack", l.digest, (uint64_t)l.blob_size, (uint64_t)l.blob_size);
	*ret_ok = json_pack("{s:I,s:I,s:{s:I,s:I,s:I,s:I,s:I}}", "files", (json_int_t)l.u.files, "bytes",
			    (json_int_t)l.u.bytes, "left_out", "devices", (json_int_t)t->devices, "xattrs",
			    (json_int_t)t->xattrs, "owners", (json_int_t)t->owners, "setuid",
			    (json_int_t)t->setuid, "ignored", (json_int_t)t->ignored);
	return 0;
}
