/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: what a box may do, as data. A file is a list of settings; a profile is the combination of a chain
 * of files, the nearest last. Pure; no system calls. Finding and reading files is box/profiles.c.
 */
#ifndef POLICY_PROFILE_H
#define POLICY_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "jail/plan.h"
#include "policy/service.h"

enum net_mode {
	NET_NONE,     /* a network namespace with nothing in it */
	NET_LOOPBACK, /* the same with its own loopback up */
	/* the same, and what rules name can be reached (policy/egress.h) */
	NET_ALLOW,
	NET_ALLOW_ASK, /* the same, and a person is asked about what no rule names */
};

enum env_mode {
	ENV_MINIMAL,         /* only the basic variables that programs need */
	ENV_ALL_BUT_SECRETS, /* the person's variables, without those that look like credentials */
};

/* What can build the walls, the default first: each has a file in driver/ and a row in its table. */
#define DRIVERS(X) X(native) X(oci) X(chroot) X(wasm)

extern const char *const driver_names[];         /* ends with NULL */
extern const char *const secret_files_choices[]; /* ends with NULL */

/* What a driver needs of a profile. */
struct profile {
	const char *name;     /* borrowed; a name, or the path of its file */
	const char *driver;   /* borrowed; of driver_names; NULL: the first */
	bool system_writable; /* for root: the system is a writable clone, not read-only */
	uint64_t root_caps;   /* kept if root runs it; valid in the box's own user namespace only */
	enum net_mode net;
	enum env_mode env;
	bool caches; /* the person's caches are seen (policy/cache.h) */
	unsigned int
		seccomp; /* index of the preset in seccomp_preset_names (policy/seccomp.h); 0: "default" */
	/* borrowed; NULL, or the path of a file as Docker has it, whose filter commands get in addition */
	const char *seccomp_file;
	uint64_t limits[LIMIT_COUNT]; /* 0: none */
	unsigned int memory_share;    /* without a limit on memory: this percentage of the machine's */
	bool files_at_once;           /* each program has all of its open files at once, not on request */
	bool sets_keep_output;        /* otherwise the default counts; ask profile_keep_output */
	uint64_t keep_output;
	bool plain_secret_files; /* values in files such as .env are not treated as secrets */
};

/* Bytes of disk for the kept output of runs, per project, by default. */
#define PROFILE_KEEP_OUTPUT (64u << 20)
/* The same as P has it; 0: none is kept. */
uint64_t profile_keep_output(const struct profile *p);

/* How the value of a limit is written. */
enum profile_unit {
	UNIT_TIME,  /* "30s" */
	UNIT_SIZE,  /* "512m" */
	UNIT_CORES, /* "0.5" */
	UNIT_NUMBER,
};

/*
 * The limits that a person sets: the name of both the option and the profile key; its format, its letter as
 * an option, whether 0 means none, its minimum, and texts for both.
 */
#define PROFILE_LIMITS(X)                                                                                  \
	X(WALL_TIME, "timeout", TIME, 0, true, 0, NULL, "end the run after this time; 0: never")           \
	X(CPU, "cpu", CORES, 0, true, 10, "a box needs at least a hundredth of a processor",               \
	  "maximum number of processors, such as 2 or 0.5; 0: all")                                        \
	X(CPU_TIME, "cpu-time", TIME, 0, true, 0, NULL, "processor time of all processes together")        \
	X(MEMORY, "mem", SIZE, 'm', true, 4u << 20, "a box needs at least 4 MiB of memory",                \
	  "memory of all processes together, including files in memory; 0: no limit")                      \
	X(DISK, "disk", SIZE, 0, false, 1u << 20, "a box needs at least 1 MiB of disk",                    \
	  "bytes that the box may write")                                                                  \
	X(INODES, "inodes", NUMBER, 0, false, 128, "a box needs at least 128 files",                       \
	  "files, directories and links that the box may make")                                            \
	X(FILE_SIZE, "file-size", SIZE, 0, true, 0, NULL, "bytes of one file")                             \
	X(PROCESSES, "pids", NUMBER, 0, false, 2, "a box needs at least 2 processes",                      \
	  "processes and threads at once")                                                                 \
	X(FILES, "files", NUMBER, 0, false, 16, "a command needs at least 16 open files",                  \
	  "open files per process")                                                                        \
	X(OUTPUT, "output", SIZE, 0, true, 0, NULL,                                                        \
	  "bytes of each output stream that are passed on; with --json stored in the result (default 4m)") \
	X(FUEL, "fuel", NUMBER, 0, true, 0, NULL,                                                          \
	  "instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit")

struct profile_limit {
	enum limit limit;
	enum profile_unit unit;
	bool can_be_none; /* by 0 */
	uint64_t least;
	const char *needs;
};

/* By name; NULL if there is none of that name. */
const struct profile_limit *profile_limit_by_name(const char *name);
extern const struct profile_limit profile_limits[];
extern const size_t n_profile_limits;
/* False if TEXT is not a value of that unit. */
bool profile_unit_read(enum profile_unit unit, const char *text, uint64_t *ret_value);
/* Whether A and B, values of the limit KEY, are the same: 1g is 1024m. False for what is no limit. */
bool profile_same_limit(const char *key, const char *a, const char *b);
int profile_limit_check(const struct profile_limit *l, uint64_t value, struct aisbx_error *e);

