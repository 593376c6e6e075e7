/* SPDX-License-Identifier: Apache-2.0 */
/* A run in a box that is thrown away with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "box/box.h"

void box_request_finish(struct box_request *req)
{
	free(req->mounts);
	strlist_finish(&req->kept);
	strlist_finish(&req->hides);
	strlist_finish(&req->set_env);
	strlist_finish(&req->argv);
}

static int check_project(const char *project, struct aisbx_error *e)
{
	struct stat st;

	if (!project)
		return 0;
	if (stat(project, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "project '%s'", project);
	if (!S_ISDIR(st.st_mode))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOTDIR, "project '%s'", project);
	if (access(project, R_OK | X_OK) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "project '%s'", project);
	return 0;
}

int box_run(const struct box_request *req, struct driver_result *ret_result, struct aisbx_error *e)
{
	const struct driver *driver = driver_by_name(req->driver ? req->driver : "native");
	int r;

	if (!driver)
		return aisbx_refuse(e, AISBX_AREA_BOX, ENOENT, "there is no driver '%s'", req->driver);
	r = check_project(req->spec.project, e);
	return r < 0 ? r : driver->run(&req->spec, ret_result, e);
}
