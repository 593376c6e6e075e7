/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a tar archive and their content. PAX records are in tar_pax.c, sparse files in tar_sparse.c. */
#include "helpers/image/tar_read.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

/* A header. */
enum {
	NAME = 0,
	MODE = 100,
	UID = 108,
	GID = 116,
	SIZE = 124,
	MTIME = 136,
	SUM = 148,
	TYPE = 156,
	LINK = 157,
	MAGIC = 257,
	MAJOR = 329,
	MINOR = 337,
	PREFIX = 345,
};

void tar_reader_init(struct tar_reader *r, struct tar_source source)
{
	memset(r, 0, sizeof(*r));
	r->source = source;
	tar_pax_clear(&r->pax);
}

void tar_reader_finish(struct tar_reader *r)
{
	buf_finish(&r->map);
	buf_finish(&r->long_name);
	buf_finish(&r->long_link);
	buf_finish(&r->pax.text);
	buf_finish(&r->pax.sparse_list);
}

static int leave_out(struct tar_reader *r, uint64_t len, struct aisbx_error *e)
{
	uint64_t got;
	int n = tar_take_some(r, NULL, len, &got, e);

	return n < 0 ? n : got < len ? tar_bad(e, "it ends in the middle of a file") : 0;
}

static bool sum_is_right(const uint8_t *h)
{
#ifdef FUZZING /* which cannot guess it */
	return h != NULL;
#else
	int64_t said, plain = 0, with_sign = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i >= SUM && i < SUM + 8 ? ' ' : h[i];

		plain += c;
		with_sign += (int8_t)c;
	}
	return tar_number(h + SUM, 8, &said) && (said == plain || said == with_sign);
#endif
}

static bool is_zero(const uint8_t *h)
{
	return h[0] == 0 && !memcmp(h, h + 1, TAR_BLOCK - 1);
}

/* 1: H is a header; 0: the end. */
static int take_header(struct tar_reader *r, uint8_t h[TAR_BLOCK], struct aisbx_error *e)
{
	for (int zeros = 0;; zeros++) {
		uint64_t got;
		int n = tar_take_some(r, h, TAR_BLOCK, &got, e);

		if (n < 0)
			return n;
		if (got == 0)
			return 0;
		if (got < TAR_BLOCK)
			return tar_bad(e, "it ends in the middle of a header");
		if (is_zero(h)) {
			if (zeros)
				return 0;
			continue;
		}
		if (zeros)
			return tar_bad(e, "something follows half of an end");
		return sum_is_right(h) ? 1 : tar_bad(e, "the sum of a header is wrong");
	}
}

/* The content of an entry that describes the next one; RET is ended by a NUL. */
static int take_text(struct tar_reader *r, uint64_t size, uint64_t most, struct buf *ret,
		     struct aisbx_error *e)
{
	char chunk[TAR_BLOCK];

	if (size > most)
		return tar_bad(e, "a header is too long");
	ret->len = 0;
	for (uint64_t left = size; left;) {
		size_t n = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);

		if (tar_take(r, chunk, sizeof(chunk), e) < 0)
			return e->code;
		buf_add(ret, chunk, n);
		left -= n;
	}
	return buf_str(ret) ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a header");
}

