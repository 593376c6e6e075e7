/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: everything aisbx-jail is told, as one flat block of bytes in a sealed memfd.
 * Offsets instead of pointers, no parsing of text, checked again by the jail before use.
 */
#ifndef JAIL_PLAN_H
#define JAIL_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

struct sock_filter;

#define JAIL_PLAN_MAGIC   0x0a6e616c70786269ULL /* "ibxplan\n" */
#define JAIL_PLAN_VERSION 4u

/* Limits on what the jail accepts; far above what is needed, low enough to bound its work. */
#define JAIL_PLAN_MAX_SIZE    (8u << 20)
#define JAIL_PLAN_MAX_OPS     4096u
#define JAIL_PLAN_MAX_RULES   256u
#define JAIL_PLAN_MAX_STRINGS 65536u /* arguments or variables */
#define JAIL_PLAN_MAX_FILTER  4096u  /* of each filter: the kernel's own limit, BPF_MAXINSNS */
#define JAIL_PLAN_MAX_WATCHED 16u
#define JAIL_PLAN_RLIMITS     16
#define JAIL_PLAN_MAX_GROUPS  32u

/* Every wall, in the order in which people see them. NAME is used by `--without` and in results. */
#define WALLS(X)                                                                              \
	X(USERNS, "userns", "own user namespace: root inside is nobody outside")              \
	X(MOUNT, "mount", "own mount namespace")                                              \
	X(PID, "pid", "own process ids: the box sees and signals only its own processes")     \
	X(NET, "net", "own network namespace without a route")                                \
	X(IPC, "ipc", "own System V and POSIX message queues, semaphores, shared memory")     \
	X(UTS, "uts", "own host name")                                                        \
	X(CGROUP, "cgroup", "own view of the cgroup tree")                                    \
	X(ROOT, "root", "the real root file system is unmounted, only the clone remains")     \
	X(LANDLOCK, "landlock", "file access checked a second time, independently of mounts") \
	X(CAPS, "caps", "no capability beyond the profile's")                                 \
	X(NNP, "no-new-privs", "setuid programs and file capabilities have no effect")        \
	X(FDS, "descriptors", "no descriptor but 0, 1 and 2 reaches the command")             \
	X(SECCOMP, "seccomp", "only the system calls of the allowlist")

enum wall {
#define X(id, name, what) WALL_##id,
	WALLS(X)
#undef X
		WALL_COUNT
};
#define WALL_BIT(id) (1u << WALL_##id)
#define WALL_ALL     ((1u << WALL_COUNT) - 1)
/* A box cannot be built without these; no option disables them. (The driver 'chroot' has no USERNS.) */
#define WALL_ALWAYS (WALL_BIT(USERNS) | WALL_BIT(MOUNT) | WALL_BIT(PID) | WALL_BIT(ROOT))

const char *wall_name(enum wall w);
const char *wall_what(enum wall w);
/* WALL_COUNT when there is none of that name. */
enum wall wall_by_name(const char *name);

/*
 * Every limit, in the order in which people see them: its name in results, the option that sets it, and
 * whether it is a limit of the whole box, on which commands that share a box have to agree. 0: no such limit.
 */
#define LIMITS(X)                                                                              \
	X(WALL_TIME, "wall_time", "timeout", false, "milliseconds from start to end")          \
	X(CPU_TIME, "cpu_time", "cpu-time", true, "milliseconds of all processors together")   \
	X(CPU, "cpu", "cpu", true, "thousandths of a processor at any time")                   \
	X(MEMORY, "memory", "mem", true, "bytes of memory, files in memory included")          \
	X(PROCESSES, "processes", "pids", true, "processes and threads at once")               \
	X(FILES, "files", "files", true, "open files of one process")                          \
	X(FILE_SIZE, "file_size", "file-size", true, "bytes of one file")                      \
	X(DISK, "disk", "disk", true, "bytes written that still exist")                        \
	X(INODES, "inodes", "inodes", true,                                                    \
	  "files, directories and links made that still exist; each hard link counts")         \
	X(OUTPUT, "output", "output", false, "bytes of each output stream that are passed on") \
	X(LIFETIME, "lifetime", "ttl", false, "remaining lifetime of the box in milliseconds") \
	X(FUEL, "fuel", "fuel", false, "instructions of WebAssembly")

enum limit {
#define X(id, name, option, of_box, what) LIMIT_##id,
	LIMITS(X)
#undef X
		LIMIT_COUNT
};

const char *limit_name(enum limit l);
const char *limit_option(enum limit l);
bool limit_of_box(enum limit l);
/* The earlier of the two limits on time; its value is 0 if there is neither. */
enum limit limit_of_time(const uint64_t *values);

