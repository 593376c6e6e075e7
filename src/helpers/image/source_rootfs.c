/* SPDX-License-Identifier: Apache-2.0 */
/* A tarball of a root file system becomes an image of one layer, the same one for the same bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "helpers/image/signature.h"
#include "helpers/image/source.h"
#include "helpers/image/take_layer.h"

static int open_tarball(const char *path, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
			"'%s' is no regular file; a tar archive of a root file system is expected", path);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int add_config(const struct fetch *f, const struct taken_layer *l, struct oci_descriptor *ret,
		      struct aisbx_error *e)
{
	scoped(oci_config_finish) struct oci_config c = { 0 };
	scoped(drop_mem) char *text = NULL;
	int r = oci_platform_parse(f->platform && *f->platform ? f->platform : oci_platform_here(),
				   &c.platform, e);

	if (r < 0)
		return r;
	c.created = strdup("1970-01-01T00:00:00Z");
	strlist_add(&c.diff_ids, l->diff_id);
	text = c.created && !c.diff_ids.failed ? oci_config_write(&c) : NULL;
	ret->media_type = strdup(OCI_CONFIG);
	if (!text || !ret->media_type)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make an image");
	ret->size = strlen(text);
	return blobs_add(f->blobs, text, strlen(text), ret->digest, e);
}

static int add_manifest(const struct fetch *f, const struct taken_layer *l, char ret_manifest[DIGEST_CAP],
			struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	scoped(drop_mem) char *text = NULL;
	int r = add_config(f, l, &m.config, e);

	if (r < 0)
		return r;
	m.layers = calloc(1, sizeof(*m.layers));
	if (m.layers) {
		m.n_layers = 1;
		m.layers->media_type = strdup(l->media_type);
		m.layers->size = l->size;
		memcpy(m.layers->digest, l->digest, DIGEST_CAP);
		text = m.layers->media_type ? oci_manifest_write(&m) : NULL;
	}
	if (!text)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make an image");
	return blobs_add(f->blobs, text, strlen(text), ret_manifest, e);
}

int source_rootfs(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct taken_layer l = { 0 };
	struct stream_file file;
	int r;

	if (signature_wanted(f->keys))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EKEYREJECTED,
			"the policy asks for a signature, and a tar archive of a root file system has none");
	r = open_tarball(f->path, &fd, e);
	if (r < 0)
		return r;
	stream_of_file(&file, fd);
	r = take_layer(f->blobs, &file.stream, path_tail(f->path, PATH_TOLD), true, &l, e);
	return r == 0 ? add_manifest(f, &l, ret_manifest, e) : r;
}
