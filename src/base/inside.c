/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this process is inside a box already, for messages only: no wall depends on it. */
#include "base/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool inside_box(char ret[80])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	const char *name = getenv("AISBX_BOX");
	char comm[32] = "";
	FILE *f = fopen("/proc/1/comm", "re");
	bool is;

	is = f && fgets(comm, sizeof(comm), f) && !strcmp(comm, "aisbx-jail\n");
	if (f)
		fclose(f);
	if (is && name && *name && strlen(name) <= 64 && strspn(name, letters) == strlen(name))
		snprintf(ret, 80, "box '%s'", name);
	else
		snprintf(ret, 80, "a box");
	return is;
}

int inside_refuse(const char *box, struct aisbx_error *e)
{
	return aisbx_refuse(
		e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, ENOSYS,
		"this is inside %s already, and a box cannot hold another; run the command itself, without "
		"'aisbx run --', or use aisbx on the machine outside",
		box);
}
