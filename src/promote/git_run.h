/* SPDX-License-Identifier: Apache-2.0 */
/* Runs git for aisbx: always in a box, never outside. For the files of box/ that promote commits. */
#ifndef PROMOTE_GIT_RUN_H
#define PROMOTE_GIT_RUN_H

#include "box/box.h"

#define GIT_ID_MAX 65

/* The directory that aisbx shares with a run. */
#define GIT_SCRATCH_DIR "/run/aisbx-git"

/*
 * The beginning of its scripts: `g` is git without anything of the repository that would run a program;
 * answers go to descriptor 3. `ask` is `g` with its answer in /tmp/said, and its messages in /tmp/why: 0, 1
 * and 128 are git's own exit statuses; any other ends the script. Failures in a pipe or a $() are not
 * noticed, and a missing answer looks like "none": so scripts use files.
 */
#define GIT_BEGIN                                                                                        \
	"exec 3>&1 1>&2; command -v git >/dev/null || exit 41; "                                         \
	"unset $(git rev-parse --local-env-vars) GIT_EXTERNAL_DIFF GIT_EDITOR GIT_PAGER; "               \
	"export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 "                \
	"GIT_LITERAL_PATHSPECS=1 "                                                                       \
	"GIT_NO_REPLACE_OBJECTS=1 GIT_GRAFT_FILE=/dev/null LC_ALL=C; "                                   \
	"g() { git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false -c "        \
	"core.untrackedCache=false "                                                                     \
	"-c core.quotePath=false -c core.fsync=all -c submodule.recurse=false -c gc.auto=0 -c "          \
	"maintenance.auto=false "                                                                        \
	"-c advice.graftFileDeprecated=false \"$@\" 3>&-; }; "                                           \
	"ask() { g \"$@\" >/tmp/said 2>/tmp/why; set -- $?; case $1 in 0 | 1 | 128) return $1;; *) cat " \
	"/tmp/why; exit 54;; esac; }; "

/* Their exit statuses, besides 0. */
enum { GIT_NONE = 41, GIT_BAD = 51, GIT_PARTS_MISSING, GIT_MOVED, GIT_REFUSED, GIT_LAID_OUT };

struct git_run {
	struct box_state *state;     /* borrowed */
	const struct store_box *box; /* borrowed; NULL: in a box of the real project as it is */
	const char *snapshot;        /* of the box */
	const char *project;         /* borrowed; the real directory */
	const char *tree;            /* borrowed; below it: where the script runs */
	const char *script;
	const struct strlist *args;     /* borrowed; NULL: none */
	const struct run_mount *mounts; /* borrowed */
	size_t n_mounts;
	int input, output;  /* borrowed; -1: none; -1: kept in `said` */
	struct buf said;    /* owned; outcome */
	struct buf grumble; /* owned; outcome: its output on stderr */
	int status;         /* outcome: its exit status */
};

#define GIT_RUN_INIT                      \
	{                                 \
		.input = -1, .output = -1 \
	}

void git_run_finish(struct git_run *g);
/* An error: it did not complete. Its exit status is in G. */
int git_run(struct git_run *g, struct aisbx_error *e);
/* The input of a script, as a file whose descriptor belongs to the caller. */
int git_input(const struct buf *text, int *ret_fd, struct aisbx_error *e);
/* The last line of git's output, for a person; truncated to fit. */
const char *git_last_line(const struct git_run *g, char *ret, size_t cap);

#endif
