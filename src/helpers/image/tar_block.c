/* SPDX-License-Identifier: Apache-2.0 */
/* The ground of the reader of tar archives: bytes of its source, numbers in fields of headers. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "helpers/image/tar_read.h"

int tar_bad(struct aisbx_error *e, const char *what)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "the archive is damaged: %s", what);
}

int tar_fill(struct tar_reader *r, struct aisbx_error *e)
{
	while (r->len == 0) {
		int got = r->source_ended ? 0 : r->source.next(r->source.ctx, &r->at, &r->len, e);

		if (got <= 0) {
			r->source_ended = true;
			r->len = 0;
			return got;
		}
	}
	return 1;
}

int tar_take_some(struct tar_reader *r, uint8_t *ret, uint64_t len, uint64_t *ret_got, struct aisbx_error *e)
{
	*ret_got = 0;
	while (*ret_got < len) {
		uint64_t n = len - *ret_got;
		int got = tar_fill(r, e);

		if (got <= 0)
			return got;
		if (n > r->len)
			n = r->len;
		if (ret)
			memcpy(ret + *ret_got, r->at, n);
		r->at += n;
		r->len -= n;
		*ret_got += n;
	}
	return 0;
}

int tar_take(struct tar_reader *r, void *ret, size_t len, struct aisbx_error *e)
{
	uint64_t got;
	int n = tar_take_some(r, ret, len, &got, e);

	return n < 0 ? n : got < len ? tar_bad(e, "it ends in the middle of an entry") : 0;
}

bool tar_number(const uint8_t *field, size_t len, int64_t *ret)
{
	uint64_t value = 0;
	bool negative = false;

	if (field[0] & 0x80) { /* two's complement, after the mark */
		negative = field[0] & 0x40;
		for (size_t i = 0; i < len; i++) {
			uint8_t c = (uint8_t)(negative ? ~field[i] : field[i]);

			if (i == 0)
				c &= 0x3f;
			if (value >> 55)
				return false;
			value = value << 8 | c;
		}
		*ret = negative ? (int64_t)~value : (int64_t)value;
		return true;
	}
	while (len && (*field == ' ' || *field == '\0'))
		field++, len--;
	while (len && (field[len - 1] == ' ' || field[len - 1] == '\0'))
		len--;
	for (size_t i = 0; i < len && field[i]; i++) {
		if (field[i] < '0' || field[i] > '7' || value >> 60)
			return false;
		value = value << 3 | (uint64_t)(field[i] - '0');
	}
	*ret = (int64_t)value;
	return true;
}
