/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of tar archives: the fields of ustar, and records of PAX for what is too long or too large. */
#include "helpers/image/tar_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"

#define NAME_SIZE   100u
#define PREFIX_SIZE 155u
#define OCTAL_7     07777777u      /* the most that seven digits hold */
#define OCTAL_11    077777777777ll /* and eleven */

struct header {
	char name[NAME_SIZE];
	char mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type;
	char target[NAME_SIZE];
	char magic[6], version[2];
	char uname[32], gname[32], major[8], minor[8];
	char prefix[PREFIX_SIZE];
	char unused[12];
};
_Static_assert(sizeof(struct header) == TAR_BLOCK, "a header is one block");

/* Digits and a NUL. */
static void put_octal(char *field, size_t cap, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%0*" PRIo64, (int)cap - 1, value);
	memcpy(field, digits, cap);
}

static void add_checksum(struct header *h)
{
	const unsigned char *bytes = (const unsigned char *)h;
	unsigned int sum = 0;
	char digits[8];

	memset(h->checksum, ' ', sizeof(h->checksum));
	for (size_t i = 0; i < sizeof(*h); i++)
		sum += bytes[i];
	snprintf(digits, sizeof(digits), "%06o", sum);
	memcpy(h->checksum, digits, 7);
}

/* PATH, LEN bytes, into name and prefix; false: it does not fit. */
static bool put_path(struct header *h, const char *path, size_t len)
{
	if (len <= NAME_SIZE) {
		memcpy(h->name, path, len);
		return true;
	}
	for (size_t i = len - 1; i-- > 1;) {
		if (path[i] != '/' || i > PREFIX_SIZE)
			continue;
		if (len - i - 1 > NAME_SIZE)
			return false;
		memcpy(h->prefix, path, i);
		memcpy(h->name, path + i + 1, len - i - 1);
		return true;
	}
	return false;
}

/* "LEN KEY=VALUE\n", where LEN counts itself. */
static void add_record(struct buf *pax, const char *key, const void *value, size_t len)
{
	size_t rest = strlen(key) + len + 3, total = rest + 1;
	char digits[24];

	while ((size_t)snprintf(digits, sizeof(digits), "%zu", total) + rest != total)
		total = rest + strlen(digits);
	buf_addf(pax, "%zu %s=", total, key);
	buf_add(pax, value, len);
	buf_add(pax, "\n", 1);
}

static void add_number(struct buf *pax, const char *key, int64_t value)
{
	char digits[24];

	add_record(pax, key, digits, (size_t)snprintf(digits, sizeof(digits), "%" PRId64, value));
}

static int add_xattrs(struct buf *pax, const struct tar_entry *entry)
{
	for (size_t i = 0; i < entry->n_xattrs; i++) {
		const struct tar_xattr *x = &entry->xattrs[i];
		char key[300];

		if (strchr(x->name, '='))
			return -EINVAL;
		snprintf(key, sizeof(key), "SCHILY.xattr.%s", x->name);
		add_record(pax, key, x->value, x->len);
		if (pax->len > TAR_PAX_MAX)
			return -E2BIG;
	}
	return 0;
}

static void put_number(char *field, size_t cap, uint64_t value, uint64_t most)
{
	put_octal(field, cap, value <= most ? value : 0);
}

/* Fills H, and adds to PAX what H cannot hold: its records in the order of their keys. */
static int describe(const struct tar_entry *entry, struct header *h, struct buf *pax)
{
	size_t target = entry->target ? strlen(entry->target) : 0;
	scoped(buf_finish) struct buf path = { 0 };
	int r = add_xattrs(pax, entry);

	if (r < 0)
		return r;
	buf_addf(&path, "%s%s", entry->path, entry->type == '5' ? "/" : "");
	if (path.failed)
		return -ENOMEM;
	put_octal(h->mode, sizeof(h->mode), entry->mode & 07777);
	put_number(h->uid, sizeof(h->uid), entry->uid, OCTAL_7);
	put_number(h->gid, sizeof(h->gid), entry->gid, OCTAL_7);
	put_number(h->size, sizeof(h->size), entry->size, OCTAL_11);
	put_number(h->mtime, sizeof(h->mtime), (uint64_t)entry->mtime, OCTAL_11);
	if (entry->gid > OCTAL_7)
		add_number(pax, "gid", entry->gid);
	memcpy(h->target, entry->target ? entry->target : "", target < NAME_SIZE ? target : NAME_SIZE);
	if (target > NAME_SIZE)
		add_record(pax, "linkpath", entry->target, target);
	if (entry->mtime < 0 || entry->mtime > OCTAL_11)
		add_number(pax, "mtime", entry->mtime);
	if (!put_path(h, path.data, path.len)) {
		memcpy(h->name, path.data, NAME_SIZE);
		add_record(pax, "path", path.data, path.len);
	}
	if (entry->size > OCTAL_11)
		add_number(pax, "size", (int64_t)entry->size);
	if (entry->uid > OCTAL_7)
		add_number(pax, "uid", entry->uid);
	return pax->failed ? -ENOMEM : pax->len > TAR_PAX_MAX ? -E2BIG : 0;
}

static int write_header(struct header *h, char type, tar_sink_fn *sink, void *ctx)
{
	h->type = type;
	memcpy(h->magic, "ustar", 6);
	memcpy(h->version, "00", 2);
	put_octal(h->major, sizeof(h->major), 0);
	put_octal(h->minor, sizeof(h->minor), 0);
	add_checksum(h);
	return sink(ctx, h, sizeof(*h));
}

static int write_pax(const struct buf *pax, tar_sink_fn *sink, void *ctx)
{
	struct header h = { .name = "././@PaxHeader" };
	int r;

	put_octal(h.mode, sizeof(h.mode), 0644);
	put_octal(h.uid, sizeof(h.uid), 0);
	put_octal(h.gid, sizeof(h.gid), 0);
	put_octal(h.size, sizeof(h.size), pax->len);
	put_octal(h.mtime, sizeof(h.mtime), 0);
	r = write_header(&h, 'x', sink, ctx);
	if (r == 0)
		r = sink(ctx, pax->data, pax->len);
	return r < 0 ? r : tar_write_padding(pax->len, sink, ctx);
}

int tar_write_entry(const struct tar_entry *entry, tar_sink_fn *sink, void *ctx)
{
	scoped(buf_finish) struct buf pax = { 0 };
	struct header h = { 0 };
	int r = describe(entry, &h, &pax);

	if (r == 0 && pax.len)
		r = write_pax(&pax, sink, ctx);
	return r < 0 ? r : write_header(&h, entry->type, sink, ctx);
}

int tar_write_padding(uint64_t size, tar_sink_fn *sink, void *ctx)
{
	static const char zeros[TAR_BLOCK];
	size_t over = size % TAR_BLOCK;

	return over ? sink(ctx, zeros, TAR_BLOCK - over) : 0;
}

int tar_write_end(tar_sink_fn *sink, void *ctx)
{
	static const char zeros[2 * TAR_BLOCK];

	return sink(ctx, zeros, sizeof(zeros));
}
