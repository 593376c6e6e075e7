/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: of files, with a look ahead, and unpacked by libarchive (never by another program). */
#include "helpers/image/stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static ssize_t read_file(struct stream *s, void *data, size_t cap, struct aisbx_error *e)
{
	const struct stream_file *f = (const struct stream_file *)s;
	ssize_t n;

	do
		n = read(f->fd, data, cap);
	while (n < 0 && errno == EINTR);
	return n < 0 ? aisbx_fail(e, AISBX_AREA_BOX, errno, "read an image") : n;
}

void stream_of_file(struct stream_file *s, int fd)
{
	*s = (struct stream_file){ { read_file }, fd };
}

ssize_t stream_fill(struct stream *s, void *data, size_t cap, struct aisbx_error *e)
{
	size_t len = 0;
	ssize_t n = 1;

	while (len < cap && (n = s->read(s, (char *)data + len, cap - len, e)) > 0)
		len += (size_t)n;
	return n < 0 ? n : (ssize_t)len;
}

static ssize_t read_peeked(struct stream *s, void *data, size_t cap, struct aisbx_error *e)
{
	struct stream_peeked *p = (struct stream_peeked *)s;
	size_t n = p->len - p->at < cap ? p->len - p->at : cap;

	if (!n)
		return p->rest->read(p->rest, data, cap, e);
	memcpy(data, p->head + p->at, n);
	p->at += n;
	return (ssize_t)n;
}

int stream_peek(struct stream_peeked *s, struct stream *from, struct aisbx_error *e)
{
	ssize_t n;

	*s = (struct stream_peeked){ .stream = { read_peeked }, .rest = from };
	n = stream_fill(from, s->head, sizeof(s->head), e);
	if (n < 0)
		return (int)n;
	s->len = (size_t)n;
	return 0;
}

enum packing packing_of(const char *head, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		enum packing packing;
	} known[] = {
		{ "\x1f\x8b", 2, PACKING_GZIP },
		{ "\x28\xb5\x2f\xfd", 4, PACKING_ZSTD },
		{ "\xfd"
		  "7zXZ",
		  6, PACKING_XZ },
		{ "BZh", 3, PACKING_BZIP2 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (len >= known[i].len && !memcmp(head, known[i].magic, known[i].len))
			return known[i].packing;
	return PACKING_NONE;
}

#define TAR_BLOCK    512u
#define TAR_CHECKSUM 148u /* 8 bytes that count as spaces */

bool tar_begins(const char *head, size_t len)
{
	unsigned long sum = 0, said;
	char digits[9] = { 0 };

	if (len < TAR_BLOCK)
		return false;
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i - TAR_CHECKSUM < 8 ? ' ' : (unsigned char)head[i];
	if (sum == 8 * ' ') /* nothing but zeros: an archive of nothing */
		return head[TAR_CHECKSUM] == '\0' || head[TAR_CHECKSUM] == ' ';
	memcpy(digits, head + TAR_CHECKSUM, 8);
	said = strtoul(digits + strspn(digits, " "), NULL, 8);
	return said == sum;
}

static ssize_t feed(struct archive *a, void *data, const void **ret)
{
	struct stream_unpacked *s = data;
	ssize_t n = s->from->read(s->from, s->chunk, STREAM_CHUNK, s->error);

	if (n < 0)
		archive_set_error(a, EIO, "%s", s->error->text);
	*ret = s->chunk;
	return n < 0 ? -1 : n;
}

static int fail(struct stream_unpacked *s, struct aisbx_error *e)
{
	const char *why = archive_error_string(s->archive);

	if (e->code < 0) /* the reader of what is packed said it already */
		return e->code;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
			    "the archive cannot be unpacked: %s", why ? why : "it is not complete");
}

static ssize_t read_unpacked(struct stream *stream, void *data, size_t cap, struct aisbx_error *e)
{
	struct stream_unpacked *s = (struct stream_unpacked *)stream;
	ssize_t n;

	if (s->empty)
		return 0;
	s->error = e;
	n = archive_read_data(s->archive, data, cap);
	if (n < 0)
		return fail(s, e);
	s->size += (uint64_t)n;
	if (s->size > s->most)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the archive has more than the %llu bytes that are allowed",
				    (unsigned long long)s->most);
	return n;
}

int stream_unpack(struct stream_unpacked *s, struct stream *from, uint64_t most, struct aisbx_error *e)
{
	struct archive_entry *entry;
	int r;

	*s = (struct stream_unpacked){ .stream = { read_unpacked },
				       .from = from,
				       .most = most,
				       .archive = archive_read_new(),
				       .chunk = malloc(STREAM_CHUNK),
				       .error = e };
	if (!s->archive || !s->chunk)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "unpack an archive");
	archive_read_support_filter_gzip(s->archive);
	archive_read_support_filter_zstd(s->archive);
	archive_read_support_filter_xz(s->archive);
	archive_read_support_filter_bzip2(s->archive);
	archive_read_support_format_raw(s->archive);
	archive_read_support_format_empty(s->archive);
	r = archive_read_open(s->archive, s, NULL, feed, NULL);
	if (r == ARCHIVE_OK)
		r = archive_read_next_header(s->archive, &entry);
	if (r == ARCHIVE_EOF)
		s->empty = true;
	return r == ARCHIVE_OK || r == ARCHIVE_EOF ? 0 : fail(s, e);
}

void stream_unpacked_finish(struct stream_unpacked *s)
{
	if (s->archive)
		archive_read_free(s->archive);
	free(s->chunk);
	*s = (struct stream_unpacked){ 0 };
}
