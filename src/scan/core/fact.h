/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program would do, as far as its syntax tree shows: the readers of each language find facts, rules
 * judge them. Knows no policy.
 */
#ifndef SCAN_CORE_FACT_H
#define SCAN_CORE_FACT_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define FACT_MAX       100000u     /* of one program; further ones are counted, not stored */
#define FACT_MAX_TEXT  4096u       /* bytes of a name or an argument; longer ones are cut */
#define FACT_MAX_BYTES (64u << 20) /* of all names and arguments of one program */
#define FACT_MAX_ARGS  256u        /* of one fact; more are cut */
#define FACT_MAX_DEPTH 4u          /* programs in texts of programs in texts */
#define FACT_NOT_KNOWN "\x01"      /* an argument, or a part of one, that is only known at run time */

#define FACT_KINDS(X)                                                                                        \
	X(IMPORT, "import")   /* a module is imported: "os", "child_process" */                              \
	X(CALL, "call")       /* a function is called, by its full name: "os.system", "eval", "fs.rmSync" */ \
	X(USE, "use")         /* a function is named but not called: stored, passed on, an attribute */      \
	X(COMMAND, "command") /* a program is started: "rm", with its arguments */                           \
	X(WRITE, "write")     /* a file is written by name, which is NAME: "> /etc/passwd" */                \
	X(TEXT, "text")       /* a string in the program, after concatenation, is NAME */                    \
	X(HIDDEN, "hidden")   /* NAME runs code, a command or a module that is not known: eval(x) */         \
	X(BROKEN, "broken")   /* a syntax error */                                                           \
	X(UNREAD, "unread")   /* the rest was not read, because of NAME: "time", "memory", "size", "depth",  \
				 "facts", "crash" */                                                         \
	X(MODULE, "module")   /* not by a reader: the module of the rule NAME found it */

enum fact_kind {
#define X(name, text) FACT_##name,
	FACT_KINDS(X)
#undef X
		FACT_KINDS_COUNT
};

enum fact_flag {
	/* by an alias, a concatenated string, an attribute by name: deliberately indirect */
	FACT_INDIRECT = 1,
	FACT_NESTED = 2, /* in a string that is itself a program: os.system("rm -rf /"), bash -c "..." */
};

struct fact {
	enum fact_kind kind;
	uint32_t flags;
	uint32_t line, column;         /* from 1, columns in bytes; of the outermost program */
	uint32_t end_line, end_column; /* one behind the last */
	const char *name;              /* borrowed */
	struct strlist args; /* in order, strings concatenated; FACT_NOT_KNOWN if not known; "key=value" */
	/* what the arguments come from: calls of the same expression or variable, commands before a '|' */
	struct strlist from;
};

/* Where facts go. */
struct facts {
	struct fact *list; /* owned, with all that is in them */
	size_t n, dropped;
	size_t bytes; /* of their texts */
	int failed;   /* no memory */
};

/* Copies F. */
void facts_add(struct facts *facts, const struct fact *f);
void facts_finish(struct facts *facts);
const char *fact_kind_name(enum fact_kind kind);

/* A program inside another: AT is where its text is. NULL for the outermost. */
struct scan_outer {
	unsigned int depth;
	const struct fact *at;
};

/* The readers, one per language. 0 or -errno; a syntax error is a fact, not an error. */
int scan_python(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);
int scan_javascript(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);
int scan_typescript(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);
int scan_shell(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);

struct scan_language {
	const char *name;
	int (*read)(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);
};
/*
 * For all languages: FACT_HIDDEN "direction" if control characters display the text in another order than it
 * is read.
 */
void scan_any(const char *text, size_t len, struct facts *facts);
/* NULL: not known. */
const struct scan_language *scan_language_find(const char *name);

#endif
