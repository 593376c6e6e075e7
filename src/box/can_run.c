/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether runs can work at all, asked before a box is made: a box that no run can use would be found out
 * about only later. A run asks again; nothing depends on the answer here.
 */
#include "box/can_run.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/inside.h"
#include "driver/driver.h"
#include "sys/probe.h"

static int check_project(const char *project, struct aisbx_error *e)
{
	struct stat st;

	errno = 0;
	if (stat(project, &st) < 0 || !S_ISDIR(st.st_mode) || access(project, R_OK | X_OK) < 0) {
		aisbx_fail(e, AISBX_AREA_USAGE, errno ? errno : ENOTDIR, "project '%s'", project);
		return aisbx_hint(e, "--project names a directory of this machine that you can read");
	}
	return driver_check_project(project, e);
}

int box_can_run(const char *project, struct aisbx_error *e)
{
	char box[80];
	int r = project ? check_project(project, e) : 0, err = r < 0 ? 0 : probe_userns();

	if (!err)
		return r;
	if (inside_box(box))
		return inside_refuse(box, e);
	aisbx_fail(e, AISBX_AREA_JAIL, err, "no command could run in the box: make a user namespace");
	return aisbx_hint(e, "'aisbx doctor' shows what is missing and how to fix it");
}
