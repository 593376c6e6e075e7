/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run, from the door to the jail: each room on the way down fills in what it knows and passes the same
 * struct on by pointer. All zero is a run that keeps nothing, shows nothing and that nobody watches.
 */
#ifndef RUN_SPEC_H
#define RUN_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/str.h"
#include "jail/plan.h"
#include "policy/profile.h"
#include "run/listener.h"
#include "secret/secrets.h"

/* Where a box with net:agent:ssh finds the person's agent. */
#define RUN_AGENT_SOCKET "/run/aisbx/ssh-agent"

/* An id with its NUL; as many bytes as the store has for it. */
#define RUN_ID_MAX 24
/* A name of a box or run with its NUL; likewise. */
#define RUN_NAME_MAX 65
/* By which a command knows its box. */
#define RUN_BOX_VARIABLE "AISBX_BOX"

struct box_profile;
struct run_disk;
struct ready_box;
struct run_service;
struct runlog;

/*
 * A run that is no person's command but a short act of aisbx's own program has neither secrets, services nor
 * entrypoint, and nobody joins it. One that only looks leaves the box as it is, and may enter one that is
 * full.
 */
enum run_purpose { RUN_COMMAND, RUN_LOOKS, RUN_CHANGES };

/* Snapshots of the box of a recorded run: where it started, and what it made of that. "": there is none. */
struct run_points {
	char before[RUN_ID_MAX], after[RUN_ID_MAX];
	bool joined; /* others ran in the box meanwhile, so this is not known */
};

/* A host path shown in the box. */
struct run_mount {
	const char *host;  /* borrowed; clean */
	const char *guest; /* borrowed; clean */
	bool writable;     /* the host's own file, not a clone: changes are real */
	uint64_t device;   /* 0; or the number of the character device that it is */
};

/* A file that is made in the box before the command starts, and exists nowhere else. */
struct run_file {
	const char *guest; /* borrowed; clean */
	uint32_t mode;
	const void *data; /* borrowed */
	size_t len;
};

/* Supplementary groups of a user of an image, at most. */
#define RUN_MAX_GROUPS JAIL_PLAN_MAX_GROUPS

/* The image that a box stands on, in the place of this machine. */
#define RUN_GIT_FILE "/run/aisbx/gitconfig"

struct run_image {
	char id[RUN_ID_MAX];
	char *ground; /* owned; directory of the host below its layers: places to mount on, and nothing else
		       */
	char *cwd;    /* owned; where commands start: made if it is missing; "/": nowhere special */
	char *git;    /* owned; NULL, or who the person is to git, as a configuration: in RUN_GIT_FILE */
	/* owned; where its links at "/run" and "/tmp" lead; NULL: these are directories, or are refused */
	char *run, *tmp;
	bool preset; /* its policy chose the seccomp preset: no option brings another */
	bool user;   /* commands run as these, not as the box's root */
	uint32_t uid, gid, groups[RUN_MAX_GROUPS], n_groups;
	/* the first subordinate ids, which its files belong to; 0: they are for one id, or root's */
	uint32_t sub_uid, sub_gid;
};

/* Which box. */
struct run_box {
	const char *driver;  /* borrowed; NULL: the profile's */
	const char *key;     /* borrowed; name or id; NULL: a box that is removed after the run */
	char id[RUN_ID_MAX]; /* "" without one */
	/* what its commands read in RUN_BOX_VARIABLE; one that is removed after the run is called as that */
	char name[RUN_NAME_MAX];
	enum run_purpose purpose;
	bool exec;                 /* in the live box that exec_fd is connected to */
	int exec_fd;               /* borrowed */
	struct run_points *record; /* borrowed; NULL: not recorded. Filled by the run */
	/* borrowed; where drivers may keep what they found out about this machine; NULL: nowhere */
	const char *state_dir;
	/* borrowed; NULL, or a box that this process made ahead, or is to make; only for drivers that can */
	struct ready_box *ready;
};

