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

#define RUN_PARAM                                                                                     \
	{                                                                                             \
		"run", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "RUN", "run id; a prefix is enough" \
	}
#define RUNS_PARAM(need, what)                                                              \
	{                                                                                   \
		"runs", 0, OP_LIST, OP_POSITIONAL | ((need) ? OP_REQUIRED : 0), "RUN", what \
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
