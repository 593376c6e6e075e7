/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the reader of shell. It reads a program in order, as a shell would, with texts instead of
 * processes: a value is the value of a word, as far as it is known, and the names of its sources.
 */
#ifndef SCAN_SHELL_SHELL_H
#define SCAN_SHELL_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"
#include "scan/core/tree.h"

#define SH_MAX_VALUE   65536u      /* bytes of one value; the rest is cut */
#define SH_MAX_BYTES   (24u << 20) /* of all values ever made; beyond that values are not known */
#define SH_MAX_FROM    24u         /* names one value may have come from */
#define SH_MAX_WORDS   4096u       /* of one command or array */
#define SH_MAX_NAMES   16384u      /* variables; as many functions, aliases, files */
#define SH_MAX_DEPTH   160u        /* statements in statements, words in words, calls in calls */
#define SH_MAX_REPEATS 5000u       /* commands run more than once: loops, functions */
#define SH_MAX_ROUNDS  12u         /* of one loop */
#define SH_MAX_CODES   1000u       /* programs in texts */
#define SH_MAX_CODE    (4u << 20)  /* their bytes */
#define SH_UNKNOWN     FACT_NOT_KNOWN[0]
/* What shell_text_prepare() puts in place of bytes that the grammar does not understand as bash does. */
#define SH_BRACE '\x02'
#define SH_ECARB '\x03'
#define SH_SKIP  '\x04'

/* clang-format off */
#define SH_KINDS(X) \
	X(ansi_c_string) X(arithmetic_expansion) X(array) X(brace_expression) \
	X(c_style_for_statement) X(case_item) X(case_statement) X(command) X(command_name) \
	X(command_substitution) X(comment) X(compound_statement) X(concatenation) \
	X(declaration_command) X(do_group) X(elif_clause) X(else_clause) X(expansion) \
	X(file_descriptor) X(file_redirect) X(for_statement) X(function_definition) X(heredoc_body) \
	X(heredoc_end) X(heredoc_redirect) X(heredoc_start) X(herestring_redirect) X(if_statement) \
	X(list) X(negated_command) X(number) X(pipeline) X(process_substitution) X(program) \
	X(raw_string) X(redirected_statement) X(regex) X(simple_expansion) X(string) \
	X(string_content) X(subscript) X(subshell) X(test_command) X(translated_string) \
	X(unset_command) X(variable_assignment) X(variable_assignments) X(variable_name) \
	X(while_statement) X(word)
/* clang-format on */

enum sh_kind {
	SH_other,
#define X(name) SH_##name,
	SH_KINDS(X)
#undef X
		SH_KINDS_COUNT
};

struct val {
	char *text; /* owned, or NULL: empty; SH_UNKNOWN for each unknown part */
	size_t len;
	bool is_indirect;    /* from a variable, an escape, a command: not as it is written */
	struct strlist from; /* commands, and "<PATH" of files they read */
};

struct words {
	struct val *list; /* owned */
	size_t n;
};

/* A text with its tree. All stay until the end: functions refer to them. */
struct source {
	struct source *next;
	char *text; /* owned */
	struct tree tree;
	struct fact at;          /* where it stands, for one inside another */
	struct scan_outer outer; /* of tree */
	uint32_t row;            /* added to its lines */
};

struct entry {
	struct entry *next;
	char *name; /* owned */
	struct words value;
	struct words other; /* of a variable: its value if a condition around its last assignment is false */
	struct source *src; /* of a function, with its body */
	TSNode body;
	bool is_active, was_called;
	bool is_maybe; /* a function that may not exist: defined under a condition, or undefined since */
};

struct table {
	struct entry *slots[1024];
	size_t n;
};

struct sh {
	struct facts *facts;
	struct source *src, *all;
	unsigned int outer_depth; /* of programs around this one */
	unsigned int code_depth, depth;
	struct table vars, functions, aliases, files;
	struct words params;
	char *cwd; /* owned; NULL: where it was started, or not known */
	size_t bytes, repeats, codes, code_bytes, n_fds, steps;
	unsigned int n_selves, conditions;
	size_t round; /* of a loop that reads line by line */
	bool is_repeating, is_piped, is_background, was_too_deep, is_late;
	bool is_external;             /* the next command is a program, whatever functions there are */
	bool has_other, is_otherwise; /* a variable had another value; take that */
};

