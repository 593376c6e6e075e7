/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes to a real tree, all or none, as a directory: `slots/` contains the new files until each is
 * exchanged with the old one by a single rename; from then on it contains the old ones, for undo.
 */
#ifndef LAYER_JOURNAL_H
#define LAYER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/str.h"
#include "layer/merge.h"
#include "layer/tree_root.h"

struct journal_head {
	uint32_t version;
	uint32_t in_target; /* slots are in the target, in ".aisbx": it is on another mount */
	uint32_t notes;     /* what was promoted becomes the base of the box's next changes */
	uint32_t unused;
	int64_t created_ms;
	char box[24];
	char box_name[72];
};

/* Identifies a file. */
struct journal_file {
	uint64_t dev, ino, size;
	uint32_t mode, nlink;
	int64_t mtime_s, ctime_s;
	uint32_t mtime_ns, ctime_ns;
};

/* The base of PATH from now on. */
enum journal_note {
	JOURNAL_KEEP_BASE,
	JOURNAL_BASE_TARGET, /* what the target has: it equals what the box has */
	JOURNAL_BASE_BOX,    /* what the box has: the target got more, by a merge */
};

/* An item for the directory of other items: undo restores its time. These are last. */
#define JOURNAL_TIMES 100

struct journal_item {
	uint32_t op; /* enum merge_op; nothing: only the note counts; or JOURNAL_TIMES */
	uint32_t slot;
	uint32_t note; /* enum journal_note */
	uint32_t unused;
	struct journal_file old, now; /* of nothing where it is new or gone */
};

/* Determined by which files exist; the last of these. */
enum journal_state {
	JOURNAL_STAGED,    /* at most `plan`: nothing has happened yet, and nothing will */
	JOURNAL_COMMITTED, /* `commit`: will happen; recovery completes it */
	JOURNAL_DONE,      /* `done` */
	JOURNAL_UNDOING,   /* `undo`: will be undone; also what was given up halfway */
	JOURNAL_UNDONE,    /* `undone` */
};

struct journal {
	struct journal_head head;
	char *base, *id;       /* owned; the directory is BASE/ID */
	int fd;                /* owned */
	char *target;          /* owned */
	struct tree_root tree; /* the target */
	struct tree_root slots;
	struct journal_item *items; /* owned */
	const char **paths;         /* owned as a list; what is in it is borrowed, or one of `own` */
	struct pool own;            /* owned */
	size_t n;
	struct strlist others; /* owned; paths that others put beside the items, and that are ignored */
	uint8_t *skip;         /* owned; of an undo: see journal.c */
	/* owned; for a small one: the changed directories, so that they are found again after a rename */
	int *parents;
	enum journal_state state;
	size_t left; /* what could not be undone, because somebody else changed it again */
	size_t first_left;
	size_t stuck; /* what could not be undone, although it is ours */
	size_t first_stuck;
	int why_stuck;  /* negative errno */
	bool disturbed; /* somebody else changed files there: times of directories are theirs */
};

/* Makes BASE/ID. */
int journal_begin(const char *base, const char *id, const struct journal_head *head, const char *target,
		  struct journal **ret, struct aisbx_error *e);
/* An error here says nothing about its state: then leave it alone. */
int journal_load(const char *base, const char *id, struct journal **ret, struct aisbx_error *e);
void journal_free(struct journal *j);
static inline void drop_journal(struct journal **j)
{
	journal_free(*j);
}
/* After it was undone: whether it contains somebody's data that exists nowhere else. */
bool journal_is_kept(const struct journal *j);
/* Removes it with everything it stores. */
int journal_remove(const char *base, const char *id, struct aisbx_error *e);

/*
 * One more change; its slot is filled by the caller. PATH is borrowed as long as the journal exists. NOW or
 * OLD may be NULL.
 */
int journal_add(struct journal *j, const struct journal_item *what, const char *path, const struct stat *old,
		const struct stat *now);
/* How many changes there are, without what only belongs to them. */
size_t journal_steps(const struct journal *j);
/* So few that each file is synced separately; otherwise the whole file system is, once. */
bool journal_is_small(size_t n);

/* Writes the plan and the commit record, each on disk before it continues. */
int journal_commit(struct journal *j, struct aisbx_error *e);
/* Applies it to the target; also completes an interrupted one. After an error the target is restored. */
int journal_apply(struct journal *j, struct aisbx_error *e);

/* Paths that are not as the promotion left them. */
int journal_changed(struct journal *j, struct strlist *ret, struct aisbx_error *e);
/*
 * -EPERM if an item cannot be undone in the target; the first is reported. KEEP: such items are left as they
 * are, and it is 0. After journal_changed().
 */
int journal_blocked(struct journal *j, bool keep, const char **ret_path, const char **ret_why);
/* Undoes it. KEEP: what changed since stays; otherwise it is moved away. */
int journal_undo(struct journal *j, bool keep, struct aisbx_error *e);
/* Whether an undo was told to leave item I alone. */
bool journal_was_left(const struct journal *j, size_t i);
/* Leaves everything as it is, permanently: neither old nor new. The previous files stay in the slots. */
int journal_give_up(struct journal *j, struct aisbx_error *e);
/* Continues an undo, or undoes what was given up. */
int journal_go_back(struct journal *j, struct aisbx_error *e);

#endif
