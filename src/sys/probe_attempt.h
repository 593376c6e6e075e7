/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt per ability, each made in a child with the namespaces it needs; inside sys/ only. */
#ifndef SYS_PROBE_ATTEMPT_H
#define SYS_PROBE_ATTEMPT_H

#include "sys/probe.h"

/* ERR is a positive errno, whose text is added to the detail, or 0. */
void probe_attempt_say(struct probe_item *item, enum probe_status status, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Each fills ITEM and may leave its process in any state. */
void probe_attempt_userns(struct probe_item *item);
void probe_attempt_mount(struct probe_item *item);
void probe_attempt_pid(struct probe_item *item);
void probe_attempt_net(struct probe_item *item);
void probe_attempt_ipc(struct probe_item *item);
void probe_attempt_uts(struct probe_item *item);
void probe_attempt_cgroup(struct probe_item *item);
void probe_attempt_tmpfs(struct probe_item *item);
void probe_attempt_overlay(struct probe_item *item);
void probe_attempt_procfs(struct probe_item *item);
void probe_attempt_root(struct probe_item *item);
void probe_attempt_landlock(struct probe_item *item);
void probe_attempt_caps(struct probe_item *item);
void probe_attempt_nnp(struct probe_item *item);
void probe_attempt_fds(struct probe_item *item);
void probe_attempt_seccomp(struct probe_item *item);
void probe_attempt_idmap(struct probe_item *item);

#endif
