/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: what a box may do, as data. Pure; no system calls. */
#ifndef POLICY_PROFILE_H
#define POLICY_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

enum net_mode {
	NET_NONE,     /* a network namespace with nothing in it */
	NET_LOOPBACK, /* the same with its own loopback up */
};

enum env_mode {
	ENV_ALL_BUT_SECRETS, /* the person's variables, without those that look like credentials */
	ENV_MINIMAL,	     /* only what programs need to find their way */
};

struct profile {
	const char *name;
	const char *about;
	bool system_writable; /* where the caller is root: the system is a writable clone, not read-only */
	uint64_t root_caps;   /* kept when root runs it; valid in the box's own user namespace only */
	enum net_mode net;
	enum env_mode env;
	uint64_t timeout_ms; /* 0: none */
	uint64_t disk_bytes;
	uint64_t disk_inodes;
	uint64_t pids;
	uint64_t files; /* open at once, per process */
	uint64_t output_bytes;
};

extern const struct profile profiles[];
extern const unsigned int n_profiles;

/* NULL when there is none of that name. */
const struct profile *profile_by_name(const char *name);

const char *net_mode_name(enum net_mode mode);
/* False when there is none of that name. */
bool net_mode_by_name(const char *name, enum net_mode *ret_mode);

/* Name of a capability without "cap_", or NULL past the last one known. */
const char *cap_name(unsigned int cap);

#endif
