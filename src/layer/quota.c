/* SPDX-License-Identifier: Apache-2.0 */
/* The project id of a layer, and its limit. Knows nothing of its contents. */
#include "layer/quota.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/log.h"
#include "base/scope.h"
#include "sys/quota.h"

/* Projects of ours: far above those that people number by hand. */
#define FIRST_PROJECT 0x40000000u
#define PROJECTS      0x3fffffffu
/* Numbers tried for a layer whose own is somebody else's. */
#define TRIES 16

/* Where limits hold, and where nobody has a project on what lies around us: things could not be linked or
 * moved to or fro. */
static bool can_hold(int layer)
{
	bool enforced, inherit;
	uint32_t around;

	return sys_quota_enforced(layer, &enforced) == 0 && enforced &&
	       sys_project_get(layer, &around, &inherit) == 0 && !around && !inherit;
}

static uint32_t project_of(int at, const char *tree, const char *part)
{
	char path[NAME_MAX + 8];
	bool inherit;
	uint32_t id;

	snprintf(path, sizeof(path), "%s/%s", tree, part);
	scoped(drop_fd) int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && sys_project_get(fd, &id, &inherit) == 0 && inherit ? id : 0;
}

/* The one project that all trees of the layer have; 0: none, or not all. RET_ANY: some tree's. */
static uint32_t project_of_all(int layer, uint32_t *ret_any)
{
	int copy = openat(layer, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *dir = dir_take(copy, &r);
	const struct dirent *tree;
	bool all = true;

	*ret_any = 0;
	if (!dir)
		return 0;
	while ((tree = dir_next(dir, &r))) {
		uint32_t up, work;

		if (tree->d_type != DT_DIR)
			continue;
		up = project_of(copy, tree->d_name, "up");
		work = project_of(copy, tree->d_name, "work");
		if (!*ret_any)
			*ret_any = up;
		all = all && up && up == work && up == *ret_any;
	}
	return all && r == 0 ? *ret_any : 0;
}

/* A number that nothing on the file system belongs to, and nobody has a limit for. */
static uint32_t new_project(int layer, const char *id)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	struct sys_quota q;

	for (const char *p = id; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3ULL;
	for (uint64_t i = 0; i < TRIES; i++) {
		uint32_t project = FIRST_PROJECT + (uint32_t)((hash + i) % PROJECTS);
		int r = sys_quota_get(layer, project, &q);

		if (r == -ENOENT || (r == 0 && !q.bytes && !q.inodes && !q.bytes_max && !q.inodes_max))
			return project;
	}
	return 0;
}

void quota_claim(int layer, const char *id, int dir)
{
	uint32_t project;

	if (!can_hold(layer))
		return;
	project_of_all(layer, &project);
	if (!project)
		project = new_project(layer, id);
	if (project && sys_project_set(dir, project) < 0)
		log_debug("layer '%s' cannot have project id %u", id, project);
}

uint32_t quota_hold(int layer, const struct usage *most)
{
	uint32_t any, project = can_hold(layer) ? project_of_all(layer, &any) : 0;

	if (project < FIRST_PROJECT)
		return 0;
	return sys_quota_limit(layer, project, most->bytes == UINT64_MAX ? 0 : most->bytes,
			       most->inodes == UINT64_MAX ? 0 : most->inodes) < 0
		       ? 0
		       : project;
}

void quota_release(int layer, uint32_t project)
{
	if (project && sys_quota_limit(layer, project, 0, 0) < 0)
		log_debug("the limit of project id %u cannot be removed", project);
}

int quota_used(int layer, uint32_t project, struct usage *ret)
{
	struct sys_quota q;
	int r = sys_quota_get(layer, project, &q);

	if (r == 0)
		*ret = (struct usage){ q.bytes, q.inodes };
	return r;
}
