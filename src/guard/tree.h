/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax tree of a command, as the guard reads it, and what its parts share. Inside flow/guard* only. */
#ifndef GUARD_TREE_H
#define GUARD_TREE_H

#include "guard/guard.h"

#define GUARD_MAX_COMMANDS 64u
#define GUARD_MAX_WORDS    1024u /* of one command */
#define GUARD_MAX_DEPTH    6u    /* $( ) in $( ) */
#define GUARD_MAX_CWDS     8u
#define GUARD_NONE         ((size_t)-1)

struct guard_word {
	char *text;    /* owned; as the program gets it, where nothing is unknown and nothing to be matched */
	char *pattern; /* owned; the same with what was quoted escaped, for glob(3); NULL when no part is one
			*/
	size_t offset, len;
	bool quoted;  /* a part of it was, or was escaped */
	bool unknown; /* a part of it is what a command prints, or a variable holds */
	bool split;   /* and that is outside of quotes: it may be several words, or none */
};

/* What is read by "<"; writes other than to /dev/null are never kept. */
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

/* One judgement under way. */
struct guard {
	const struct guard_world *world;
	const char *home, *path; /* borrowed from the environment; NULL: none */
	struct guard_tree tree;
	char *cwds[GUARD_MAX_CWDS]; /* owned; every directory it may be in by then */
	size_t n_cwds;
	struct guard_verdict *verdict;
	bool literal;       /* words for exec: no shell looks at them */
	bool is_self;       /* the command at hand is aisbx, in a use that only looks */
	bool has_self;      /* there was one */
	size_t n_as_it_is;  /* commands that run without the glass */
	unsigned int depth; /* of commands that start commands */
};

/* A reason against what is known to only look. Words are for people, after "because". Always false. */
bool guard_say(struct guard *g, enum project_guard_act act, const char *rule, size_t offset, size_t len,
	       const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* It cannot be told: it is tried behind the glass. */
#define guard_say_word(g, rule, w, ...) guard_say(g, GUARD_LOOK, rule, (w)->offset, (w)->len, __VA_ARGS__)
/* The same of what is known to do more than to look: there is no use in trying. */
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

/* guard_read.c: false, with a reason, when it is not of the part of shell that is read here. */
bool guard_read(struct guard *g, const char *text, size_t len);
void guard_tree_finish(struct guard_tree *t);
struct guard_command *guard_tree_add(struct guard_tree *t);
struct guard_word *guard_word_add(struct guard_word **list, size_t *n);

/* guard_path.c */
enum guard_look {
	LOOK_NAMES,   /* tells names, sizes, times */
	LOOK_CONTENT, /* shows what is in it */
	LOOK_BELOW,   /* shows what is in all below it */
};
/* Whether reading what W names shows no secret and waits for nobody. Says why not. */
bool guard_path(struct guard *g, const struct guard_word *w, enum guard_look look);
bool guard_path_text(struct guard *g, const struct guard_word *at, const char *path, enum guard_look look);
/* Whether a person's secrets lie in or below any place the command may be in. */
bool guard_is_above_secrets(struct guard *g, const char *path);
/* The program that NAME would start is one of the system or the person, not of the project. */
bool guard_program(struct guard *g, const struct guard_word *w, const char *name);
/* Adds DIR to where it may be. */
bool guard_cd(struct guard *g, const struct guard_word *w);

/* guard_known.c: the words from FIRST on are a command that only looks. Says why not. */
bool guard_simple(struct guard *g, const struct guard_command *c, size_t first);
/* What options a command may have; each is a row of a table. */
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
 * Takes the options out of the words behind FIRST: *RET_OPERANDS are the indexes of the others. SEEN, when
 * not NULL, gets the letters that were there. False, with a reason, for any that is not in the row.
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
