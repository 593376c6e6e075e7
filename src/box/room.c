/* SPDX-License-Identifier: Apache-2.0 */
/* A full disk, told so that somebody can do something about it. */
#include "box/room.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/error.h"

int box_hint_room(const char *state, int r, struct aisbx_error *e)
{
	struct statvfs fs = { 0 };

	if ((r != -ENOSPC && r != -EDQUOT) || !state || statvfs(state, &fs) < 0)
		return r;
	if (fs.f_files && !fs.f_favail)
		aisbx_hint(e, "the file system of '%s' can have no more files", state);
	else
		aisbx_hint(e, "the file system of '%s' has %llu MiB left", state,
			   (unsigned long long)fs.f_bavail * fs.f_frsize >> 20);
	if (strstr(e->text, "aisbx gc")) /* the store has said it */
		return r;
	aisbx_hint(e, "'aisbx du' shows what takes room, 'aisbx gc', 'aisbx image rm' and 'aisbx rm' make "
		      "some; then repeat the command");
	return r;
}