enum jail_plan_flag {
	JAIL_PLAN_TTY = 1 << 0,      /* the command gets a terminal of the box */
	JAIL_PLAN_LOOPBACK = 1 << 1, /* bring lo up */
	JAIL_PLAN_SHIFT = 1 << 2,    /* ids 0.. map to an unprivileged range: the caller is real root */
	JAIL_PLAN_RUNTIME = 1 << 3,  /* an OCI runtime builds the inner walls, see below */
	JAIL_PLAN_SUB = 1 << 4,      /* id 0 is the caller, those above are the caller's subordinate ones */
	/* with it: that brings a kernel of its own, so nothing of ours runs inside, see guest.c */
	JAIL_PLAN_GUEST = 1 << 5,
	JAIL_PLAN_IMAGE = 1 << 6, /* with it: an ordinary user's only id is 0 in the container, too */
};

/*
 * What is needed before namespaces can be made. It is sent before the plan, which takes as long to prepare as
 * namespaces take to make; the plan repeats it and must agree.
 */
struct jail_plan_order {
	uint32_t flags;    /* enum jail_plan_flag */
	uint32_t walls;    /* walls to build; the jail fails if one of them cannot be built */
	uint32_t uid, gid; /* inside */
	uint32_t uid_host, gid_host, id_count;
	/* 0, or one more group, mapped to the same id inside; not with JAIL_PLAN_SHIFT or JAIL_PLAN_SUB */
	uint32_t group;
	uint32_t sub_uid, sub_gid; /* of JAIL_PLAN_SUB: what id 1 is outside; else 0 */
};

/* It has users besides its root. */
static inline bool jail_plan_many_ids(const struct jail_plan_order *o)
{
	return o->flags & (JAIL_PLAN_SHIFT | JAIL_PLAN_SUB);
}

/*
 * With JAIL_PLAN_RUNTIME the jail makes outer namespaces and the tree of the box, starts the runtime there,
 * and the runtime starts the jail again, as pid 1 of its container. These are paths for the runtime only: no
 * box has anything below /sys/kernel.
 */
#define JAIL_RUNTIME_AT     "/sys/kernel"
#define JAIL_RUNTIME_ROOT   JAIL_RUNTIME_AT "/root"
#define JAIL_RUNTIME_BUNDLE JAIL_RUNTIME_AT "/bundle"
#define JAIL_RUNTIME_STATE  JAIL_RUNTIME_AT "/state"
/* Descriptors that the runtime has to pass on, from 3 on; the second is the program of pid 1. */
#define JAIL_RUNTIME_FDS     8
#define JAIL_RUNTIME_FDS_ARG "8"
#define JAIL_RUNTIME_INIT    "/proc/self/fd/4"
/* What makes the jail the pid 1 of a container: its only argument. */
#define JAIL_RUNTIME_WORD "inside"
/* The program in the bundle that a runtime with JAIL_PLAN_GUEST calls, and its argument. */
#define JAIL_GUEST_HOOK "hook"
/* Where it says why it failed. */
#define JAIL_GUEST_LOG JAIL_RUNTIME_STATE "/log"

enum jail_plan_op_kind {
	JAIL_PLAN_DIR = 1, /* make dst */
	JAIL_PLAN_FILE,    /* write data to dst */
	JAIL_PLAN_LINK,    /* symlink dst -> src */
	JAIL_PLAN_CLONE,   /* overlay of host directory src at dst; data: its layers on disk, see below */
	JAIL_PLAN_BIND,    /* host file or directory src itself at dst */
	JAIL_PLAN_SCRATCH, /* fresh writable directory at dst */
	JAIL_PLAN_PROC,    /* procfs of the box */
	JAIL_PLAN_PTS,     /* pseudo terminals of the box */
	JAIL_PLAN_MASK,    /* hide dst, if it exists; data: of a file, what is there instead */
	JAIL_PLAN_LOCK,    /* make the mount at dst, and all below, read-only */
	JAIL_PLAN_NODES,   /* device nodes in dst */
	/* the character device src of the host at dst, both below /dev; data: a struct jail_plan_device */
	JAIL_PLAN_DEVICE,
	JAIL_PLAN_OP_KINDS
};

/* Which device it was when it was judged: another one in its place is refused. */
struct jail_plan_device {
	uint32_t major, minor;
};

/*
 * Data of a clone that outlives its run: NUL-terminated paths relative to the plan's directory of layers, one
 * after the other. First the one for changes, then overlayfs' work directory beside it, then frozen layers,
 * newest first.
 */