static int take_global(struct tar_reader *r, uint64_t size, struct aisbx_error *e)
{
	if (size > TAR_RECORDS_MAX)
		return tar_bad(e, "a header is too long");
	return leave_out(r, (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK, e);
}

/* Headers that only describe what follows. 1: H was one. */
static int take_description(struct tar_reader *r, const uint8_t *h, struct aisbx_error *e)
{
	int64_t size;
	int n;

	if (!strchr("xgLK", h[TYPE]) || !h[TYPE])
		return 0;
	if (!tar_number(h + SIZE, 12, &size) || size < 0)
		return tar_bad(e, "the size of a header is wrong");
	if (h[TYPE] == 'g')
		n = take_global(r, (uint64_t)size, e);
	else if (h[TYPE] == 'L')
		n = take_text(r, (uint64_t)size, TAR_NAME_MAX + 1, &r->long_name, e);
	else if (h[TYPE] == 'K')
		n = take_text(r, (uint64_t)size, TAR_NAME_MAX + 1, &r->long_link, e);
	else {
		tar_pax_clear(&r->pax);
		n = take_text(r, (uint64_t)size, TAR_RECORDS_MAX, &r->pax.text, e);
		if (n == 0)
			n = tar_pax_read(&r->pax, e);
	}
	return n < 0 ? n : 1;
}

static void field_text(char *ret, const uint8_t *field, size_t len)
{
	size_t n = strnlen((const char *)field, len);

	memcpy(ret, field, n);
	ret[n] = '\0';
}

static void header_name(const uint8_t *h, char *ret)
{
	char prefix[156], name[101];
	bool posix = !memcmp(h + MAGIC, "ustar\0", 6);

	field_text(name, h + NAME, 100);
	field_text(prefix, h + PREFIX, posix ? (memcmp(h + 508, "tar\0", 4) ? 155 : 131) : 0);
	*ret = '\0';
	if (*prefix)
		strcat(strcpy(ret, prefix), "/");
	strcat(ret, name);
}

static int text_or(const char *said, char *ret, struct aisbx_error *e)
{
	if (said && strlen(said) > TAR_NAME_MAX)
		return tar_bad(e, "a name is too long");
	if (said && *said)
		strcpy(ret, said);
	return 0;
}

static int take_names(struct tar_reader *r, const uint8_t *h, struct tar_entry *ret, struct aisbx_error *e)
{
	header_name(h, r->name);
	field_text(r->link, h + LINK, 100);
	if (text_or(r->pax.path, r->name, e) < 0 || text_or(r->pax.link, r->link, e) < 0 ||
	    text_or(r->long_name.len ? r->long_name.data : NULL, r->name, e) < 0 ||
	    text_or(r->long_link.len ? r->long_link.data : NULL, r->link, e) < 0 ||
	    text_or(r->pax.sparse_name, r->name, e) < 0)
		return e->code;
	ret->path = r->name;
	ret->link = r->link;
	return 0;
}

static bool id_of(const uint8_t *field, bool has, uint64_t said, uint32_t *ret)
{
	int64_t n;

	if (has)
		n = said < UINT32_MAX ? (int64_t)said : -1;
	else if (!tar_number(field, 8, &n))
		return false;
	if (n < 0 || n >= UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static int take_numbers(const struct tar_reader *r, const uint8_t *h, struct tar_entry *ret,
			struct aisbx_error *e)
{
	const struct tar_pax *p = &r->pax;
	int64_t mode, mtime, major = 0, minor = 0, size;

	if (!tar_number(h + MODE, 8, &mode) || !tar_number(h + MTIME, 12, &mtime) ||
	    !tar_number(h + SIZE, 12, &size) || !id_of(h + UID, p->has_uid, p->uid, &ret->uid) ||
	    !id_of(h + GID, p->has_gid, p->gid, &ret->gid))
		return tar_bad(e, "a number of a header is wrong");
	if (p->has_size ? p->size > INT64_MAX : size < 0)
		return tar_bad(e, "the size of a file is wrong");
	if (!memcmp(h + MAGIC, "ustar", 5) && (ret->type == '3' || ret->type == '4') &&
	    (!tar_number(h + MAJOR, 8, &major) || !tar_number(h + MINOR, 8, &minor)))
		return tar_bad(e, "the number of a device is wrong");
	ret->mode = (uint32_t)mode & 07777;
	ret->major = (uint32_t)major;
	ret->minor = (uint32_t)minor;
	ret->size = p->has_size ? p->size : (uint64_t)size;
	ret->mtime = p->has_mtime ? p->mtime : (struct timespec){ .tv_sec = mtime };
	ret->atime = p->has_atime ? p->atime : ret->mtime;
	return 0;
}

/* As Go has it: what is not content has no size, whatever the header says. */
static int take_type(const uint8_t *h, struct tar_reader *r, struct tar_entry *ret, struct aisbx_error *e)
{
	size_t len = strlen(r->name);
	char type = (char)h[TYPE];

	if (type == '\0')
		type = len && r->name[len - 1] == '/' ? '5' : '0';
	if (type == '7' || type == 'S')
		type = '0';
	if (!strchr("0123456", type))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "the archive has an entry of unknown type %d", (unsigned char)h[TYPE]);
	ret->type = type;
	return 0;
}

static int take_content(struct tar_reader *r, const uint8_t *h, struct tar_entry *ret, struct aisbx_error *e)
{
	struct tar_pax *p = &r->pax;
	int n = 0;

	if (ret->type != '0')
		ret->size = 0;
	ret->stored = ret->size;
	r->left = ret->size;
	r->padding = (TAR_BLOCK - ret->size % TAR_BLOCK) % TAR_BLOCK;
	r->piece = 0;
	r->piece_at = 0;
	r->map.len = 0;
	if (ret->type != '0')
		return 0;
	if (h[TYPE] == 'S') {
		n = tar_sparse_old(r, h, &ret->size, e);
	} else if (p->sparse_major >= 0 || p->sparse_list.len || p->sparse_name) {
		if (!p->has_real_size)
			return tar_bad(e, "a sparse file has no size");
		ret->size = p->real_size;
		n = tar_sparse_pax(r, e);
	} else {
		struct tar_piece whole = { 0, ret->size };

		buf_add(&r->map, &whole, sizeof(whole));
		return r->map.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a header") : 0;
	}
	ret->stored = r->left;
	return n < 0 ? n : tar_sparse_check(r, ret->size, r->left, e);
}

int tar_next(struct tar_reader *r, struct tar_entry *ret, struct aisbx_error *e)
{
	uint8_t h[TAR_BLOCK];
	uint64_t got;
	int n = leave_out(r, r->left, e);

	if (n ==
	    0) /* of the last file it may be missing: so `umoci insert` writes it, and Go's readers take it */
		n = tar_take_some(r, NULL, r->padding, &got, e);
	r->left = r->padding = 0;
	if (n < 0)
		return n;
	tar_pax_clear(&r->pax);
	r->long_name.len = r->long_link.len = 0;
	for (int descriptions = 0;; descriptions++) {
		n = take_header(r, h, e);
		if (n == 0 && (r->pax.text.len || r->long_name.len || r->long_link.len))
			return tar_bad(e, "it ends after a header");
		if (n <= 0)
			return n;
		n = take_description(r, h, e);
		if (n < 0)
			return n;
		if (n == 0)
			break;
		if (descriptions > 64 && h[TYPE] != 'g')
			return tar_bad(e, "too many headers describe one entry");
	}
	if (take_names(r, h, ret, e) < 0 || take_type(h, r, ret, e) < 0 || take_numbers(r, h, ret, e) < 0 ||
	    take_content(r, h, ret, e) < 0)
		return e->code;
	ret->n_xattrs = r->pax.n_xattrs;
	memcpy(ret->xattrs, r->pax.xattrs, ret->n_xattrs * sizeof(*ret->xattrs));
	return 1;
}

int tar_data(struct tar_reader *r, const uint8_t **ret_data, size_t *ret_len, uint64_t *ret_offset,
	     struct aisbx_error *e)
{
	const struct tar_piece *pieces = (const struct tar_piece *)(const void *)r->map.data;
	size_t n_pieces = r->map.len / sizeof(*pieces);
	uint64_t n;
	int got;

	while (r->piece < n_pieces && r->piece_at == pieces[r->piece].len) {
		r->piece++;
		r->piece_at = 0;
	}
	if (r->piece == n_pieces || r->left == 0)
		return 0;
	got = tar_fill(r, e);
	if (got <= 0)
		return got < 0 ? got : tar_bad(e, "it ends in the middle of a file");
	n = pieces[r->piece].len - r->piece_at;
	if (n > r->len)
		n = r->len;
	*ret_data = r->at;
	*ret_len = n;
	*ret_offset = pieces[r->piece].at + r->piece_at;
	r->at += n;
	r->len -= n;
	r->left -= n;
	r->piece_at += n;
	return 1;
}
