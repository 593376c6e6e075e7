/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be run, as whoever asks says it; and the specification of a run that is made of that. */
#ifndef BOX_RUN_OPTIONS_H
#define BOX_RUN_OPTIONS_H

#include <jansson.h>

#include "base/str.h"
#include "box/box.h"
#include "box/caller.h"
#include "run/run.h"

/* What is not given is NULL, empty or false: then the profile or the box decides. */
struct run_options {
	/* borrowed */
	const char *box, *profile, *driver, *project, *cwd, *seccomp, *services, *secret_files, *image, *ids;
	const char *lang;     /* of the program, for what a profile says about one language */
	const char *name;     /* of the run, not read by run_options_read; with detach NULL means two words */
	const char *box_name; /* of a box that is removed after the run and that is joined: its name */
	/* owned; as the options of the same names */
	struct strlist ro, rw, hide, device, env, secret, net, without, command, publish;
	uint64_t limits[LIMIT_COUNT];
	uint32_t limited;    /* bits of enum limit: those that are given */
	uint16_t rows, cols; /* of a terminal that no person sits at; 0: not given */
	bool gpu, no_net, no_services, no_caches, tty, detach, interactive, record;
	bool stricter; /* `profile` must not allow more than the one that holds without it */
	bool here;     /* a person typed it: it starts in the caller's directory, if that is in the project */
	bool no_tty;   /* also where a person sits at a terminal */
	bool tty_by_itself; /* nobody asked for the terminal: limits stay as they are */
	bool replayable;    /* record it in the history for replay */
	bool warn_group;    /* tell the caller about files whose group is not mapped in the box */
	stream_listener *output_listener; /* NULL, or gets all output */
	void *output_listener_ctx;        /* borrowed */
};

/*
 * Members named like the options of `run`, but for its name: arguments, or a stored record. Another type is
 * refused. RET borrows from them; the caller frees it also after an error.
 */
int run_options_read(const json_t *from, struct run_options *ret, struct aisbx_error *e);
/* Of a terminal, at most. */
#define TERMINAL_MOST 4096u
/* Members "rows" and "cols"; one that is not there is not changed. */
int run_options_size(const json_t *from, uint16_t *ret_rows, uint16_t *ret_cols, struct aisbx_error *e);
/*
 * A command at a person's terminal has one of its own, as it would have the person's without a box; not if it
 * is detached or recorded, nor with no_tty.
 */
int run_options_terminal(const struct caller *by, struct run_options *w, struct aisbx_error *e);
/* What a record stores: the same members, without those that concern only the caller. A new reference. */
json_t *run_options_json(const struct run_options *w);
void run_options_finish(struct run_options *w);
void run_options_limit(struct run_options *w, enum limit limit, uint64_t value);

/*
 * Which profile is used: by option, of the box (NULL: none), by AISBX_PROFILE, or dev; RET_FROM: which of
 * these, in a word.
 */
const char *run_profile_ref(const struct caller *by, const char *option, const char *of_box,
			    const char **ret_from);
/* Applies a wish's changes to a profile. */
int run_profile_options(const struct run_options *w, struct profile *p, struct aisbx_error *e);
/* Fills SPEC, which keeps what it needs; the caller finishes it also after an error. */
int box_spec_fill(const struct caller *by, const struct run_options *w, struct run_spec *spec,
		  struct aisbx_error *e);

#endif