/* What runs, and what runs beside it. */
struct run_command {
	struct strlist argv;    /* owned */
	const char *const *env; /* borrowed; the caller's variables, filtered by the profile; NULL: none */
	struct strlist set_env; /* owned; "NAME=VALUE", set whatever the profile says */
	const char *cwd;        /* borrowed; clean */
	/* the interpreter of a context: it waits for programs, nobody waits for it */
	bool interpreter;
	bool no_services; /* ignore the project's services */
	/* borrowed; file on the host; NULL: the project's own, as the box sees it */
	const char *services_file;
	/* borrowed; NULL: none. A command that joins a live box starts none */
	const struct service_specs *services;
};

/* Where input and output go, and who else reaches the run. */
struct run_io {
	bool tty;            /* a terminal of the box's own; stdin_fd is the person's */
	uint16_t rows, cols; /* its size where no person has one; 0: 24 by 80 */
	bool uncut;     /* with it: the output limit is only for what is kept, not for what a person reads */
	int stdin_fd;   /* borrowed; -1: the command's input is empty */
	int out_fds[2]; /* borrowed; where stdout and stderr go, or -1 to keep them in the outcome */
	/* stdin_fd and out_fds[0] are the command's own: they are not relayed, and nothing is redacted */
	bool direct;
	bool watcher;       /* joining: it does not keep the box live */
	bool keep_input;    /* without stdin_fd: the command's input stays open, for run_ask_input */
	bool live;          /* others may join the box: live_fd listens for them */
	int live_fd;        /* borrowed */
	bool shown;         /* others than the caller see the run */
	int listener;       /* borrowed; then: where who asks about it connects; -1: nobody can */
	const char *about;  /* borrowed; then: what the run is, told to who asks */
	struct runlog *log; /* borrowed; NULL, or where the output goes, in addition to out_fds */
	int log_dir;        /* borrowed; with log: where those of services go */
	stream_listener *output_listener; /* NULL, or gets all output, also beyond its limit */
	void *output_listener_ctx;        /* borrowed */
};

/* What the profile limits is asked; this is what comes of it. */
struct run_limits {
	uint64_t held[LIMIT_COUNT]; /* as the driver settled them; 0: none */
	const struct run_disk
		*disk; /* borrowed; with layers: what counts them. NULL: the box keeps nothing */
};

/* What the box shows of the host, and which walls it does without. */
struct run_walls {
	uint32_t without;               /* WALL_BIT() of walls that a person disabled */
	bool any;                       /* join: accept the walls of the box, whatever they are */
	const char *project;            /* borrowed; clean: cloned as writable. NULL: none */
	const char *project_copy;       /* borrowed; clean: cloned in its place. NULL: itself */
	const struct run_mount *mounts; /* borrowed, or own_mounts */
	size_t n_mounts;
	struct run_mount *own_mounts; /* owned */
	struct strlist hides;         /* owned; clean paths */
	const char *fresh;            /* borrowed; clean: an empty directory of the box's own. NULL: none */
	const struct run_file *files; /* borrowed */
	size_t n_files;
	/* owned; NULL: the system is this machine's. Then the layers hook has the root of the box at "/" */
	struct run_image *image;
};

/* What the box has in the place of the home directory is stored as a clone at this path, of nothing; what it
 * changes in a cache of that home as one at this path, "/" and the path below the home. */
#define RUN_HOME "~"

/*
 * Where the changes to a writable clone of HOST at GUEST are stored. HOST NULL: a clone of nothing. Appends
 * paths as jail/plan.h describes for a clone's layers; appends nothing if the changes are discarded after the
 * run.
 */
typedef int run_layers_fn(void *ctx, const char *guest, const char *host, struct buf *ret_paths,
			  struct aisbx_error *e);

/* Who is called while it goes on; each may be NULL. */
struct run_hooks {
	run_layers_fn *layers;       /* NULL: all changes are discarded after the run */
	const char *layers_dir;      /* borrowed; directory that the paths of layers are relative to */
	void (*starting)(void *ctx); /* when the walls are up, before the command may start */
	/* When there is a pid 1, before it hears of anything it could mount; an error ends the run. */
	int (*born)(void *ctx, int32_t pid, struct aisbx_error *e);
	void *box_ctx;                               /* borrowed; of those above */
	void (*leave)(void *ctx, int tmp_fd);        /* when everybody in the box is gone, with its /tmp */
	void *leave_ctx;                             /* borrowed */
	int (*up)(void *ctx, struct aisbx_error *e); /* when the walls are up; an error ends the run */
	void *up_ctx;                                /* borrowed */
	void (*started)(void *ctx); /* when the command's program runs; not for one that cannot be executed */
	void *started_ctx;          /* borrowed */
};

