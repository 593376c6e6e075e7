/* SPDX-License-Identifier: Apache-2.0 */
/* Which pieces of a sparse file an archive holds: GNU's old header, and its three formats in PAX. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "helpers/image/tar_read.h"

/* Where GNU's header has its first pieces, and how an entry looks. */
#define OLD_PIECES   386
#define OLD_EXTENDED 482
#define OLD_REAL     483
#define EXT_EXTENDED 504

static int add(struct tar_reader *r, uint64_t at, uint64_t len, struct aisbx_error *e)
{
	struct tar_piece piece = { at, len };

	if (r->map.len / sizeof(piece) >= TAR_SPARSE_MAX)
		return tar_bad(e, "a sparse file has too many pieces");
	buf_add(&r->map, &piece, sizeof(piece));
	return r->map.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a sparse file") : 0;
}

/* N pairs of numbers; the first empty one ends them. */
static int old_pieces(struct tar_reader *r, const uint8_t *at, int n, struct aisbx_error *e)
{
	for (; n && *at; n--, at += 24) {
		int64_t offset, len;

		if (!tar_number(at, 12, &offset) || !tar_number(at + 12, 12, &len) || offset < 0 || len < 0)
			return tar_bad(e, "a sparse file has a wrong number");
		if (add(r, (uint64_t)offset, (uint64_t)len, e) < 0)
			return e->code;
	}
	return 0;
}

int tar_sparse_old(struct tar_reader *r, const uint8_t *header, uint64_t *ret_real, struct aisbx_error *e)
{
	uint8_t block[TAR_BLOCK];
	int64_t real;
	bool more = header[OLD_EXTENDED];

	if (!tar_number(header + OLD_REAL, 12, &real) || real < 0)
		return tar_bad(e, "the size of a sparse file is wrong");
	if (old_pieces(r, header + OLD_PIECES, 4, e) < 0)
		return e->code;
	while (more) {
		if (tar_take(r, block, sizeof(block), e) < 0 || old_pieces(r, block, 21, e) < 0)
			return e->code;
		if (!block[0] && block[EXT_EXTENDED]) /* it could go on for ever */
			return tar_bad(e, "a sparse file has an empty list of pieces");
		more = block[EXT_EXTENDED];
	}
	*ret_real = (uint64_t)real;
	return 0;
}

/* Format 1.0: decimal numbers in lines, before the content, filled up to a block. */
struct lines {
	struct tar_reader *r;
	uint8_t block[TAR_BLOCK];
	size_t at;
};

static int line_number(struct lines *l, uint64_t *ret, struct aisbx_error *e)
{
	int digits = 0;

	for (*ret = 0;; digits++) {
		uint8_t c;

		if (l->at == TAR_BLOCK) {
			if (l->r->left < TAR_BLOCK)
				return tar_bad(e, "the map of a sparse file is cut off");
			if (tar_take(l->r, l->block, TAR_BLOCK, e) < 0)
				return e->code;
			l->r->left -= TAR_BLOCK;
			l->at = 0;
		}
		c = l->block[l->at++];
		if (c == '\n' && digits)
			return 0;
		if (c < '0' || c > '9' || digits > 18)
			return tar_bad(e, "the map of a sparse file is wrong");
		*ret = *ret * 10 + (uint64_t)(c - '0');
	}
}

static int map_in_content(struct tar_reader *r, struct aisbx_error *e)
{
	struct lines l = { .r = r, .at = TAR_BLOCK };
	uint64_t n, at, len;

	if (line_number(&l, &n, e) < 0)
		return e->code;
	for (; n; n--)
		if (line_number(&l, &at, e) < 0 || line_number(&l, &len, e) < 0 || add(r, at, len, e) < 0)
			return e->code;
	return 0;
}

int tar_sparse_pax(struct tar_reader *r, struct aisbx_error *e)
{
	const struct tar_pax *p = &r->pax;

	if (p->sparse_major == 1 && p->sparse_minor <= 0)
		return map_in_content(r, e);
	if (p->sparse_major > 0 || p->sparse_minor > 1)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "the archive has a sparse file of unknown format %d.%d", p->sparse_major,
				    p->sparse_minor);
	buf_add(&r->map, p->sparse_list.data, p->sparse_list.len);
	return r->map.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a sparse file") : 0;
}

int tar_sparse_check(const struct tar_reader *r, uint64_t real, uint64_t stored, struct aisbx_error *e)
{
	const struct tar_piece *pieces = (const struct tar_piece *)(const void *)r->map.data;
	uint64_t end = 0, sum = 0;

	for (size_t i = 0; i < r->map.len / sizeof(*pieces); i++) {
		if (pieces[i].at < end || pieces[i].at > real || pieces[i].len > real - pieces[i].at)
			return tar_bad(e, "the pieces of a sparse file are wrong");
		end = pieces[i].at + pieces[i].len;
		sum += pieces[i].len;
	}
	return sum == stored ? 0 : tar_bad(e, "the pieces of a sparse file are wrong");
}
