/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive as a source. Its members come in any order, so it is read twice: the first time for the
 * documents, which are small and kept in memory, the second time for the large members that these name.
 * Nothing is ever written under a name from the archive.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "helpers/image/source.h"
#include "image/digest.h"
#include "image/wire.h"

#define MAX_MEMBERS   100000u
#define MAX_DOCUMENTS 4096u
#define MAX_KEPT      (64u << 20) /* bytes of all documents */
#define MAX_LINKS     2048u

struct document {
	char *name; /* owned */
	struct buf text;
};

struct source_archive {
	struct source source;
	int fd;
	struct document *documents; /* owned */
	size_t n_documents;
	size_t kept;          /* bytes of documents */
	struct strlist links; /* names of symbolic links, and after each its target */
};

struct stream_member {
	struct stream stream;
	struct archive *archive; /* borrowed */
};

static void drop_archive(struct archive **a)
{
	if (*a)
		archive_read_free(*a);
}

static int fail(struct archive *a, struct aisbx_error *e)
{
	const char *why = archive_error_string(a);

	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "the archive cannot be read: %s",
			    why ? why : "it is not complete");
}

static ssize_t read_member(struct stream *s, void *data, size_t cap, struct aisbx_error *e)
{
	struct archive *a = ((struct stream_member *)s)->archive;
	ssize_t n = archive_read_data(a, data, cap);

	return n < 0 ? fail(a, e) : n;
}

static int begin(const struct source_archive *s, struct archive **ret, struct aisbx_error *e)
{
	struct archive *a = archive_read_new();

	*ret = a;
	if (!a || lseek(s->fd, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, a ? errno : ENOMEM, "read an archive");
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_format_tar(a);
	return archive_read_open_fd(a, s->fd, STREAM_CHUNK) == ARCHIVE_OK ? 0 : fail(a, e);
}

/* 1: the next member; 0: the end. NAME is without "./", and may be anything else. */
static int next(struct archive *a, struct archive_entry **ret, const char **ret_name, size_t *n,
		struct aisbx_error *e)
{
	const char *name;
	int r = archive_read_next_header(a, ret);

	if (r == ARCHIVE_EOF)
		return 0;
	if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
		return fail(a, e);
	if (++*n > MAX_MEMBERS)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "the archive has more than %u members: that is no image", MAX_MEMBERS);
	name = archive_entry_pathname(*ret);
	while (name && !strncmp(name, "./", 2))
		name += 2;
	*ret_name = name ? name : "";
	return 1;
}

/* Whether a member can be a document: a name that one has, and a size. */
static bool may_be_document(const char *name, int64_t size)
{
	size_t len = strlen(name);

	if (size < 2 || size > IMAGE_MAX_JSON || len > 200)
		return false;
	if (!strncmp(name, "blobs/sha256/", 13))
		return len == 13 + 64;
	return !strcmp(name, "oci-layout") || !strcmp(name, "image.yaml") ||
	       (len > 5 && !strcmp(name + len - 5, ".json"));
}

static struct document *find(const struct source_archive *s, const char *name)
{
	for (size_t i = 0; i < s->n_documents; i++)
		if (!strcmp(s->documents[i].name, name))
			return &s->documents[i];
	return NULL;
}

static int too_much(struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
			    "the archive has more documents than an image can have");
}

/* Keeps what begins as JSON does; a layer never does. */
static int keep(struct source_archive *s, struct archive *a, const char *name, struct aisbx_error *e)
{
	struct stream_member member = { { read_member }, a };
	scoped(buf_finish) struct buf text = { 0 };
	char chunk[16384];
	struct document *all;
	ssize_t n;

	while ((n = read_member(&member.stream, chunk, sizeof(chunk), e)) > 0) {
		if (!text.len && *chunk != '{' && *chunk != '[' && strcmp(name, "image.yaml") != 0)
			return 0;
		if (text.len + (size_t)n > IMAGE_MAX_JSON || s->kept + text.len + (size_t)n > MAX_KEPT)
			return too_much(e);
		buf_add(&text, chunk, (size_t)n);
	}
	if (n < 0)
		return (int)n;
	if (find(s, name))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the archive has '%.100s' twice: nobody can tell which is meant", name);
	if (s->n_documents == MAX_DOCUMENTS)
		return too_much(e);
	all = realloc(s->documents, (s->n_documents + 1) * sizeof(*all));
	if (all)
		s->documents = all;
	if (!all || !buf_str(&text) || !(all[s->n_documents].name = strdup(name)))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	s->kept += text.len;
	all[s->n_documents++].text = text;
	text = (struct buf){ 0 };
	return 0;
}

