/* SPDX-License-Identifier: Apache-2.0 */
/* Errors by area and errno to the few kinds that a program acts upon. The first row that fits says it. */
#include "op/error_kind.h"

#include <errno.h>
#include <stddef.h>

#define ANY (-1)

static const struct {
	int area; /* ANY: whatever the rows above do not say */
	int err;  /* ANY, too */
	const char *kind;
} kinds[] = {
	{ ANY, ENOMEM, "internal" },
	/* Where a name was given that is none, or is taken; else what was asked makes no sense, whatever it
	   is called. */
	{ AISBX_AREA_USAGE, ENOENT, "not_found" },
	{ AISBX_AREA_USAGE, EEXIST, "exists" },
	{ AISBX_AREA_USAGE, EADDRINUSE, "busy" },
	{ AISBX_AREA_USAGE, EPERM, "denied" },
	{ AISBX_AREA_USAGE, EACCES, "denied" },
	{ AISBX_AREA_USAGE, ANY, "usage" },
	/* A wall the kernel would not build: it says why, but what is missing is missing. */
	{ AISBX_AREA_JAIL, EPROTO, "internal" },
	{ AISBX_AREA_JAIL, ANY, "unsupported" },
	{ AISBX_AREA_PLAN, ANY, "internal" },
	/* Of aisbx's own things, not of what the caller named. */
	{ AISBX_AREA_SYS, ENOENT, "internal" },
	{ AISBX_AREA_SYS, ESRCH, "internal" },
	{ AISBX_AREA_SYS, EEXIST, "internal" },
	{ AISBX_AREA_SYS, EINVAL, "internal" },
	{ AISBX_AREA_POLICY, ELOOP, "usage" },
	{ AISBX_AREA_POLICY, EFBIG, "usage" },
	{ AISBX_AREA_LAYER, ESTALE, "stale" },
	{ AISBX_AREA_BOX, EUCLEAN, "conflict" }, /* a box that was at work when the machine stopped */
	{ ANY, ESTALE, "not_found" },            /* a live box or run that ended meanwhile */
	{ ANY, ENOENT, "not_found" },
	{ ANY, ESRCH, "not_found" },
	{ ANY, ENODATA, "not_found" },
	{ ANY, EPIPE, "not_found" }, /* who should have read it */
	{ ANY, EEXIST, "exists" },
	{ ANY, ENOTEMPTY, "exists" },
	{ ANY, ENOTUNIQ, "conflict" },
	{ ANY, EBUSY, "busy" },
	{ ANY, EAGAIN, "busy" },
	{ ANY, ETXTBSY, "busy" },
	{ ANY, EPERM, "denied" },
	{ ANY, EACCES, "denied" },
	{ ANY, EROFS, "denied" },
	{ ANY, EDQUOT, "limit" },
	{ ANY, ENOSPC, "limit" },
	{ ANY, EFBIG, "limit" },
	{ ANY, E2BIG, "limit" },
	{ ANY, ENOBUFS, "limit" },
	{ ANY, EMFILE, "limit" },
	{ ANY, ENFILE, "limit" },
	{ ANY, ETIME, "timeout" },
	{ ANY, ETIMEDOUT, "timeout" },
	{ ANY, ECANCELED, "cancelled" },
	{ ANY, EINTR, "cancelled" },
	{ ANY, ENOSYS, "unsupported" },
	{ ANY, EOPNOTSUPP, "unsupported" },
	{ ANY, EINVAL, "usage" },
	{ ANY, EALREADY, "usage" },
	{ ANY, ENOTDIR, "usage" },
	{ ANY, EISDIR, "usage" },
	{ ANY, ENAMETOOLONG, "usage" },
	{ ANY, EILSEQ, "usage" },
	{ ANY, ELOOP, "usage" },
};

const char *op_error_kind(const struct aisbx_error *e)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((kinds[i].area == ANY || kinds[i].area == e->area) &&
		    (kinds[i].err == ANY || kinds[i].err == -e->code))
			return kinds[i].kind;
	return "internal";
}
