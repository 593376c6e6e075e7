/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads entry after entry; an entry that does not fit into the stream, or would leave its directory, ends it.
 */
#include "artifact/unpack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static int bad(struct aisbx_error *e, const char *what)
{
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
			    "the data that the box sent is invalid: %s", what);
}

static int take(struct unpack *p, void *to, size_t len, struct aisbx_error *e)
{
	for (char *at = to; len;) {
		ssize_t n = len > p->end - p->at ? 0 : pread(p->fd, at, len, (off_t)p->at);

		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "read the data that the box sent");
		if (n == 0)
			return bad(e, "it is incomplete");
		if (p->sum)
			sha256_add(p->sum, at, (size_t)n);
		p->at += (uint64_t)n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Relative, with no name in it that leads elsewhere. */
static bool is_below(const char *name)
{
	while (*name) {
		size_t n = strcspn(name, "/");

		if (!n || n > NAME_MAX || (n == 1 && name[0] == '.') || (n == 2 && !strncmp(name, "..", 2)))
			return false;
		name += n;
		if (*name == '/' && !*++name)
			return false;
	}
	return true;
}

int unpack_next(struct unpack *p, struct aisbx_error *e)
{
	int r;

	if (p->at == p->end)
		return p->begun ? 0 : bad(e, "it is empty");
	r = take(p, &p->e, sizeof(p->e), e);
	if (r < 0)
		return r;
	if (p->e.name_len >= sizeof(p->name) || p->e.target_len >= sizeof(p->target) || p->e.mode > 07777 ||
	    (p->e.type != FILE_IS_FILE && p->e.type != FILE_IS_DIR && p->e.type != FILE_IS_LINK))
		return bad(e, "an entry");
	r = take(p, p->name, p->e.name_len, e);
	if (r == 0)
		r = take(p, p->target, p->e.target_len, e);
	if (r < 0)
		return r;
	p->name[p->e.name_len] = p->target[p->e.target_len] = '\0';
	if (strlen(p->name) != p->e.name_len || strlen(p->target) != p->e.target_len || !is_below(p->name) ||
	    (!*p->name) != !p->begun || (p->e.type == FILE_IS_LINK) != (p->e.target_len > 0))
		return bad(e, "a name");
	if (p->e.type == FILE_IS_FILE && p->e.size > p->end - p->at)
		return bad(e, "a size");
	p->begun = true;
	return 1;
}

int unpack_read(struct unpack *p, uint64_t *left, char *room, size_t cap, size_t *ret_n,
		struct aisbx_error *e)
{
	size_t n = *left < cap ? (size_t)*left : cap;
	int r = take(p, room, n, e);

	*left -= r == 0 ? n : 0;
	*ret_n = r == 0 ? n : 0;
	return r;
}
