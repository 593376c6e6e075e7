/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request "kind": which kind of image a file is, by the names in it. A first guess, so that a person need
 * not say it: whoever fetches the image reads it again and checks everything.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"
#include "sys/confine.h"

#define BLOCK 65536u

/* What was seen of an archive. */
struct seen {
	bool layout, docker, pseudo, others;
};

static const char *without_dot(const char *name)
{
	while (!strncmp(name, "./", 2))
		name += 2;
	return name;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Names that images consist of: blobs/..., HEX/layer.tar, HEX.json, HEX.tar, repositories. */
static bool is_part(const char *name)
{
	size_t hex = strspn(name, "0123456789abcdef");

	return !*name || !strcmp(name, ".") || begins(name, "blobs") || !strcmp(name, "repositories") ||
	       hex == 64 || !strcmp(name, "index.json") || begins(name, "layers") ||
	       !strcmp(name, "policy.json");
}

/* Whether nothing else can change the answer. */
static bool take(struct seen *s, const char *name)
{
	name = without_dot(name);
	s->layout |= !strcmp(name, "oci-layout");
	s->docker |= !strcmp(name, "manifest.json");
	s->pseudo |= !strcmp(name, "image.yaml");
	s->others |= !is_part(name) && strcmp(name, "oci-layout") != 0 &&
		     strcmp(name, "manifest.json") != 0 && strcmp(name, "image.yaml") != 0;
	return s->others;
}

static int read_names(struct archive *a, const char *path, struct seen *s, struct aisbx_error *e)
{
	struct archive_entry *entry;
	unsigned int n = 0;
	int r;

	archive_read_support_filter_all(a);
	archive_read_support_format_tar(a);
	if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' cannot be read as a tar archive: %s", path,
				    archive_error_string(a));
	while ((r = archive_read_next_header(a, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(entry);

		if (++n > IMAGE_MAX_FILES || take(s, name ? name : "?"))
			break;
	}
	if (r != ARCHIVE_EOF && r != ARCHIVE_OK && r != ARCHIVE_WARN)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' cannot be read as a tar archive: %s", path,
				    archive_error_string(a));
	return n ? 0
		 : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "'%s' is an empty archive",
				path);
}

int verb_kind(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	static const char *const nowhere[] = { NULL };
	const char *path = json_string_value(json_object_get(request, "path"));
	struct archive *a = NULL;
	struct seen s = { 0 };
	int r = path ? confine_self(nowhere, e)
		     : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "no path was given");

	if (r < 0)
		return r;
	a = archive_read_new();
	if (!a)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read '%s'", path);
	r = read_names(a, path, &s, e);
	archive_read_free(a);
	if (r < 0)
		return r;
	/* Newer versions of `docker save` write both. */
	*ret_ok = json_pack("{s:s}", "kind",
			    s.others   ? "rootfs"
			    : s.pseudo ? "pseudo"
			    : s.layout ? "oci-archive"
			    : s.docker ? "docker-archive"
				       : "rootfs");
	return *ret_ok ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read '%s'", path);
}
