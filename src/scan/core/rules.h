/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that judge facts, and the action for each risk: data that policy/scan_policy.c reads from YAML.
 */
#ifndef SCAN_CORE_RULES_H
#define SCAN_CORE_RULES_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define SCAN_SEVERITIES(X) /* of a finding; the risk of a program is that of its worst finding */ \
	X(NONE, "none") X(LOW, "low") X(MEDIUM, "medium") X(HIGH, "high") X(CRITICAL, "critical")

#define SCAN_ACTIONS(X)                                       \
	X(ALLOW, "allow")     /* run it */                    \
	X(WARN, "warn")       /* run it and warn */           \
	X(SANDBOX, "sandbox") /* run it only in a box */      \
	X(ASK, "ask")         /* run it if a person agrees */ \
	X(REFUSE, "refuse")

#define SCAN_LANGUAGES(X) /* sections of a policy; TypeScript is judged as JavaScript */ \
	X(ANY, "any") X(PYTHON, "python") X(JAVASCRIPT, "javascript") X(SHELL, "shell")

#define SCAN_RULE_KINDS(X)                                                                                \
	X(IMPORT, "imports")       /* FACT_IMPORT */                                                      \
	X(FUNCTION, "functions")   /* FACT_CALL; FACT_USE, too, unless the rule asks for arguments */     \
	X(ATTRIBUTE, "attributes") /* FACT_USE and FACT_CALL */                                           \
	X(COMMAND, "commands")     /* FACT_COMMAND, by its name or the last part of its path */           \
	X(WRITE, "writes")         /* FACT_WRITE */                                                       \
	X(PATTERN, "patterns")     /* FACT_TEXT, FACT_WRITE and the line of a FACT_COMMAND, by `match` */ \
	X(SOURCE, "source")        /* no fact: each line of the program as it is written, by `match` */   \
	X(HIDDEN, "hidden")        /* FACT_HIDDEN */                                                      \
	X(BROKEN, "broken")        /* FACT_BROKEN */                                                      \
	X(UNREAD, "unread")        /* FACT_UNREAD */                                                      \
	X(MODULE, "modules")       /* FACT_MODULE: what a WebAssembly module of the person's found */     \
	X(TOGETHER, "together")    /* no fact: matches if each of the rules that `all` names has a finding */

#define X(name, text) SEVERITY_##name,
enum scan_severity { SCAN_SEVERITIES(X) SEVERITY_COUNT };
#undef X
#define X(name, text) ACTION_##name,
enum scan_action { SCAN_ACTIONS(X) ACTION_COUNT };
#undef X
#define X(name, text) SCAN_LANG_##name,
enum scan_lang { SCAN_LANGUAGES(X) SCAN_LANG_COUNT };
#undef X
#define X(name, text) RULE_##name,
enum scan_rule_kind { SCAN_RULE_KINDS(X) RULE_KIND_COUNT };
#undef X

enum scan_flag {
	SCAN_FLAG_ANY,
	SCAN_FLAG_YES,
	SCAN_FLAG_NO,
};

struct scan_regex {
	char *text; /* owned */
	regex_t compiled;
};

struct scan_regexes {
	struct scan_regex *list; /* owned */
	size_t n;
};

/* All conditions must be met. */
struct scan_rule {
	char *id; /* owned */
	enum scan_lang lang;
	enum scan_rule_kind kind;
	struct strlist names;       /* globs; one must match; none: any */
	struct scan_regexes match;  /* of a pattern: each must match */
	struct scan_regexes args;   /* each must match one argument */
	struct scan_regexes line;   /* each must match "NAME ARG ARG ..." */
	struct scan_regexes unless; /* none may match that */
	struct strlist from;        /* globs; one must match one of the sources of the arguments */
	char *wasm;                 /* owned; of RULE_MODULE: its file */
	struct strlist all;         /* of RULE_TOGETHER: globs over ids, each with a finding */
	enum scan_flag indirect;    /* FACT_INDIRECT */
	enum scan_flag nested;      /* FACT_NESTED */
	enum scan_flag unknown;     /* an argument, or a part of one, is not known */
	enum scan_severity severity;
	char *why, *advice; /* owned; the second may be NULL */
};

struct scan_policy {
	char *name;              /* owned */
	struct scan_rule *rules; /* owned */
	size_t n_rules;
	enum scan_action levels[SEVERITY_COUNT];
	struct strlist notes; /* what was written in the words of another tool, and how it was read */
};

void scan_rule_finish(struct scan_rule *r);
void scan_policy_finish(struct scan_policy *p);

const char *scan_severity_name(enum scan_severity s);
const char *scan_action_name(enum scan_action a);
const char *scan_lang_name(enum scan_lang l);
const char *scan_rule_kind_name(enum scan_rule_kind k);

#endif
