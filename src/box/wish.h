/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be run, as whoever asks says it; and the specification of a run that is made of that. */
#ifndef BOX_WISH_H
#define BOX_WISH_H

#include <jansson.h>

#include "base/str.h"
#include "box/box.h"
#include "box/caller.h"
#include "run/run.h"

/* What is not given is NULL, empty or false: then the profile or the box decides. */
struct run_wish {
	/* borrowed */
	const char *box, *profile, *driver, *project, *cwd, *net, *seccomp, *services;
	/* owned; as the options of the same names */
	struct strlist ro, rw, hide, env, secret, without, command;
	uint64_t limits[LIMIT_COUNT];
	uint32_t limited; /* bits of enum limit: those that are given */
	bool no_net, no_services, tty, detach, interactive, record;
	bool replayable; /* record it in the history for replay */
	bool warn_group; /* tell the caller about files whose group is not mapped in the box */
	stream_tap *tap; /* NULL, or gets all output */
	void *tap_ctx;   /* borrowed */
};

/*
 * Members named like the options of `run`: arguments, or a stored record. Another type is refused. RET
 * borrows from them; the caller frees it also after an error.
 */
int run_wish_read(const json_t *from, struct run_wish *ret, struct aisbx_error *e);
/* What a record stores: the same members, without those that concern only the caller. A new reference. */
json_t *run_wish_json(const struct run_wish *w);
void run_wish_finish(struct run_wish *w);
void run_wish_limit(struct run_wish *w, enum limit limit, uint64_t value);

/*
 * Which profile is used: by option, of the box (NULL: none), by AISBX_PROFILE, or dev; RET_FROM: which of
 * these, in a word.
 */
const char *run_profile_ref(const struct caller *by, const char *option, const char *of_box,
			    const char **ret_from);
/* Applies a wish's changes to a profile. */
int run_profile_options(const struct run_wish *w, struct profile *p, struct aisbx_error *e);
/* Fills SPEC, which keeps what it needs; the caller finishes it also after an error. */
int box_spec_fill(const struct caller *by, const struct run_wish *w, struct run_spec *spec,
		  struct aisbx_error *e);

#endif
