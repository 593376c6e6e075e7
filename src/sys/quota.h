/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw calls of project quotas (ext4, xfs). Apart from sys/sys.h, whose mount header does not go with the
 * kernel's. Each returns its result or a negative errno.
 */
#ifndef SYS_QUOTA_H
#define SYS_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct sys_quota {
	uint64_t bytes, inodes;         /* used */
	uint64_t bytes_max, inodes_max; /* hard; 0: none */
};

/* Whether what is made in the directory FD belongs to its project, too. */
int sys_project_get(int fd, uint32_t *ret_id, bool *ret_inherit);
/* New things in FD will have the project; those that are there keep theirs. */
int sys_project_set(int fd, uint32_t id);

/* Of the file system FD lies on: whether limits of projects are enforced there. */
int sys_quota_enforced(int fd, bool *ret);
int sys_quota_get(int fd, uint32_t project, struct sys_quota *ret);
int sys_quota_limit(int fd, uint32_t project, uint64_t bytes_max, uint64_t inodes_max);

#endif
