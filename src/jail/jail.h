/* SPDX-License-Identifier: Apache-2.0 */
/* State and steps of aisbx-jail. A step builds one wall, or fails with an error that says which and why. */
#ifndef JAIL_JAIL_H
#define JAIL_JAIL_H

#include <stdint.h>
#include <sys/types.h>

#include "jail/plan.h"

/* Control groups of v1, one for each controller. */
#define JAIL_MAX_DOORS 4

struct jail {
	struct jail_plan_order order;
	const struct jail_plan *plan; /* borrowed; NULL until it has arrived */
	int control;                  /* to the supervisor */
	int plan_fd;
	int sync;    /* between the outer process and pid 1 */
	int staging; /* root of the private file system that holds upper layers and scratch */
	int root;    /* root of the box while it is being built */
	int layers;  /* directory of the layers that stay, or -1 */
	int empty;   /* an empty directory: second lower layer of a read-only clone, mask of directories */
	int notify;  /* passed to the supervisor */
	int tty_master, tty_slave;
	int runtime;               /* the OCI runtime, or -1 */
	pid_t guest, sandbox;      /* guest.c: the runtime, and its process that runs the command; or 0 */
	int go;                    /* then: what lets it start, or -1 */
	int again;                 /* the jail's own program for that, or -1 */
	int outer_user;            /* user namespace around the container, for who needs its network; or -1 */
	int group;                 /* control group in which pid 1 is started, or -1 */
	int doors[JAIL_MAX_DOORS]; /* of further ones, to which a "0" is written; -1 if there is none */
	int decoys[JAIL_PLAN_MAX_WATCHED]; /* passed to the supervisor */
	unsigned int n_decoys;
	unsigned int made;              /* number of names used on the staging tmpfs */
	uint64_t outside[WALL_COUNT];   /* inode of each namespace outside */
	uint64_t outside_root;          /* device of the host's root */
	uint32_t measured;              /* walls that were verified, as bits */
	bool nested;                    /* pid 1 of a container that a runtime made */
	uint64_t spent_us;              /* then: processor time of the runtime, and of who started it */
	bool shared;                    /* a file or directory of the host itself can be changed in the box */
	bool unreachable;               /* there is no route to a foreign address */
	uint64_t caps;                  /* effective set, as verified */
	uint64_t own_bytes, own_inodes; /* of the private file system: what the box is made of */
};

struct jail_step {
	const char *name;
	int (*run)(struct jail *j, struct aisbx_error *e);
};

/* order.c: the first two messages, which start everything. */
int jail_receive_order(struct jail *j, struct aisbx_error *e);
int jail_receive_plan(struct jail *j, struct aisbx_error *e);
/* From plan_fd; it must agree with the order. */
int jail_load_plan(struct jail *j, struct aisbx_error *e);
int jail_pass_plan(struct jail *j, struct aisbx_error *e);

/* ns.c */
int jail_remember_namespaces(struct jail *j, struct aisbx_error *e);
int jail_write_maps(const struct jail *j, int proc_fd, struct aisbx_error *e);
int jail_map_groups(struct jail *j, pid_t pid, struct aisbx_error *e);
/* Of JAIL_PLAN_SUB, from outside: gives pid 1 its ids and wakes it. */
int jail_map_subordinates(struct jail *j, pid_t pid, struct aisbx_error *e);
int jail_enter_groups(struct jail *j, struct aisbx_error *e);
int jail_enter_ids(struct jail *j, struct aisbx_error *e);
int jail_host_name(struct jail *j, struct aisbx_error *e);
int jail_network(struct jail *j, struct aisbx_error *e);
/* When the /proc below ROOT is the box's own and still writable. */
int jail_bound_watches(const struct jail *j, int root, struct aisbx_error *e);
uint64_t jail_namespace_flags(uint32_t walls);

/* shifted_mounts.c: mounts of the host with shifted ids, made by real root outside, received inside. */
int jail_send_trees(const struct jail *j, int userns_fd, struct aisbx_error *e);
int jail_receive_tree(const struct jail *j, struct aisbx_error *e);

