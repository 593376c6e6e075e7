/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax tree of a command, as the guard reads it, and what its parts share. Inside flow/guard* only. */
#ifndef GUARD_SYNTAX_TREE_H
#define GUARD_SYNTAX_TREE_H

#include "guard/guard.h"

#define GUARD_MAX_COMMANDS 64u
#define GUARD_MAX_WORDS    1024u /* of one command */
#define GUARD_MAX_DEPTH    6u    /* $( ) in $( ) */
#define GUARD_MAX_CWDS     8u
#define GUARD_NONE         ((size_t)-1)

struct guard_word {
	char *text; /* owned; as the program gets it, if nothing is unknown and nothing is a pattern */
	/* owned; the same with quoted characters escaped, for glob(3); NULL if it is not a pattern */
	char *pattern;
	size_t offset, len;
	bool quoted;  /* a part of it was, or was escaped */
	bool unknown; /* a part of it is the output of a command, or the value of a variable */
	bool split;   /* and that is outside of quotes: it may be several words, or none */
};

/* What is read by "<"; redirections that write, except to /dev/null, are never kept. */
struct guard_command {
	struct guard_word *words; /* owned */
	size_t n;
	struct guard_word *inputs; /* owned */
	size_t n_inputs;
	size_t from; /* the command before the '|'; GUARD_NONE: none */
	size_t offset, len;
};

struct guard_tree {
	struct guard_command *commands; /* owned */
	size_t n;
};

/* One judgement in progress. */
struct guard {
	const struct guard_world *world;
	const char *home, *path; /* borrowed from the environment; NULL: none */
	struct guard_tree tree;
	char *cwds[GUARD_MAX_CWDS]; /* owned; every directory it may be in at that point */
	size_t n_cwds;
	struct guard_verdict *verdict;
	bool literal;       /* words for exec: without a shell */
	bool is_self;       /* the current command is aisbx, in a read-only use */
	bool has_self;      /* there was one */
	size_t n_as_it_is;  /* commands that run without the glass */
	unsigned int depth; /* of commands that start commands */
};

/* A reason against what is known to only look. Words are for people, after "because". Always false. */
bool guard_say(struct guard *g, enum project_guard_act act, const char *rule, size_t offset, size_t len,
	       const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The effect is unknown: it is tried behind the glass. */
#define guard_say_word(g, rule, w, ...) guard_say(g, GUARD_LOOK, rule, (w)->offset, (w)->len, __VA_ARGS__)
/* The same for commands known not to be read-only: trying is useless. */
#define guard_say_box(g, rule, w, ...) guard_say(g, GUARD_BOX, rule, (w)->offset, (w)->len, __VA_ARGS__)

/* A shell may put names of files here. */
static inline bool guard_may_match(const struct guard *g, const struct guard_word *w)
{
	return w->pattern && !g->literal;
}

/* It is what is written there. */
static inline bool guard_is_told(const struct guard *g, const struct guard_word *w)
{
	return !w->unknown && !guard_may_match(g, w);
}

const char *guard_env(const struct guard *g, const char *name);

/* guard_writer.c: whether the words from FIRST on, of the program NAME, are known to write. */
bool guard_writes(const struct guard_command *c, size_t first, const char *name);

/* guard_read.c: false, with a reason, if it is not in the supported part of shell. */
bool guard_read(struct guard *g, const char *text, size_t len);
void guard_tree_finish(struct guard_tree *t);
struct guard_command *guard_tree_add(struct guard_tree *t);
struct guard_word *guard_word_add(struct guard_word **list, size_t *n);

/* guard_path.c */
enum guard_look {
	LOOK_NAMES,   /* shows names, sizes, times */
	LOOK_CONTENT, /* shows its content */
	LOOK_BELOW,   /* shows the content of everything below it */
};
/* Whether reading what W names shows no secret and does not block. Gives the reason if not. */
bool guard_path(struct guard *g, const struct guard_word *w, enum guard_look look);
bool guard_path_text(struct guard *g, const struct guard_word *at, const char *path, enum guard_look look);
/* Whether a person's secrets are in or below any directory the command may be in. */
bool guard_is_above_secrets(struct guard *g, const char *path);
/* The program that NAME would start belongs to the system or the person, not to the project. */
bool guard_program(struct guard *g, const struct guard_word *w, const char *name);
/* Adds DIR to the directories it may be in. */
bool guard_cd(struct guard *g, const struct guard_word *w);

/* guard_known.c: the words from FIRST on are a read-only command. Gives the reason if not. */
bool guard_simple(struct guard *g, const struct guard_command *c, size_t first);
/* The options that a command may have; each is a row of a table. */
struct guard_options {
	const char *flags;  /* letters without a value */
	const char *values; /* letters with one */
	const char *longs;  /* "--all --color? --max=": none, an attached one if any, one in any case */
	bool numbers;       /* "-5" */
	bool plus;          /* "+5" */
	const char *stuck; /* NULL, or letters whose value stands in the same word: without one, the next word
			      is none */
};
/*
 * Separates the options from the words after FIRST: *RET_OPERANDS are the indexes of the others. SEEN, if not
 * NULL, gets the letters that occurred. False, with a reason, for any that is not in the row.
 */
struct guard_operands {
	size_t at[GUARD_MAX_WORDS];
	size_t n;
	char seen[64];
	bool dashes; /* "--" was there */
};
bool guard_take_options(struct guard *g, const struct guard_command *c, size_t first,
			const struct guard_options *o, struct guard_operands *ret);
bool guard_has_long(const struct guard_command *c, size_t first, const char *name);

typedef bool guard_check(struct guard *g, const struct guard_command *c, size_t first);
/* guard_starter.c: those that start others. */
guard_check guard_env_command, guard_nice, guard_timeout, guard_time, guard_command_word, guard_xargs;
/* guard_script.c: those with a language of their own. */
guard_check guard_sed, guard_awk, guard_jq, guard_find, guard_test, guard_printf, guard_echo;
/* guard_git.c */
guard_check guard_git;

#endif
