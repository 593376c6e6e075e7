/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt per ability, each made in a child with the namespaces it needs; inside sys/ only. */
#ifndef SYS_ATTEMPT_H
#define SYS_ATTEMPT_H

#include "sys/probe.h"

/* ERR is a positive errno, whose text is added to the detail, or 0. */
void attempt_say(struct probe_item *item, enum probe_status status, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Each fills ITEM and may leave its process in any state. */
void attempt_userns(struct probe_item *item);
void attempt_mount(struct probe_item *item);
void attempt_pid(struct probe_item *item);
void attempt_net(struct probe_item *item);
void attempt_ipc(struct probe_item *item);
void attempt_uts(struct probe_item *item);
void attempt_cgroup(struct probe_item *item);
void attempt_tmpfs(struct probe_item *item);
void attempt_overlay(struct probe_item *item);
void attempt_procfs(struct probe_item *item);
void attempt_root(struct probe_item *item);
void attempt_landlock(struct probe_item *item);
void attempt_caps(struct probe_item *item);
void attempt_nnp(struct probe_item *item);
void attempt_fds(struct probe_item *item);
void attempt_seccomp(struct probe_item *item);
void attempt_idmap(struct probe_item *item);

#endif
