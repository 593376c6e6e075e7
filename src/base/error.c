/* SPDX-License-Identifier: Apache-2.0 */
/* Composes struct aisbx_error. Never allocates, so that it works when memory is what ran out. */
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

/* Starts the text afresh; returns the errno to use. */
static __attribute__((format(printf, 4, 0))) int begin(struct aisbx_error *e, int area, int err,
						       const char *fmt, va_list ap)
{
	if (err <= 0) /* a caller's slip must not turn a failure into a success */
		err = EIO;
	e->code = -err;
	e->area = area;
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

int aisbx_refuse(struct aisbx_error *e, int area, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = begin(e, area, err, fmt, ap);
	va_end(ap);
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