/* The type of a key. */
enum profile_shape {
	SHAPE_VALUE,    /* one text */
	SHAPE_LIST,     /* of texts */
	SHAPE_COMMAND,  /* a list of words, or one shell command */
	SHAPE_MAP,      /* NAME: text */
	SHAPE_MOUNTS,   /* a list of {host, guest, mode} */
	SHAPE_SERVICES, /* as in a project's file */
	SHAPE_SECRETS,  /* NAME: text as for --secret, or a mapping (profile_secret_shape) */
};

struct profile_setting;
struct doc_shape;
struct egress_rule;
struct secret_spec;

/*
 * One row per key; "a.b" is the key b of the mapping a. Reader, schema, manual and explanations are made from
 * it.
 */
struct profile_key {
	const char *name;
	enum profile_shape shape;
	/* adds to the value of the profile it extends; otherwise it replaces that */
	bool adds;
	const char *value;          /* placeholder for a value; NULL: by its unit */
	const char *const *choices; /* NULL, or all allowed values */
	const char *fallback;       /* default in words, if no file of the chain has the key */
	const char *help;
	const char *pattern; /* NULL, or of a value, as a regular expression */
	int (*apply)(const struct profile_setting *s, struct profile *p,
		     struct aisbx_error *e); /* NULL: not the driver's */
};

extern const struct profile_key profile_keys[]; /* ends with name NULL */
/* Placeholder for a value of K. */
const char *profile_key_value(const struct profile_key *k);

/* A secret as a mapping; its setting has the text that means the same. */
extern const struct doc_shape profile_secret_shape;
/* The rule that the host of injected secret S needs; an error if nothing of that name can be a host. */
int profile_secret_rule(const struct secret_spec *s, struct egress_rule *ret, struct aisbx_error *e);

/* Metadata of a file; the first keys of every file. */
struct profile_about {
	const char *name, *help;
};
extern const struct profile_about profile_abouts[]; /* ends with name NULL */

/* One value. A key with a list has one setting per item; an empty list is one without value. */
struct profile_setting {
	const struct profile_key *key;
	const char *name;  /* of a mapping: its key; of a mount: its mode; else NULL */
	const char *value; /* of a mount: HOST or HOST:GUEST as for --ro; NULL: an empty list */
	unsigned int line, column;
	const char *lang; /* only for programs of this language; NULL: always */
};

/* The settings of one file. Shipped ones are constant; others own what they point to. */
struct profile_layer {
	const char *file;                   /* its path, or "shipped:NAME" */
	const char *name, *about, *extends; /* NULL if not set */
	unsigned int extends_line, extends_column;
	const struct profile_setting *settings;
	size_t n_settings;
	struct service_specs services; /* of who has the key */
	struct strlist notes; /* what was written in the words of another tool, and how it was read */
	struct strlist kept;  /* the texts */
};

#define PROFILE_ROOT "strict" /* what every profile extends by default */
/* What L extends; NULL: nothing, it is the root of all. */
const char *profile_base_of(const struct profile_layer *l);
#define PROFILE_MAX_NAME  32u
#define PROFILE_MAX_BYTES 65536u
#define PROFILE_MAX_CHAIN 8u

/* Letters, digits, '-', '_', '.'; not too long. */
bool profile_is_name(const char *name);

/* FILE is its name in errors: "FILE:LINE:COLUMN: what is wrong; what is allowed". */
int profile_parse(const char *text, size_t len, const char *file, struct profile_layer *ret_layer,
		  struct aisbx_error *e);
void profile_layer_finish(struct profile_layer *l);

/* The shipped ones, compiled into aisbx. */
extern const struct profile_layer profile_shipped[];
extern const size_t n_profile_shipped;
/* NULL if there is none of that name. */
const struct profile_layer *profile_shipped_by_name(const char *name);

/* Shipped profile NAME, with what it extends; its layers need not be freed. -ENOENT: there is none. */
struct profile_rules;
int profile_shipped_rules(const char *name, struct profile_rules *ret_rules, struct aisbx_error *e);

/* A value and the file that sets it. */
struct profile_value {
	const struct profile_setting *setting; /* borrowed */
	const struct profile_layer *layer;     /* borrowed */
};

/* The combination of a chain of files. */
struct profile_rules {
	struct profile profile;
	struct profile_value *values; /* owned; in the order of profile_keys */
	size_t n_values;
	const struct service_specs *services; /* borrowed; NULL: none */
	struct profile_value idle_rule;       /* empty, or see profile_egress_check */
};

/*
 * LAYERS: the profile itself first, then what each extends. They must outlive the rules. LANG: of the
 * program, for settings that are for one language; NULL: none of them.
 */
int profile_fold(const struct profile_layer *const *layers, size_t n, const char *lang,
		 struct profile_rules *ret_rules, struct aisbx_error *e);
void profile_rules_finish(struct profile_rules *r);
/* Refuses rules that nothing turns on: a file that has 'egress', but 'net' is only in what it extends. */
int profile_egress_check(const struct profile_rules *r, struct aisbx_error *e);
/* Whether value I of R belongs to KEY, and is an item rather than an empty list. */
bool profile_value_is(const struct profile_rules *r, size_t i, const char *key);

const char *net_mode_name(enum net_mode mode);
/* Whether rules count. */
bool net_mode_has_rules(enum net_mode mode);
/* False when there is none of that name. */
bool net_mode_by_name(const char *name, enum net_mode *ret_mode);

/* Name of a capability without "cap_", or NULL after the last one known. */
const char *cap_name(unsigned int cap);

#endif