/* device_nodes.c: made by real root outside, mounted inside. */
int jail_make_nodes(struct aisbx_error *e);
/* The same for one device of the plan. */
int jail_make_device(const struct jail *j, const struct jail_plan_op *op, struct aisbx_error *e);
int jail_show_device(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e);
int jail_show_nodes(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e);

/* staging.c, mounts.c */
int jail_make_staging(struct jail *j, struct aisbx_error *e);
int jail_mounts(struct jail *j, struct aisbx_error *e);
/* Mounts it at PATH of the box, making the mount point. */
int jail_attach(const struct jail *j, int mount_fd, const char *path, bool is_dir);
/* One that the outer process made, attached to the staging tmpfs; -ENOENT: it made none. */
int jail_take_tree(struct jail *j, struct aisbx_error *e);
int jail_bound_staging(struct jail *j, struct aisbx_error *e);
/* What is in use of the file system that FS is about. */
struct statfs;
void jail_staging_use(uint64_t *ret_bytes, uint64_t *ret_inodes, const struct statfs *fs);
int jail_pivot(struct jail *j, struct aisbx_error *e);
int jail_staging_name(struct jail *j, char kind, char *ret_name, size_t cap);

/* runtime.c: outside, before there are namespaces. */
int jail_copy_itself(struct jail *j, struct aisbx_error *e);
/* What messages call it. */
const char *jail_runtime_name(const struct jail *j);
/* Its bundle, its program and its /proc; then it can be started. */
int jail_prepare_runtime(struct jail *j, struct aisbx_error *e);
/* In a child of its own, whose descriptors are in place. */
_Noreturn void jail_exec_runtime(const struct jail *j);
/* Instead of the steps after the mounts; ends with the container. */
int jail_run_runtime(struct jail *j, struct aisbx_error *e);
/* Pid 1 of the container of an ordinary user takes the id back that the user has. */
int jail_container_ids(struct jail *j, struct aisbx_error *e);
/* Pid 1 of the container is called what every pid 1 of a box is called, not by the number of a descriptor. */
void jail_take_name(char **argv);
/* The other end: what pid 1 of the container gets from there. */
int jail_receive_handover(struct jail *j, struct aisbx_error *e);

/* guest.c: a runtime with a kernel of its own is started up to where the command would start. */
int jail_start_guest(struct jail *j, struct aisbx_error *e);
int jail_measure_guest(struct jail *j, struct aisbx_error *e);
/* The command starts. 0, or a negative errno. */
int jail_release_guest(const struct jail *j);
/* What that runtime is stopped by. */
_Noreturn void jail_hook(void);

/* setid.c */
int jail_hold_set_ids(bool filtered);

/* process_walls.c */
int jail_terminal(struct jail *j, struct aisbx_error *e);
int jail_decoys(struct jail *j, struct aisbx_error *e);
int jail_limits(struct jail *j, struct aisbx_error *e);
int jail_landlock(struct jail *j, struct aisbx_error *e);
int jail_caps(struct jail *j, struct aisbx_error *e);
int jail_no_new_privs(struct jail *j, struct aisbx_error *e);
int jail_descriptors(struct jail *j, struct aisbx_error *e);
int jail_seccomp(struct jail *j, struct aisbx_error *e);
/*
 * The second filter, if the plan has one, for a process that becomes a command: it says what commands may do,
 * and pid 1 would not work behind just any. It only adds to the first: the strictest answer counts. 0, or a
 * negative errno.
 */
int jail_seccomp_command(const struct jail *j);

/* measure.c */
int jail_reach(struct jail *j, struct aisbx_error *e);
int jail_measure(struct jail *j, struct aisbx_error *e);
/* Refuses if a wall that is wanted was not verified. */
int jail_require_walls(struct jail *j, struct aisbx_error *e);

/* init.c: pid 1 after the walls are built; never returns. */
_Noreturn void jail_init(struct jail *j);

/* order.c: the plan of a command that joins. It may contain nothing about walls. */
int jail_receive_joined(struct jail *j, struct aisbx_error *e);

/* Reports to the supervisor and ends this process. */
_Noreturn void jail_die(const struct jail *j, const char *step, const struct aisbx_error *e);

#endif
