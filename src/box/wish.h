/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be run, as whoever asks says it; and the specification of a run that is made of that. */
#ifndef BOX_WISH_H
#define BOX_WISH_H

#include <jansson.h>

#include "base/str.h"
#include "box/box.h"
#include "box/caller.h"
#include "run/run.h"

/* What is not said is NULL, empty or false: the profile decides, or the box. */
struct run_wish {
	/* borrowed */
	const char *box, *profile, *driver, *project, *cwd, *net, *seccomp, *services;
	/* owned; as the options of the same names */
	struct strlist ro, rw, hide, env, secret, without, command;
	uint64_t limits[LIMIT_COUNT];
	uint32_t limited; /* bits of enum limit: those that are said */
	bool no_net, no_services, tty, detach, interactive, record;
	bool replayable; /* a record of it goes into the history */
	bool warn_group; /* tell the caller of files whose group the box does not know */
	stream_tap *tap; /* NULL, or hears all that is written */
	void *tap_ctx;   /* borrowed */
};

/* Members named as the options of `run`: arguments, or what a record kept. One of another type is refused.
 * It borrows from them; the caller finishes it also after an error. */
int run_wish_read(const json_t *from, struct run_wish *ret, struct aisbx_error *e);
/* What a record keeps: the same members, without those that are between the run and its caller. A new
 * reference. */
json_t *run_wish_json(const struct run_wish *w);
void run_wish_finish(struct run_wish *w);
void run_wish_limit(struct run_wish *w, enum limit limit, uint64_t value);

/* Which profile is meant: by option, of the box (NULL: none), by AISBX_PROFILE, or dev; RET_FROM: which of
 * these, in a word. */
const char *run_profile_ref(const struct caller *by, const char *option, const char *of_box,
			    const char **ret_from);
/* What a wish changes of a profile. */
int run_profile_options(const struct run_wish *w, struct profile *p, struct aisbx_error *e);
/* Fills SPEC, which keeps what it needs; the caller finishes it also after an error. */
int box_spec_fill(const struct caller *by, const struct run_wish *w, struct run_spec *spec,
		  struct aisbx_error *e);

#endif
