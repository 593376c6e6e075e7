/* SPDX-License-Identifier: Apache-2.0 */
/* A record: total length, checksum of the rest, the fixed part, the text with its NUL. */
#include "layer/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "sys/sys.h"

/* More than the longest path and what is told of it: what says to be longer is torn. */
#define MAX_RECORD (1u << 20)

struct head {
	uint32_t len; /* of what follows */
	uint32_t sum;
};

static uint32_t sum_of(const char *data, size_t n)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)data[i]) *
		    0x01000193; /* FNV-1a: against torn writes, not against people */
	return h;
}

void record_add(struct buf *b, const void *fixed, size_t size, const char *text)
{
	struct head head = { .len = (uint32_t)(size + strlen(text) + 1) };
	size_t at = b->len;

	buf_add(b, &head, sizeof(head));
	buf_add(b, fixed, size);
	buf_add(b, text, strlen(text) + 1);
	if (b->failed)
		return;
	head.sum = sum_of(b->data + at + sizeof(head), head.len);
	memcpy(b->data + at, &head, sizeof(head));
}

const char *record_next(const struct buf *b, size_t *at, void *fixed, size_t size)
{
	const char *body;
	struct head head;

	if (b->len - *at < sizeof(head))
		return NULL;
	memcpy(&head, b->data + *at, sizeof(head));
	body = b->data + *at + sizeof(head);
	if (head.len > b->len - *at - sizeof(head) || head.len <= size ||
	    sum_of(body, head.len) != head.sum ||
	    memchr(body + size, '\0', head.len - size) != body + head.len - 1)
		return NULL;
	memcpy(fixed, body, size);
	*at += sizeof(head) + head.len;
	return body + size;
}

size_t record_end(const struct buf *b)
{
	struct head head;
	size_t at = 0;

	while (b->len - at >= sizeof(head)) {
		memcpy(&head, b->data + at, sizeof(head));
		if (head.len > b->len - at - sizeof(head) ||
		    sum_of(b->data + at + sizeof(head), head.len) != head.sum)
			break;
		at += sizeof(head) + head.len;
	}
	return at;
}

int record_read(int at, const char *name, struct buf *ret)
{
	scoped(drop_fd) int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return io_read_all(fd, SIZE_MAX, ret);
}

int record_open(int at, const char *name, struct record_reader *ret)
{
	*ret = (struct record_reader){ .fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) };
	return ret->fd < 0 ? -errno : 0;
}

void record_close(struct record_reader *r)
{
	close_fd(&r->fd);
	buf_finish(&r->piece);
}

/* What is left of the piece may be the beginning of a record. */
static bool is_cut(const struct record_reader *r)
{
	size_t left = r->piece.len - r->at;
	struct head head;

	if (left < sizeof(head))
		return true;
	memcpy(&head, r->piece.data + r->at, sizeof(head));
	return head.len <= MAX_RECORD && head.len > left - sizeof(head);
}

/* False at the end of the file. */
static bool read_on(struct record_reader *r)
{
	char chunk[65536];
	ssize_t n = read(r->fd, chunk, sizeof(chunk));

	if (n <= 0) {
		r->failed = n < 0 ? -errno : 0;
		return false;
	}
	if (r->at) {
		memmove(r->piece.data, r->piece.data + r->at, r->piece.len - r->at);
		r->piece.len -= r->at;
		r->at = 0;
	}
	buf_add(&r->piece, chunk, (size_t)n);
	r->failed = r->piece.failed ? -ENOMEM : 0;
	return !r->piece.failed;
}

const char *record_step(struct record_reader *r, void *fixed, size_t size)
{
	const char *text;

	while (!(text = record_next(&r->piece, &r->at, fixed, size)))
		if (!is_cut(r) || !read_on(r))
			return NULL;
	return text;
}

bool record_is_whole(const struct record_reader *r)
{
	return !r->failed && r->at == r->piece.len;
}

int record_write(int at, const char *name, const struct buf *b, bool sync)
{
	scoped(drop_fd) int fd = -1;
	int r;

	if (b->failed)
		return -ENOMEM;
	fd = openat(at, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = sys_write_all(fd, b->data, b->len);
	return r == 0 && sync && fsync(fd) < 0 ? -errno : r;
}

int record_take(int from, int to, const char *name)
{
	scoped(record_close) struct record_reader r = RECORD_READER_INIT;
	int rc = record_open(from, name, &r);

	if (rc < 0)
		return rc;
	do {
		const struct buf whole = { .data = r.piece.data, .len = record_end(&r.piece) };

		if (whole.len)
			rc = record_write(to, name, &whole, false);
		r.at = whole.len;
	} while (rc == 0 && is_cut(&r) && read_on(&r));
	return rc < 0 ? rc : r.failed;
}
