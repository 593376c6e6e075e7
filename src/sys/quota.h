/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw calls of project quotas (ext4, xfs). Separate from sys/sys.h, whose mount header conflicts with the
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

/* Whether new files in the directory FD belong to its project, too. */
int sys_project_get(int fd, uint32_t *ret_id, bool *ret_inherit);
/* New files in FD will have the project; existing ones keep theirs. */
int sys_project_set(int fd, uint32_t id);

/* For the file system of FD: whether limits of projects are enforced. */
int sys_quota_enforced(int fd, bool *ret);
int sys_quota_get(int fd, uint32_t project, struct sys_quota *ret);
int sys_quota_limit(int fd, uint32_t project, uint64_t bytes_max, uint64_t inodes_max);

#endif