/* A link to another member, as `docker save` writes equal layers. */
static int keep_link(struct source_archive *s, const char *name, const char *target, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = NULL;
	scoped(drop_mem) char *whole = NULL;
	const char *slash = strrchr(name, '/');

	if (!target || !*target || *target == '/' || strlen(name) > 200 || strlen(target) > 200)
		return 0;
	if (s->links.n / 2 >= MAX_LINKS)
		return too_much(e);
	if (asprintf(&dir, "/%.*s", slash ? (int)(slash - name) : 0, name) < 0)
		dir = NULL;
	whole = dir ? path_resolve(dir, target) : NULL;
	if (!whole)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	strlist_add(&s->links, name);
	strlist_add(&s->links, whole + 1);
	return s->links.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive") : 0;
}

static int read_documents(struct source_archive *s, struct aisbx_error *e)
{
	scoped(drop_archive) struct archive *a = NULL;
	struct archive_entry *entry;
	const char *name;
	size_t n = 0;
	int r = begin(s, &a, e);

	if (r < 0)
		return r;
	while ((r = next(a, &entry, &name, &n, e)) > 0) {
		if (archive_entry_hardlink(entry))
			continue;
		if (archive_entry_filetype(entry) == AE_IFLNK)
			r = keep_link(s, name, archive_entry_symlink(entry), e);
		else if (archive_entry_filetype(entry) == AE_IFREG &&
			 may_be_document(name, archive_entry_size(entry)))
			r = keep(s, a, name, e);
		if (r < 0)
			return r;
	}
	return r;
}

const char *source_archive_target(struct source *source, const char *name)
{
	const struct source_archive *s = (const struct source_archive *)source;

	for (size_t i = 0; i + 1 < s->links.n; i += 2)
		if (!strcmp(s->links.items[i], name))
			return s->links
				.items[i + 1]; /* one step: a link to a link is none that anybody writes */
	return name;
}

static int give_document(struct source *source, const char *name, struct buf *ret, struct aisbx_error *e)
{
	const struct document *d = find((struct source_archive *)source, name);

	if (!d)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "the archive has no '%s'", name);
	buf_add(ret, d->text.data, d->text.len);
	return buf_str(ret) ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
}

static bool position(const struct strlist *names, const char *name, size_t *ret)
{
	for (*ret = 0; *ret < names->n; ++*ret)
		if (!strcmp(names->items[*ret], name))
			return true;
	return false;
}

static int give_each(struct source *source, const struct strlist *names, source_take_fn *take, void *ctx,
		     struct aisbx_error *e)
{
	scoped(drop_archive) struct archive *a = NULL;
	scoped(drop_mem) bool *given = calloc(names->n + 1, sizeof(*given));
	struct archive_entry *entry;
	const char *name;
	size_t n = 0, i;
	int r = given ? begin((struct source_archive *)source, &a, e)
		      : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");

	if (r < 0)
		return r;
	while ((r = next(a, &entry, &name, &n, e)) > 0) {
		struct stream_member member = { { read_member }, a };

		if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
		    !position(names, name, &i))
			continue;
		if (given[i])
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
					    "the archive has '%.100s' twice: nobody can tell which is meant",
					    name);
		given[i] = true;
		r = take(ctx, i, &member.stream, e);
		if (r < 0)
			return r;
	}
	return r;
}

static void close_archive(struct source *source)
{
	struct source_archive *s = (struct source_archive *)source;

	for (size_t i = 0; i < s->n_documents; i++) {
		free(s->documents[i].name);
		buf_finish(&s->documents[i].text);
	}
	free(s->documents);
	strlist_finish(&s->links);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

int source_open_archive(const char *path, struct source **ret, struct aisbx_error *e)
{
	scoped(source_close) struct source *source = NULL;
	struct source_archive *s = malloc(sizeof(*s));
	struct stat st;
	int r;

	if (!s)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open the image '%s'", path);
	*s = (struct source_archive){ .source = { give_document, give_each, close_archive },
				      .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
	source = &s->source;
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open the image '%s'", path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%s' is no regular file; an archive is read twice", path);
	r = read_documents(s, e);
	if (r < 0)
		return r;
	*ret = source;
	source = NULL;
	return 0;
}
