/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel allows this user: each ability is really tried, in a child that is discarded. */
#ifndef SYS_PROBE_H
#define SYS_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The walls under their names of jail/plan.h, then what is needed to build them. */
#define PROBES(X)               \
	X(USERNS, "userns")     \
	X(MOUNT, "mount")       \
	X(PID, "pid")           \
	X(NET, "net")           \
	X(IPC, "ipc")           \
	X(UTS, "uts")           \
	X(CGROUP, "cgroup")     \
	X(ROOT, "root")         \
	X(LANDLOCK, "landlock") \
	X(CAPS, "caps")         \
	X(NNP, "no-new-privs")  \
	X(FDS, "descriptors")   \
	X(SECCOMP, "seccomp")   \
	X(TMPFS, "tmpfs-xattr") \
	X(OVERLAY, "overlay")   \
	X(PROCFS, "procfs")     \
	X(IDMAP, "idmap")

enum probe_id {
#define X(id, name) PROBE_##id,
	PROBES(X)
#undef X
		PROBE_COUNT
};
#define PROBE_BIT(id) (1u << PROBE_##id)

enum probe_status {
	PROBE_MISSING, /* first: without a report it counts as missing */
	PROBE_LIMITED, /* works, but a newer kernel can do more */
	PROBE_OK,
	PROBE_UNUSED, /* this user's boxes do not need it */
};

struct probe_item {
	enum probe_status status;
	int err;          /* positive errno of the failure; 0 if there was none or it was not the kernel */
	int needs;        /* enum probe_id that is missing, so that this was not tried; -1: tried */
	char detail[240]; /* what was tried, with what result */
};

/* Read, not tried. Text is "" and numbers are -1 if not available. */
struct probe_facts {
	char kernel[65], arch[65];
	uid_t uid; /* effective */
	char user[64];
	bool first_userns; /* not inside another user namespace */
	bool real_root;    /* may map any id and shift any mount */
	char container[16];
	long max_userns;      /* user.max_user_namespaces */
	long apparmor_userns; /* Ubuntu: kernel.apparmor_restrict_unprivileged_userns */
	long userns_clone;    /* Debian: kernel.unprivileged_userns_clone */
	char cgroup[8];       /* v2, v1, hybrid or none */
	char delegated[160];  /* controllers this user may use, with commas between */
	char subuid[160];     /* START:COUNT, with commas between */
};

struct probe {
	struct probe_facts facts;
	struct probe_item items[PROBE_COUNT];
};

const char *probe_name(enum probe_id id);

/* Takes about 20 short-lived processes. Cannot fail: what cannot be tried is missing, with the reason. */
void probe_read(struct probe *ret);

/* sys/probe_userns.c: the errno of making one user namespace, as every box needs it; 0: it works. One child.
 */
int probe_userns(void);

/* sys/probe_facts.c */
void probe_facts_read(struct probe_facts *ret);

#endif
