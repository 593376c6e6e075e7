/* SPDX-License-Identifier: Apache-2.0 */
/* Debug messages on stderr. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"

void log_debug(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	if (!getenv("AISBX_DEBUG"))
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "aisbx: debug %llu: %s\n", (unsigned long long)time_us(), line);
}
