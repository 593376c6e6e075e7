/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a PAX header: "LENGTH KEY=VALUE\n" each. Unknown ones are left out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "helpers/image/tar_read.h"

#define XATTR_KEY "SCHILY.xattr."

void tar_pax_clear(struct tar_pax *p)
{
	p->text.len = 0;
	p->sparse_list.len = 0;
	p->path = p->link = p->sparse_name = NULL;
	p->has_size = p->has_uid = p->has_gid = p->has_mtime = p->has_atime = p->has_real_size = false;
	p->sparse_major = p->sparse_minor = -1;
	p->n_xattrs = 0;
}

/* A number of digits only; those of MAX are enough for anybody. */
static bool decimal(const char *text, uint64_t *ret)
{
	uint64_t n = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || n > (UINT64_MAX >> 1) / 10 - 1)
			return false;
		n = n * 10 + (uint64_t)(*text - '0');
	}
	*ret = n;
	return true;
}

/* "-1.25" is 1.25 s before 1970. */
static bool moment(const char *text, struct timespec *ret)
{
	bool before = *text == '-';
	uint64_t sec = 0;
	long ns = 0, unit = 100000000;

	text += before;
	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (sec > (uint64_t)INT64_MAX / 100)
			return false;
		sec = sec * 10 + (uint64_t)(*text - '0');
	}
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, unit /= 10)
			ns += (*text - '0') * unit;
	if (*text)
		return false;
	*ret = (struct timespec){ .tv_sec = before ? -(time_t)sec : (time_t)sec, .tv_nsec = ns };
	if (before && ns) {
		ret->tv_sec--;
		ret->tv_nsec = 1000000000 - ns;
	}
	return true;
}

static bool add_piece(struct tar_pax *p, uint64_t at, uint64_t len)
{
	struct tar_piece piece = { at, len };

	if (p->sparse_list.len / sizeof(piece) >= TAR_SPARSE_MAX)
		return false;
	buf_add(&p->sparse_list, &piece, sizeof(piece));
	return !p->sparse_list.failed;
}

/* "at,len,at,len..." */
static bool sparse_map(struct tar_pax *p, char *text)
{
	uint64_t first = 0, n;
	char *save = NULL;
	bool second = false;

	p->sparse_list.len = 0;
	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (!decimal(word, &n) || (second && !add_piece(p, first, n)))
			return false;
		first = n;
		second = !second;
	}
	return !second;
}

/* Format 0.0: an offset, then its length. */
static bool sparse_part(struct tar_pax *p, const char *key, const char *value)
{
	struct tar_piece *pieces;
	uint64_t n;

	if (!decimal(value, &n))
		return false;
	if (!strcmp(key, "offset"))
		return add_piece(p, n, UINT64_MAX);
	pieces = (struct tar_piece *)(void *)p->sparse_list.data;
	if (!p->sparse_list.len || pieces[p->sparse_list.len / sizeof(*pieces) - 1].len != UINT64_MAX)
		return false;
	pieces[p->sparse_list.len / sizeof(*pieces) - 1].len = n;
	return true;
}

static bool sparse_record(struct tar_pax *p, const char *key, char *value)
{
	uint64_t n;

	if (!strcmp(key, "map"))
		return sparse_map(p, value);
	if (!strcmp(key, "offset") || !strcmp(key, "numbytes"))
		return sparse_part(p, key, value);
	if (!strcmp(key, "name")) {
		p->sparse_name = value;
		return true;
	}
	if (!strcmp(key, "numblocks"))
		return decimal(value, &n);
	if (!strcmp(key, "size") || !strcmp(key, "realsize")) {
		p->has_real_size = decimal(value, &p->real_size);
		return p->has_real_size;
	}
	if (!strcmp(key, "major") || !strcmp(key, "minor")) {
		if (!decimal(value, &n) || n > 99)
			return false;
		*(key[1] == 'a' ? &p->sparse_major : &p->sparse_minor) = (int)n;
	}
	return true;
}

/* The last of a name counts. */
static bool xattr_record(struct tar_pax *p, const char *name, const char *value, size_t len)
{
	size_t i = 0;

	while (i < p->n_xattrs && strcmp(p->xattrs[i].name, name) != 0)
		i++;
	if (i == TAR_XATTRS_MAX || !*name)
		return false;
	p->xattrs[i] = (struct tar_xattr){ name, value, len };
	p->n_xattrs += i == p->n_xattrs;
	return true;
}

/* An empty value takes a record back. */
static bool number_record(bool *ret_has, uint64_t *ret, const char *value)
{
	*ret_has = *value;
	return !*value || decimal(value, ret);
}

static bool moment_record(bool *ret_has, struct timespec *ret, const char *value)
{
	*ret_has = *value;
	return !*value || moment(value, ret);
}

static bool record(struct tar_pax *p, const char *key, char *value, size_t len)
{
	if (!strncmp(key, XATTR_KEY, strlen(XATTR_KEY)))
		return xattr_record(p, key + strlen(XATTR_KEY), value, len);
	if (strlen(value) != len) /* a NUL inside */
		return false;
	if (!strncmp(key, "GNU.sparse.", 11))
		return sparse_record(p, key + 11, value);
	if (!strcmp(key, "path"))
		p->path = value;
	else if (!strcmp(key, "linkpath"))
		p->link = value;
	else if (!strcmp(key, "size"))
		return number_record(&p->has_size, &p->size, value);
	else if (!strcmp(key, "uid"))
		return number_record(&p->has_uid, &p->uid, value);
	else if (!strcmp(key, "gid"))
		return number_record(&p->has_gid, &p->gid, value);
	else if (!strcmp(key, "mtime"))
		return moment_record(&p->has_mtime, &p->mtime, value);
	else if (!strcmp(key, "atime"))
		return moment_record(&p->has_atime, &p->atime, value);
	return true;
}

int tar_pax_read(struct tar_pax *p, struct aisbx_error *e)
{
	char *at = p->text.data, *end = at ? at + p->text.len : NULL;

	while (at < end) {
		char *key = at, *value;
		size_t len = 0;

		while (key < end && *key >= '0' && *key <= '9' && len <= TAR_RECORDS_MAX)
			len = len * 10 + (size_t)(*key++ - '0');
		if (key == at || key == end || *key != ' ' || len > (size_t)(end - at) ||
		    len < (size_t)(key - at) + 4 || at[len - 1] != '\n')
			return tar_bad(e, "a record of a header is wrong");
		key++;
		value = memchr(key, '=', (size_t)(at + len - key));
		at += len;
		if (!value || value == key)
			return tar_bad(e, "a record of a header is wrong");
		at[-1] = '\0';
		*value++ = '\0';
		if (!record(p, key, value, (size_t)(at - 1 - value)))
			return tar_bad(e, "a record of a header is wrong");
	}
	return 0;
}
