/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that operations share, and the wish made of those of `run`. */
#ifndef OP_ARGS_H
#define OP_ARGS_H

#include "box/run_options.h"
#include "op/op.h"

/* The options that set a limit, as rows of a table of parameters. */
#define OP_TYPE_TIME    OP_DURATION
#define OP_TYPE_SIZE    OP_SIZE
#define OP_TYPE_CORES   OP_CORES
#define OP_TYPE_NUMBER  OP_NUMBER
#define OP_VALUE_TIME   "TIME"
#define OP_VALUE_SIZE   "SIZE"
#define OP_VALUE_CORES  "N"
#define OP_VALUE_NUMBER "N"
#define OP_LIMIT_PARAM(id, option, unit, shortcut, none, least, needs, words)                          \
	{ option,          shortcut, OP_TYPE_##unit, ((LIMIT_##id == LIMIT_WALL_TIME) ? OP_MODEL : 0), \
	  OP_VALUE_##unit, words },
#define OP_LIMIT_PARAMS PROFILE_LIMITS(OP_LIMIT_PARAM)

/* Of operations about the project that a person is in; see box/here.h. */
#define HERE_PARAM                                                                                          \
	{                                                                                                   \
		"here", 0, OP_FLAG, OP_LINE, NULL,                                                          \
			"the project is the current directory; default: the nearest one, from it upwards, " \
			"with an aisbx.yaml or a git repository"                                            \
	}
extern const char *const op_ids[];
#define IDS_PARAM                                                                                           \
	{                                                                                                   \
		"ids", 0, OP_CHOICE, 0, "IDS",                                                              \
			"of an ordinary user's box on an image: one (default), where every file is yours, " \
			"or sub, "                                                                          \
			"where files belong to whom the image says, by your subordinate ids",               \
			op_ids                                                                              \
	}
#define FRESH_PARAM                                                                          \
	{                                                                                    \
		"fresh", 0, OP_FLAG, OP_LINE, NULL,                                          \
			"in a new box that is removed after the run, not in the current box" \
	}
/* Of operations that list what there is of a project. */
#define ALL_PARAM(what)                                                     \
	{                                                                   \
		"all", 'a', OP_FLAG, OP_LINE, NULL, what " of all projects" \
	}
#define OF_PROJECT_PARAM                                                                                  \
	{                                                                                                 \
		"project", 0, OP_STRING, OP_LINE, "DIR", "of this project, instead of the one you are in" \
	}

#define OTHERS_FIELD(what)                                                                        \
	{                                                                                         \
		"others", "integer",                                                              \
			"only on the command line, and without --all: " what " of other projects" \
	}

#define RUN_PARAM                                                        \
	{                                                                \
		"run", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "RUN", \
			"its name, its id or a prefix of that"           \
	}
#define RUNS_PARAM(need, what)                                                              \
	{                                                                                   \
		"runs", 0, OP_LIST, OP_POSITIONAL | ((need) ? OP_REQUIRED : 0), "RUN", what \
	}
/* box/run_options.h: run_options_terminal. */
#define TTY_PARAMS                                                                                       \
	{ "tty",                                                                                         \
	  't',                                                                                           \
	  OP_FLAG,                                                                                       \
	  0,                                                                                             \
	  NULL,                                                                                          \
	  "allocate a terminal in the box, and set no deadline; by default a command has a terminal if " \
	  "all three standard streams are one" },                                                        \
	{                                                                                                \
		"no-tty", 'T', OP_FLAG, 0, NULL, "allocate no terminal"                                  \
	}
#define TTY_SIZE_PARAMS                                                                               \
	{ "rows", 0,   OP_NUMBER,                                                                     \
	  0,      "N", "lines of a terminal that no person sits at, as with --detach; default: 24" }, \
	{                                                                                             \
		"cols", 0, OP_NUMBER, 0, "N", "columns of such a terminal; default: 80"               \
	}
#define SECRET_PARAM                                                                                         \
	{                                                                                                    \
		"secret", 0, OP_LIST, 0, "NAME=SOURCE",                                                      \
			"give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with " \
			",as=env appended, the variable NAME. "                                              \
			"It is removed from all output. With ,inject=HOST appended, the box gets only a "    \
			"placeholder, and requests to HOST get the secret on their way out"                  \
	}
/* box/net_options.h reads it. */
#define NET_PARAM                                                                                          \
	{                                                                                                  \
		"net", 0, OP_LIST, 0, "NET",                                                               \
			"what the box reaches: none, loopback (an interface of its own), allow (what the " \
			"profile's rules name), ask (a person is asked about the rest), a preset "         \
			"(python-packages, npm, crates, go, maven, debian, github, "                       \
			"github:OWNER/REPO[:read]) or "                                                    \
			"a rule such as github.com:443"                                                    \
	}
#define PUBLISH_PARAM                                                                                  \
	{                                                                                              \
		"publish", 0, OP_LIST, 0, "PORT[:BOXPORT]",                                            \
			"make port BOXPORT of the box (default: PORT) reachable at port PORT of this " \
			"machine's loopback; PORT 0: any that is free, which 'aisbx ports' shows"      \
	}
#define RECORD_PARAM                                                                                        \
	{                                                                                                   \
		"record", 0, OP_FLAG, 0, NULL,                                                              \
			"store what 'aisbx replay' needs: the output and, for a box, snapshots before and " \
			"after"                                                                             \
	}

/* The project that is given, or the caller's. */
const char *op_project(const struct op_context *ctx, const json_t *args);
#define PROFILE_PARAM                                                                                   \
	{                                                                                               \
		"profile", 'p', OP_STRING, 0, "PROFILE",                                                \
			"what the box may do: a name that 'aisbx profile ls' lists, or a file (with a " \
			"'/'); "                                                                        \
			"default: $AISBX_PROFILE, or dev"                                               \
	}
/* What `run` and `shell` say of a box: what it shows and reaches, its limits and services. */
#define RUN_BOX_PARAMS                                                                                       \
	{ "ro", 0, OP_LIST, 0, "HOST[:GUEST]", "make a file or directory visible, read-only" },              \
		{ "rw",           0,                                                                         \
		  OP_LIST,        0,                                                                         \
		  "HOST[:GUEST]", "share a file or directory: changes affect the real one" },                \
		{ "hide", 0, OP_LIST, 0, "PATH", "hide a file or directory" },                               \
		{ "device",                                                                                  \
		  0,                                                                                         \
		  OP_LIST,                                                                                   \
		  0,                                                                                         \
		  "PATH",                                                                                    \
		  "show a character device of /dev that you may open, or a directory of them: /dev/dri" },   \
		{ "gpu",                                                                                     \
		  0,                                                                                         \
		  OP_FLAG,                                                                                   \
		  0,                                                                                         \
		  NULL,                                                                                      \
		  "show the devices of graphics processors: "                                                \
		  "/dev/dri, /dev/nvidia*, /dev/kfd" },                                                      \
		{ "env",          'e',                                                                       \
		  OP_LIST,        OP_MODEL,                                                                  \
		  "NAME[=VALUE]", "set a variable, or pass on the caller's value" },                         \
		SECRET_PARAM,                                                                                \
		{ "secret-files",                                                                            \
		  0,                                                                                         \
		  OP_CHOICE,                                                                                 \
		  0,                                                                                         \
		  "MODE",                                                                                    \
		  "values in .env and similar files of the project that look like secrets: scrub (remove "   \
		  "them from output, the default) or plain",                                                 \
		  secret_files_choices },                                                                    \
		NET_PARAM, PUBLISH_PARAM,                                                                    \
		{ "seccomp",                                                                                 \
		  0,                                                                                         \
		  OP_CHOICE,                                                                                 \
		  0,                                                                                         \
		  "PRESET",                                                                                  \
		  "allowed system calls: default, or fewer, for a language: python, javascript, shell, go, " \
		  "rust, "                                                                                   \
		  "java, c",                                                                                 \
		  seccomp_preset_names },                                                                    \
		{ "no-net", 0, OP_FLAG, 0, NULL, "the same as --net none" },                                 \
		OP_LIMIT_PARAMS{                                                                             \
			"services",                                                                          \
			0,                                                                                   \
			OP_STRING,                                                                           \
			0,                                                                                   \
			"FILE",                                                                              \
			"start the services of this file; default: those of the project's aisbx.yaml"        \
		},                                                                                           \
		{ "no-services", 0, OP_FLAG, 0, NULL, "start no services" },                                 \
	{                                                                                                    \
		"no-caches", 0, OP_FLAG, 0, NULL,                                                            \
			"do not show the caches of package managers and compilers in the home directory"     \
	}

/* For the arguments of any operation that takes a profile; see run_profile_ref. */
const char *op_profile_ref(const struct op_context *ctx, const json_t *args, const char *of_box,
			   const char **ret_from);
/* Applies options to a profile. */
int op_profile_options(const json_t *args, struct profile *p, struct aisbx_error *e);

/* Fills REQ from the arguments of `run`, from which it borrows; the caller frees it also after an error. */
int op_run_request(const struct op_context *ctx, const json_t *args, struct run_spec *req,
		   struct aisbx_error *e);
/* A run by the arguments of `run`, with its output in the result. */
int op_run_by(const struct caller *by, const json_t *args, stream_listener *output_listener,
	      void *output_listener_ctx, json_t **ret_result, struct aisbx_error *e);

#endif
