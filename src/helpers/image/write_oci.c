/* SPDX-License-Identifier: Apache-2.0 */
/* An OCI image layout, as a directory or as an archive. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/out_file.h"
#include "helpers/image/write.h"

static const char marker[] = "{\"imageLayoutVersion\":\"1.0.0\"}";

static int put_text(int dir, const char *name, const char *text, struct aisbx_error *e)
{
	scoped(out_file_finish) struct out_file f = OUT_FILE_INIT;
	int r = out_file_begin(dir, name, &f, e);

	if (r == 0)
		r = out_file_write(&f, text, strlen(text));
	return r < 0 ? r : out_file_end(&f);
}

/* One that is there, of an attempt before, is left: nothing gets such a name that is not whole. */
static int put_blob(const struct write_order *o, int dir, const struct write_blob *blob,
		    struct aisbx_error *e)
{
	scoped(out_file_finish) struct out_file f = OUT_FILE_INIT;
	struct stat st;
	int r;

	if (fstatat(dir, digest_hex(blob->digest), &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	r = out_file_begin(dir, digest_hex(blob->digest), &f, e);
	if (r == 0)
		r = write_blob(o, blob, out_file_write, &f, e);
	return r < 0 ? r : out_file_end(&f);
}

int write_layout(const struct write_order *o, struct aisbx_error *e)
{
	scoped(drop_fd) int dir =
		openat(o->dir, "blobs/sha256", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(drop_mem) struct write_blob *all = NULL;
	scoped(drop_mem) char *index = write_index(o, e);
	size_t n = 0;
	int r = index ? write_blobs(o, &all, &n, e) : e->code;

	if (r == 0 && dir < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "write a layout");
	for (size_t i = 0; r == 0 && i < n; i++)
		r = put_blob(o, dir, &all[i], e);
	if (r == 0)
		r = put_text(o->dir, "index.json", index, e);
	return r < 0 ? r : put_text(o->dir, "oci-layout", marker, e);
}

static int tar_blob(const struct write_order *o, const struct write_blob *blob, struct out_file *f,
		    struct aisbx_error *e)
{
	char path[sizeof("blobs/sha256/") + DIGEST_CAP];
	int r;

	snprintf(path, sizeof(path), "blobs/sha256/%s", digest_hex(blob->digest));
	r = write_tar_file(path, blob->size, out_file_write, f, e);
	if (r == 0)
		r = write_blob(o, blob, out_file_write, f, e);
	return r < 0 ? r : write_tar_result(tar_write_padding(blob->size, out_file_write, f), e);
}

int write_oci_archive(const struct write_order *o, struct aisbx_error *e)
{
	scoped(out_file_finish) struct out_file f = OUT_FILE_INIT;
	scoped(drop_mem) struct write_blob *all = NULL;
	scoped(drop_mem) char *index = write_index(o, e);
	size_t n = 0;
	int r = index ? write_blobs(o, &all, &n, e) : e->code;

	r = r < 0 ? r : out_file_begin(o->dir, o->file, &f, e);
	r = r < 0 ? r : write_tar_dir("blobs", out_file_write, &f, e);
	r = r < 0 ? r : write_tar_dir("blobs/sha256", out_file_write, &f, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = tar_blob(o, &all[i], &f, e);
	r = r < 0 ? r : write_tar_text("index.json", index, strlen(index), out_file_write, &f, e);
	r = r < 0 ? r : write_tar_text("oci-layout", marker, strlen(marker), out_file_write, &f, e);
	r = r < 0 ? r : write_tar_result(tar_write_end(out_file_write, &f), e);
	return r < 0 ? r : out_file_end(&f);
}