/* shell_value.c */
void val_finish(struct val *v);
void val_add(struct sh *s, struct val *v, const char *text, size_t len);
void val_add_from(struct val *v, const char *name);
void val_take_from(struct val *v, const struct strlist *from);
void val_join(struct sh *s, struct val *v, const struct val *other);
bool val_is_known(const struct val *v);
void val_set_unknown(struct sh *s, struct val *v);
static inline const char *val_text(const struct val *v)
{
	return v->text ? v->text : "";
}
/* Most comparisons with a table of names end at the first byte. */
static inline bool sh_same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}
static inline bool val_is(const struct val *v, const char *text)
{
	return sh_same(val_text(v), text);
}
/* Takes the value of V, which is empty then. */
void words_add(struct words *w, struct val *v);
void words_add_text(struct sh *s, struct words *w, const char *text);
void words_add_copy(struct sh *s, struct words *w, const struct val *v);
void words_copy(struct sh *s, struct words *to, const struct words *from, size_t first);
void words_finish(struct words *w);
struct entry *table_find(const struct table *t, const char *name);
struct entry *table_make(struct table *t, const char *name);
void table_set(struct sh *s, struct table *t, const char *name, struct val *v);
void table_finish(struct table *t);

/* shell_text.c */
/* Where a line of the outermost level ends; called in order. */
typedef void (*sh_line_fn)(void *ctx, size_t start, size_t end);
/* Changes TEXT in place, with the same length, to what the grammar reads as bash would. */
void shell_text_prepare(char *text, size_t len, bool is_nested, sh_line_fn on_line, void *ctx);

/* shell_word.c */
void shell_expand(struct sh *s, TSNode n, struct words *ret);
/* As one text, whatever spaces are in it. */
void shell_expand_one(struct sh *s, TSNode n, struct val *ret);
void shell_param(struct sh *s, const char *name, struct words *ret);
void shell_expand_heredoc(struct sh *s, TSNode body, bool is_raw, struct val *ret);

/* shell_flow.c: input and output by "<", ">", "<<" and similar. */
struct flow {
	struct val in;
	bool has_in, has_out;
	struct words paths; /* that are written; is_indirect: at their end */
	TSNode process;     /* >(...), or null */
	TSNode tail;        /* the rest of a line behind "<<END", or null */
	struct val broken_tail;
};
void flow_add(struct sh *s, TSNode redirect, struct flow *f);
/* CONTENT goes where F says, or else to OUT. */
void flow_end(struct sh *s, TSNode at, struct flow *f, struct val *content, struct val *out);
void flow_finish(struct flow *f);
void shell_pipeline(struct sh *s, TSNode n, const struct val *in, const struct val *last_in, struct val *out);

/* shell_run.c */
enum sh_kind shell_kind(TSNode n);
void shell_emit(struct sh *s, TSNode at, enum fact_kind kind, const char *name, bool is_indirect,
		const struct words *args, size_t first, const struct strlist *from);
/* IN: the input, NULL for none; OUT: gets the output, may be NULL. */
void shell_run(struct sh *s, TSNode n, const struct val *in, struct val *out);
void shell_run_children(struct sh *s, TSNode n, const struct val *in, struct val *out);
void shell_call(struct sh *s, TSNode at, struct entry *function, const struct words *words,
		const struct val *in, struct val *out);
/* All commands below a node that is not understood otherwise. */
void shell_run_below(struct sh *s, TSNode n);

/* shell.c */
/* Reads a text as a program of this shell, at the place of AT. */
void shell_code(struct sh *s, TSNode at, const struct val *code, const struct val *in, struct val *out);
/* The same for a text of another language, or by its first line. */
void shell_other_code(struct sh *s, TSNode at, const struct val *code,
		      int (*read)(const char *, size_t, const struct scan_outer *, struct facts *));
struct fact shell_place(const struct sh *s, TSNode at);

/* shell_command.c */
void shell_command(struct sh *s, TSNode at, const struct words *words, const struct val *in, struct val *out);
void shell_write(struct sh *s, TSNode at, const char *path, const char *how, const struct val *content);
/* PATH from where the program is now, without "." and "..". */
void shell_resolve(struct sh *s, const char *path, struct val *ret);
/* Adds "<PATH" to what V came from, and what the file came from if the program itself wrote it. */
void shell_read_file(struct sh *s, const char *path, struct val *v);

/* shell_known.c: commands that run others, or texts; true if WORDS is one of them and was handled. */
typedef bool (*sh_known_fn)(struct sh *s, TSNode at, const struct words *words, const struct val *in,
			    struct val *out);
sh_known_fn shell_known(const char *name);

/* shell_filter.c: the output of a command that only changes text; false: not known. */
bool shell_filter(struct sh *s, const struct words *words, const struct val *in, struct val *out);
/* \n, \x41, \101 and the like; for printf and $'...'. */
void shell_unescape(struct sh *s, struct val *v, const char *text, size_t len);

#endif
