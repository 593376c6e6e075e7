/* SPDX-License-Identifier: Apache-2.0 */
/* Fills struct aisbx_error. Never allocates, so it works when memory is exhausted. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __attribute__((format(printf, 3, 0))) void append(struct aisbx_error *e, size_t at, const char *fmt,
							 va_list ap)
{
	if (at < sizeof(e->text))
		vsnprintf(e->text + at, sizeof(e->text) - at, fmt, ap);
}

static void append_plain(struct aisbx_error *e, const char *text)
{
	size_t at = strlen(e->text);

	snprintf(e->text + at, sizeof(e->text) - at, "%s", text);
}

/* Errors of the kernel by area and errno. The first row that fits says it. */
#define ANY (-1)

static const struct {
	int area; /* ANY: whatever the rows above do not say */
	int err;  /* ANY, too */
	enum aisbx_kind kind;
} kinds[] = {
	{ ANY, ENOMEM, AISBX_KIND_INTERNAL },
	/* Where a name was given that is none, or is taken; else what was asked makes no sense, whatever it
	   is called. */
	{ AISBX_AREA_USAGE, ENOENT, AISBX_KIND_NOT_FOUND },
	{ AISBX_AREA_USAGE, EEXIST, AISBX_KIND_EXISTS },
	{ AISBX_AREA_USAGE, EADDRINUSE, AISBX_KIND_BUSY },
	{ AISBX_AREA_USAGE, EPERM, AISBX_KIND_DENIED },
	{ AISBX_AREA_USAGE, EACCES, AISBX_KIND_DENIED },
	{ AISBX_AREA_USAGE, ANY, AISBX_KIND_USAGE },
	/* A wall the kernel would not build: it says why, but what is missing is missing. */
	{ AISBX_AREA_JAIL, EPROTO, AISBX_KIND_INTERNAL },
	{ AISBX_AREA_JAIL, ANY, AISBX_KIND_UNSUPPORTED },
	{ AISBX_AREA_PLAN, ANY, AISBX_KIND_INTERNAL },
	/* Of aisbx's own things, not of what the caller named. */
	{ AISBX_AREA_SYS, ENOENT, AISBX_KIND_INTERNAL },
	{ AISBX_AREA_SYS, ESRCH, AISBX_KIND_INTERNAL },
	{ AISBX_AREA_SYS, EEXIST, AISBX_KIND_INTERNAL },
	{ AISBX_AREA_SYS, EINVAL, AISBX_KIND_INTERNAL },
	{ AISBX_AREA_POLICY, ELOOP, AISBX_KIND_USAGE },
	{ AISBX_AREA_POLICY, EFBIG, AISBX_KIND_USAGE },
	{ AISBX_AREA_LAYER, ESTALE, AISBX_KIND_STALE },
	{ AISBX_AREA_BOX, EUCLEAN,
	  AISBX_KIND_CONFLICT },               /* a box that was at work when the machine stopped */
	{ ANY, ESTALE, AISBX_KIND_NOT_FOUND }, /* a live box or run that ended meanwhile */
	{ ANY, ENOENT, AISBX_KIND_NOT_FOUND },
	{ ANY, ESRCH, AISBX_KIND_NOT_FOUND },
	{ ANY, ENODATA, AISBX_KIND_NOT_FOUND },
	{ ANY, EPIPE, AISBX_KIND_NOT_FOUND }, /* who should have read it */
	{ ANY, EEXIST, AISBX_KIND_EXISTS },
	{ ANY, ENOTEMPTY, AISBX_KIND_EXISTS },
	{ ANY, ENOTUNIQ, AISBX_KIND_CONFLICT },
	{ ANY, EBUSY, AISBX_KIND_BUSY },
	{ ANY, EAGAIN, AISBX_KIND_BUSY },
	{ ANY, ETXTBSY, AISBX_KIND_BUSY },
	{ ANY, EPERM, AISBX_KIND_DENIED },
	{ ANY, EACCES, AISBX_KIND_DENIED },
	{ ANY, EROFS, AISBX_KIND_DENIED },
	{ ANY, EDQUOT, AISBX_KIND_LIMIT },
	{ ANY, ENOSPC, AISBX_KIND_LIMIT },
	{ ANY, EFBIG, AISBX_KIND_LIMIT },
	{ ANY, E2BIG, AISBX_KIND_LIMIT },
	{ ANY, ENOBUFS, AISBX_KIND_LIMIT },
	{ ANY, EMFILE, AISBX_KIND_LIMIT },
	{ ANY, ENFILE, AISBX_KIND_LIMIT },
	{ ANY, ETIME, AISBX_KIND_TIMEOUT },
	{ ANY, ETIMEDOUT, AISBX_KIND_TIMEOUT },
	{ ANY, ECANCELED, AISBX_KIND_CANCELLED },
	{ ANY, EINTR, AISBX_KIND_CANCELLED },
	{ ANY, ENOSYS, AISBX_KIND_UNSUPPORTED },
	{ ANY, EOPNOTSUPP, AISBX_KIND_UNSUPPORTED },
	{ ANY, EINVAL, AISBX_KIND_USAGE },
	{ ANY, EALREADY, AISBX_KIND_USAGE },
	{ ANY, ENOTDIR, AISBX_KIND_USAGE },
	{ ANY, EISDIR, AISBX_KIND_USAGE },
	{ ANY, ENAMETOOLONG, AISBX_KIND_USAGE },
	{ ANY, EILSEQ, AISBX_KIND_USAGE },
	{ ANY, ELOOP, AISBX_KIND_USAGE },
};