/* A secret that the box never has: it is put into requests to one host on their way out, by aisbx-tls. */
struct run_injected {
	char *name;        /* owned; of the secret */
	char *host;        /* owned; a name, or "*.name" */
	uint16_t port;     /* 0: every */
	char *how;         /* owned; "header", "basic" or "aws-sigv4"; see net/tls_control.h */
	char *header;      /* owned; "Authorization: Bearer {}"; "" of the others */
	char *placeholder; /* owned; what the box has in its place */
	char *value;       /* owned */
	bool as_file;      /* the placeholder is a file in JAIL_PLAN_SECRETS, too */
};

/* What it may reach; see policy/egress.h. The mode is in the profile. */
struct run_net {
	struct strlist rules;          /* owned; in their one true form; none without a mode that has rules */
	struct strlist publish;        /* owned; "HOSTPORT:PORT": ports of the box on the host's loopback */
	bool ask;                      /* a person is asked about what no rule has */
	bool no_rules, no_ports;       /* none is added while it runs: the image's policy leaves none */
	struct run_injected *injected; /* owned */
	size_t n_injected;
};

/* An OCI runtime that builds the inner walls of a box. */
struct run_runtime {
	int fd;            /* borrowed; the program */
	const char *words; /* borrowed; its arguments, NUL-terminated, one after the other */
	size_t words_len;
	bool guest;          /* it brings a kernel of its own: the command runs in that */
	unsigned int others; /* processes and threads of its own that stay while the command runs */
};

/* A WebAssembly program: the command is aisbx's own, which runs it. */
struct run_wasm {
	const char *program,
		*engine;      /* borrowed; aisbx-wasm and its library; NULL: the box's system has that */
	const char *code;     /* borrowed; a compiled program; NULL: a module that the box has */
	const char *compiled; /* borrowed; directory of modules that were compiled before; NULL: none */
};

/* What a driver with a jail makes of all this for the supervisor; empty before and after. */
struct run_jail {
	int fd;                            /* borrowed; the aisbx-jail program */
	const struct run_runtime *runtime; /* borrowed; NULL: the jail builds all walls */
	const struct run_wasm *wasm;       /* borrowed; NULL: the command is a program of the box */
	/* borrowed; the options that affect walls, NUL-terminated, one after the other; NULL: nobody joins */
	const char *walls;
	size_t walls_len;
	const char *roots; /* borrowed; certificates that programs of the box trust, PEM; NULL: as the host */
	size_t roots_len;
	const char *java_roots; /* borrowed; the same as a key store of Java */
	size_t java_roots_len;
	const char *agent; /* borrowed; socket on the host that the box has as RUN_AGENT_SOCKET; NULL: none */
	const struct run_service *services; /* borrowed; until the end of the run */
	size_t n_services;
	/* borrowed; instructions of the profile's seccomp file */
	const struct sock_filter *filter;
	size_t n_filter;
	bool services_save; /* their output outlives the box: they are asked to end, and waited for */
	/* NULL, or: this call is not refused; we only hear of it. */
	bool (*told)(unsigned int preset, int call);
	/* NULL, or: this one is made where it names a thread of its caller's own process. */
	bool (*own)(unsigned int preset, int call);
};

struct run_spec {
	char run_id[RUN_ID_MAX];
	char run_name[RUN_NAME_MAX]; /* by which people know it; "": only by its id */
	struct profile profile;      /* with the caller's changes already in it */
	struct box_profile *origin;  /* owned by who filled it; the files that the profile was made of */
	struct strlist kept;         /* owned; paths that others here borrow */
	struct run_box box;
	struct run_command command;
	struct run_io io;
	struct run_limits limits;
	struct run_walls walls;
	struct run_net net;
	struct run_hooks hooks;
	struct run_secrets secrets;
	struct run_jail jail;
};

/* What commands call their box. */
static inline const char *run_box_name(const struct run_spec *spec)
{
	return spec->box.name[0] ? spec->box.name : spec->run_id[0] ? spec->run_id : "box";
}

#endif