#define JAIL_PLAN_MAX_LAYERS 480u /* overlayfs takes 500 */

/*
 * Where a box finds its secrets: on its own tmpfs, in no layer. A command that joins may add files there, and
 * use no other operation.
 */
#define JAIL_PLAN_SECRETS "/run/secrets"

enum jail_plan_op_flag {
	JAIL_PLAN_WRITABLE =
		1 << 0, /* clone: with an upper layer; bind: the host's own file can change; mask: data can */
	JAIL_PLAN_IDMAP = 1 << 1,   /* mount with ids shifted; needs JAIL_PLAN_SHIFT */
	JAIL_PLAN_WATCH = 1 << 2,   /* file, mask: a decoy, whose reading is reported */
	JAIL_PLAN_REPLACE = 1 << 3, /* file: remove an existing one first */
	/*
	 * no error if src does not exist, or if the box has a file or link of its own on the way to dst; of a
	 * directory, a mask with data: neither if it cannot be made, or is not there
	 */
	JAIL_PLAN_OPTIONAL = 1 << 4,
	JAIL_PLAN_HERE = 1 << 5, /* clone: of what is at dst so far, with layers on disk; src is not used */
	JAIL_PLAN_TRY = 1 << 6,  /* clone: left out if it cannot be made, for whatever reason */
	JAIL_PLAN_OP_FLAGS = (1 << 7) - 1
};

/* What Landlock allows the box to do below a path. */
enum jail_plan_rule_kind {
	JAIL_PLAN_RULE_READ = 1, /* read and execute */
	JAIL_PLAN_RULE_WRITE,    /* everything */
	JAIL_PLAN_RULE_DEVICE,   /* read, write and ioctl what exists; make nothing */
	JAIL_PLAN_RULE_KINDS
};

struct jail_plan_op {
	uint16_t kind;
	uint16_t flags;
	uint32_t mode;
	uint32_t src; /* offset of a string */
	uint32_t dst;
	uint32_t data; /* offset into the strings; may hold any byte */
	uint32_t data_len;
};

struct jail_plan_rule {
	uint32_t kind;
	uint32_t path;
};

struct jail_plan_rlimit {
	uint32_t set;
	uint32_t pad;
	uint64_t soft;
	uint64_t hard;
};

/*
 * Who the command is, if it is not the box's root: a user of an image. Only with JAIL_PLAN_SHIFT or
 * JAIL_PLAN_SUB; pid 1 stays who it is.
 */
struct jail_plan_user {
	uint32_t set;
	uint32_t uid, gid;
	uint32_t n_groups, groups[JAIL_PLAN_MAX_GROUPS];
};

/* As it lies in the memfd; sections are aligned to 8 bytes. */
struct jail_plan_head {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* of the whole plan */
	struct jail_plan_order order;
	uint64_t keep_caps;
	uint64_t disk_bytes, disk_inodes;
	uint64_t timeout_ms; /* 0: none */
	/* so many of the last seccomp instructions are a second filter, around the command only; 0: none */
	uint64_t n_more;
	uint32_t n_ops, ops_at;
	uint32_t n_rules, rules_at;
	uint32_t n_args, args_at; /* array of string offsets */
	uint32_t n_env, env_at;
	uint32_t n_filter, filter_at; /* seccomp instructions, of both filters */
	uint32_t strings_len, strings_at;
	uint32_t hostname, cwd;
	uint32_t layers;     /* directory of all layers; "" if there are none */
	uint32_t processors; /* number of processors to bind to; 0: none */
	/* with JAIL_PLAN_RUNTIME: its arguments, NUL-terminated, one after the other, and its config.json */
	uint32_t runtime, runtime_len;
	uint32_t config, config_len;
	struct jail_plan_rlimit rlimits[JAIL_PLAN_RLIMITS];
	struct jail_plan_user user;
};

/* A decoded plan; every pointer borrows from the block it was decoded from. */
struct jail_plan {
	const struct jail_plan_head *head;
	const struct jail_plan_op *ops;
	const struct jail_plan_rule *rules;
	const uint32_t *args;
	const uint32_t *env;
	const struct sock_filter *filter;
	const char *strings;
};

static inline const char *jail_plan_string(const struct jail_plan *p, uint32_t at)
{
	return p->strings + at;
}

int jail_plan_check_order(const struct jail_plan_order *order, struct aisbx_error *e);
/* Checks everything; after success no offset of the plan leads outside of DATA. */
int jail_plan_decode(const void *data, size_t len, struct jail_plan *ret_plan, struct aisbx_error *e);

#endif
