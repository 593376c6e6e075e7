/* SPDX-License-Identifier: Apache-2.0 */
/* Connects measuring and limiting the layer of a box with its run. */
#include "box/disk_use.h"

#include <errno.h>

#include "base/error.h"
#include "base/str.h"
#include "base/time.h"
#include "layer/quota.h"
#include "layer/usage.h"

/* As long as a box may be looked at before its command starts; one with more files is looked at
 * when it runs. */
#define LOOK_US 2000

static int count(const struct run_disk *disk, uint64_t until_us, bool own, const struct run_space *most,
		 struct run_space *ret)
{
	struct usage_how how = { .until_us = until_us, .own = own, .most = USAGE_ALL };
	struct usage found, held = { 0 };
	int r;

	if (most)
		how.most = (struct usage){ most->bytes, most->inodes };
	r = usage_count(disk->dir, &how, &found);
	if (r == 0 && disk->project)
		r = quota_used(disk->dir, disk->project, &held);
	if (r < 0)
		return r;
	if (disk->project) /* which knows all bytes, also without a name, but of names only that of each
			      file's first */
		found = (struct usage){ held.bytes, found.inodes > held.inodes ? found.inodes : held.inodes };
	*ret = (struct run_space){ found.bytes, found.inodes };
	return 0;
}

void box_disk_use_init(struct box_disk_use *k, int dir, const uint64_t *limits)
{
	*k = (struct box_disk_use){ .disk = { .dir = dir, .count = count }, .limits = limits };
}

int box_disk_use_check(const struct box_disk_use *k, const char *name, struct aisbx_error *e)
{
	const struct usage_how how = { .until_us = time_us() + LOOK_US, .most = USAGE_ALL };
	const uint64_t bytes = k->limits[LIMIT_DISK], inodes = k->limits[LIMIT_INODES];
	char has[32], may[32];
	struct usage kept;

	if (usage_count(k->disk.dir, &how, &kept) < 0)
		return 0;
	if (bytes && kept.bytes > bytes)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EDQUOT,
				    "box '%s' has written %s since its last snapshot, and its limit is %s; "
				    "raise it with --disk, discard the changes with 'aisbx rollback', or "
				    "remove the box with 'aisbx rm'",
				    name, str_size(kept.bytes, has, sizeof(has)),
				    str_size(bytes, may, sizeof(may)));
	if (inodes && kept.inodes > inodes)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EDQUOT,
				    "box '%s' has made %llu files since its last snapshot, and its limit is "
				    "%llu; raise it with --inodes, discard the changes with 'aisbx "
				    "rollback', or remove the box with 'aisbx rm'",
				    name, (unsigned long long)kept.inodes, (unsigned long long)inodes);
	return 0;
}

void box_disk_use_hold(struct box_disk_use *k)
{
	const uint64_t bytes = k->limits[LIMIT_DISK], inodes = k->limits[LIMIT_INODES];
	const struct usage most = { bytes ? bytes : UINT64_MAX, inodes ? inodes : UINT64_MAX };

	k->disk.project = quota_hold(k->disk.dir, &most);
}

void box_disk_use_release(const struct box_disk_use *k, struct driver_result *result)
{
	if (!k->disk.project)
		return;
	/* A frozen layer has no limit, nor has what is made of it by linking. */
	quota_release(k->disk.dir, k->disk.project);
	if (result)
		result->held_by[LIMIT_DISK] = result->held_by[LIMIT_INODES] = "project quota";
}
