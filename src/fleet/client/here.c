/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for a hub, and starts the aisbx that lies beside this program. */
#include "fleet/client/here.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

#define OR_HERE_MS 5000

int here_connect(const struct fleet_options *fleet, const char *name, struct bus **ret, char *why, size_t cap,
		 struct aisbx_error *e)
{
	scoped(drop_mem) char *text = NULL;
	uint64_t ms = 0;
	size_t len;
	int r;

	if (fleet->or_here) {
		ms = OR_HERE_MS;
		if (fleet->or_here[0] && (!str_to_ms(fleet->or_here, &ms) || !ms))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "--or-here=TIME must be a time, such as 5s, not '%.50s'",
					    fleet->or_here);
	}
	r = fleet_options_connect(fleet, BUS_SUBMITTER, name, ms, ret, e);
	if (!fleet->or_here)
		return r;
	if (r == 0 && bus_request(*ret, "aisbx.ask.status", "", 0, ms, &text, &len, e) < 0) {
		char waited[32];

		snprintf(why, cap, "no hub answered in %s", str_ms(ms, waited, sizeof(waited)));
	} else if (r < 0)
		snprintf(why, cap, "%s", e->text);
	return 0;
}

int here_exec(const struct strlist *words, struct aisbx_error *e)
{
	static const char *const places[] = { "/aisbx", "/../../bin/aisbx" };
	char here[PATH_MAX], path[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);

	if (words->failed)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start aisbx");
	here[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%.*s%s",
			 (int)(strrchr(here, '/') ? strrchr(here, '/') - here : 0), here, places[i]);
		execv(path, words->items);
	}
	execvp("aisbx", words->items);
	return aisbx_fail(e, AISBX_AREA_RUN, errno, "start aisbx");
}