enum aisbx_kind aisbx_kind_of(int area, int err)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((kinds[i].area == ANY || kinds[i].area == area) &&
		    (kinds[i].err == ANY || kinds[i].err == err))
			return kinds[i].kind;
	return AISBX_KIND_INTERNAL;
}

/* Starts the text afresh; returns the errno to use. */
static __attribute__((format(printf, 4, 0))) int begin(struct aisbx_error *e, int area, int err,
						       const char *fmt, va_list ap)
{
	if (err <= 0) /* a caller's slip must not turn a failure into a success */
		err = EIO;
	e->code = -err;
	e->area = area;
	e->kind = aisbx_kind_of(area, err);
	e->text[0] = '\0';
	append(e, 0, fmt, ap);
	return err;
}

int aisbx_fail(struct aisbx_error *e, int area, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = begin(e, area, err, fmt, ap);
	va_end(ap);
	append_plain(e, ": ");
	append_plain(e, strerror(err));
	return -err;
}

int aisbx_refuse(struct aisbx_error *e, enum aisbx_kind kind, int area, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = begin(e, area, err, fmt, ap);
	va_end(ap);
	e->kind = kind;
	return -err;
}

int aisbx_context(struct aisbx_error *e, const char *fmt, ...)
{
	char old[sizeof(e->text)];
	va_list ap;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	append(e, 0, fmt, ap);
	va_end(ap);
	append_plain(e, ": ");
	append_plain(e, old);
	return e->code;
}

int aisbx_hint(struct aisbx_error *e, const char *fmt, ...)
{
	va_list ap;

	append_plain(e, "; ");
	va_start(ap, fmt);
	append(e, strlen(e->text), fmt, ap);
	va_end(ap);
	return e->code;
}

const char *aisbx_kind_name(int kind)
{
	static const char *const names[AISBX_KIND_COUNT] = {
		[AISBX_KIND_NONE] = "internal",       [AISBX_KIND_USAGE] = "usage",
		[AISBX_KIND_NOT_FOUND] = "not_found", [AISBX_KIND_EXISTS] = "exists",
		[AISBX_KIND_BUSY] = "busy",           [AISBX_KIND_DENIED] = "denied",
		[AISBX_KIND_CONFLICT] = "conflict",   [AISBX_KIND_STALE] = "stale",
		[AISBX_KIND_LIMIT] = "limit",         [AISBX_KIND_TIMEOUT] = "timeout",
		[AISBX_KIND_CANCELLED] = "cancelled", [AISBX_KIND_UNSUPPORTED] = "unsupported",
		[AISBX_KIND_INTERNAL] = "internal",
	};

	return kind >= 0 && kind < AISBX_KIND_COUNT ? names[kind] : "internal";
}

const char *aisbx_area_name(int area)
{
	static const char *const names[AISBX_AREA_COUNT] = {
		[AISBX_AREA_NONE] = "none",     [AISBX_AREA_USAGE] = "usage", [AISBX_AREA_SYS] = "sys",
		[AISBX_AREA_PLAN] = "plan",     [AISBX_AREA_JAIL] = "jail",   [AISBX_AREA_LAYER] = "layer",
		[AISBX_AREA_POLICY] = "policy", [AISBX_AREA_RUN] = "run",     [AISBX_AREA_BOX] = "box",
		[AISBX_AREA_STORE] = "store",
	};

	return area >= 0 && area < AISBX_AREA_COUNT ? names[area] : "unknown";
}
