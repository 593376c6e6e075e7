/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the reader of JavaScript share: a flat copy of the tree, and values as far as they are
 * known without running the program. Nothing here is exact; an unknown value is JS_UNKNOWN, with its source.
 */
#ifndef SCAN_JAVASCRIPT_JAVASCRIPT_H
#define SCAN_JAVASCRIPT_JAVASCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "scan/core/fact.h"
#include "scan/core/tree.h"

#define JS_MAX_NODES        (6u << 20)
#define JS_MAX_MEMORY       ((size_t)128 << 20)
#define JS_MAX_TEXT         (1u << 20)  /* of one text put together */
#define JS_MAX_FOLDED       (64u << 20) /* of all of them */
#define JS_MAX_DEPTH        800u        /* of nesting that is followed: each level costs stack */
#define JS_MAX_DEPTH_INSIDE 200u        /* in a program inside another */
#define JS_MAX_CALLS        8u          /* functions within functions that are followed */
#define JS_MAX_ITEMS        16384u      /* of a list; of those behind nothing is known */
#define JS_MAX_PROPS        256u
#define JS_MAX_FROM         24u
#define JS_MAX_ALTS         6u
#define JS_MAX_NAME         200u /* of "a.b().c" */
#define JS_MAX_ARGS         32u

/*
 * The kinds of nodes that matter here. Nodes of other kinds are walked through; those of JS_SKIP are dropped.
 */
#define JS_KINDS(X)                                                   \
	X(ARRAY, "array")                                             \
	X(ARRAY_PATTERN, "array_pattern")                             \
	X(ARROW, "arrow_function")                                    \
	X(AS, "as_expression")                                        \
	X(ASSIGN, "assignment_expression")                            \
	X(ASSIGN_PATTERN, "assignment_pattern")                       \
	X(AUGMENTED, "augmented_assignment_expression")               \
	X(AWAIT, "await_expression")                                  \
	X(BINARY, "binary_expression")                                \
	X(BLOCK, "statement_block")                                   \
	X(CALL, "call_expression")                                    \
	X(CATCH, "catch_clause")                                      \
	X(CLASS, "class")                                             \
	X(CLASS_DECLARATION, "class_declaration")                     \
	X(COMPUTED, "computed_property_name")                         \
	X(DECLARATOR, "variable_declarator")                          \
	X(DO, "do_statement")                                         \
	X(FALSE, "false")                                             \
	X(FIELD, "field_definition")                                  \
	X(FIELD_PUBLIC, "public_field_definition")                    \
	X(FOR, "for_statement")                                       \
	X(FOR_IN, "for_in_statement")                                 \
	X(FUNCTION, "function_expression")                            \
	X(FUNCTION_DECLARATION, "function_declaration")               \
	X(GENERATOR, "generator_function")                            \
	X(GENERATOR_DECLARATION, "generator_function_declaration")    \
	X(IDENTIFIER, "identifier")                                   \
	X(IF, "if_statement")                                         \
	X(IMPORT, "import")                                           \
	X(IMPORT_NAMESPACE, "namespace_import")                       \
	X(IMPORT_REQUIRE, "import_require_clause")                    \
	X(IMPORT_SPECIFIER, "import_specifier")                       \
	X(IMPORT_STATEMENT, "import_statement")                       \
	X(EXPORT_STATEMENT, "export_statement")                       \
	X(MEMBER, "member_expression")                                \
	X(META, "meta_property")                                      \
	X(METHOD, "method_definition")                                \
	X(NEW, "new_expression")                                      \
	X(NON_NULL, "non_null_expression")                            \
	X(NULL, "null")                                               \
	X(NUMBER, "number")                                           \
	X(OBJECT, "object")                                           \
	X(OBJECT_ASSIGN_PATTERN, "object_assignment_pattern")         \
	X(OBJECT_PATTERN, "object_pattern")                           \
	X(PAIR, "pair")                                               \
	X(PAIR_PATTERN, "pair_pattern")                               \
	X(PARAMETER, "required_parameter")                            \
	X(PARAMETER_OPTIONAL, "optional_parameter")                   \
	X(PARENTHESES, "parenthesized_expression")                    \
	X(PRIVATE, "private_property_identifier")                     \
	X(PROGRAM, "program")                                         \
	X(PROPERTY, "property_identifier")                            \
	X(REGEX, "regex")                                             \
	X(REGEX_FLAGS, "regex_flags")                                 \
	X(REGEX_PATTERN, "regex_pattern")                             \
	X(REST, "rest_pattern")                                       \
	X(RETURN, "return_statement")                                 \
	X(SATISFIES, "satisfies_expression")                          \
	X(SEQUENCE, "sequence_expression")                            \
	X(SHORTHAND, "shorthand_property_identifier")                 \
	X(SHORTHAND_PATTERN, "shorthand_property_identifier_pattern") \
	X(SPREAD, "spread_element")                                   \
	X(STRING, "string")                                           \
	X(SUBSCRIPT, "subscript_expression")                          \
	X(SWITCH, "switch_statement")                                 \
	X(TEMPLATE, "template_string")                                \
	X(TEMPLATE_PART, "template_substitution")                     \
	X(TERNARY, "ternary_expression")                              \
	X(THIS, "this")                                               \
	X(TRUE, "true")                                               \
	X(TYPE_ASSERTION, "type_assertion")                           \
	X(UNARY, "unary_expression")                                  \
	X(UNDEFINED, "undefined")                                     \
	X(VARIABLES, "variable_declaration")                          \
	X(WHILE, "while_statement")                                   \
	X(YIELD, "yield_expression")

enum js_kind {
	JS_OTHER,
	JS_SKIP,
#define X(name, text) JS_##name,
	JS_KINDS(X)
#undef X
		JS_KINDS_COUNT
};

/* clang-format off */
#define JS_FIELDS(X)                                                                                         \
	X(alias) X(alternative) X(arguments) X(argument) X(body) X(condition) X(consequence) X(constructor)  \
	X(function) X(index) X(initializer) X(key) X(left) X(name) X(object) X(operator) X(parameter)        \
	X(parameters) X(pattern) X(property) X(right) X(source) X(value)
/* clang-format on */

enum js_field {
	JS_AT_NONE,
#define X(name) JS_AT_##name,
	JS_FIELDS(X)
#undef X
		JS_FIELDS_COUNT
};

/* 0 is no node: it is the program, which has no parent. */
struct js_node {
	uint32_t start, end, child, next;
	char op[4]; /* of an operator the first bytes */
	uint8_t kind, field;
	bool is_walked;  /* a function whose body was read */
	bool is_walking; /* is being read: it calls itself */
};

enum js_type {
	JS_V_UNKNOWN,
	JS_V_UNDEFINED,
	JS_V_TEXT,
	JS_V_NUMBER,
	JS_V_BOOL,
	JS_V_NAME, /* of something outside: "fs.rmSync", "fetch()" */
	JS_V_LIST,
	JS_V_OBJECT,
	JS_V_FUNCTION, /* of this program, or a class */
	JS_V_REGEX,    /* len is that of the pattern; flags of it stand behind */
};

enum js_flag {
	JS_PIECED = 1,   /* a text put together of several */
	JS_DECODED = 2,  /* or made by decoding, reversing, numbers */
	JS_LOCAL = 4,    /* the name is that of a variable of this program whose value is not known */
	JS_DEVIOUS = 8,  /* the name was reached in a deliberately indirect way */
	JS_BYTES = 16,   /* a text that is a buffer */
	JS_CLASS_OF = 32 /* a function that is a class */
};

enum js_how { JS_LET, JS_VAR, JS_ASSIGNED };

struct js_from {
	const char *name; /* interned */
	const struct js_from *next;
	unsigned int n;
};

struct js_list {
	struct js_value **items;
	uint32_t n, cap;
	bool has_more; /* items that are not known */
};

struct js_prop {
	const char *key; /* interned */
	struct js_value *value;
	struct js_prop *next;
};

struct js_object {
	struct js_prop *first, *last;
	unsigned int n;
};

struct js_function {
	uint32_t node; /* 0: a class without a constructor */
	struct js_scope *scope;
	struct js_value *self;   /* what `this` is in it, or NULL */
	struct js_value *result; /* of the last time its body was read */
	unsigned int walks;
	struct js_function *pending;
};

struct js_value {
	uint8_t type, flags;
	uint32_t len;
	const char *data; /* of a text or a regular expression, without NUL; of a name, interned */
	union {
		double number;
		struct js_list *list;
		struct js_object *object; /* also of a class: its methods */
		struct js_function *function;
	};
	const struct js_from *from;
	struct js_value *alt; /* something else it may be */
};

struct js_var {
	struct js_value *value;
	unsigned int branches, loops; /* within how many it was declared */
};

struct js_scope {
	struct js_scope *up;
	uint32_t id;
	bool is_function;
};

struct js_slot {
	uint64_t key;
	void *value;
};

struct js_table {
	struct js_slot *slots; /* owned */
	size_t n, cap;
};

struct js_args {
	struct js_value *list[JS_MAX_ARGS];
	size_t n;
};

struct js_reader {
	struct tree *tree;
	struct js_node *nodes; /* owned */
	uint32_t n_nodes, cap_nodes;
	uint32_t *lines; /* owned: where each begins */
	uint32_t n_lines;
	struct js_chunk *chunks; /* owned */
	size_t memory, folded;
	struct js_table names, vars, told;
	uint32_t n_names, n_scopes;

	struct js_scope *scope, *global;
	struct js_value *self;     /* `this` */
	struct js_value *returned; /* by the function that is being read */
	struct js_value *yielded;  /* by the generator that is being read: a list */
	struct js_function *pending;
	unsigned int depth, max_depth, calls, branches, loops, forever;
	uint64_t steps, max_steps, call_steps, max_call_steps;
	struct js_again *again; /* functions that were given on while something is being declared */
	unsigned int disguised; /* names as obfuscators make them */
	uint32_t disguised_at;
	unsigned int texts;
	bool has_stopped, was_too_deep, failed;
	struct js_value unknown;
};

/* javascript_tree.c */
int js_read_tree(struct js_reader *r, bool is_typescript);
uint32_t js_child(const struct js_reader *r, uint32_t n, enum js_field field);
const char *js_source(const struct js_reader *r, uint32_t n, size_t *ret_len);
/* Skips parentheses and type annotations. */
uint32_t js_bare(const struct js_reader *r, uint32_t n);

/* javascript_value.c: all of these return something usable even if there is no memory. */
void *js_alloc(struct js_reader *r, size_t size); /* zeroed; NULL: no more */
const char *js_intern(struct js_reader *r, const char *s, size_t len, uint32_t *ret_id, bool *ret_is_new);
const char *js_word(struct js_reader *r, const char *s);
uint64_t js_hash(uint64_t seed, const char *s, size_t len);
bool js_table_put(struct js_table *t, uint64_t key, void *value);
void *js_table_get(const struct js_table *t, uint64_t key);
struct js_value *js_unknown(struct js_reader *r, const struct js_from *from);
struct js_value *js_undefined(struct js_reader *r);
struct js_value *js_text(struct js_reader *r, const char *data, size_t len, unsigned int flags); /* borrows */
struct js_value *js_text_copy(struct js_reader *r, const char *data, size_t len, unsigned int flags);
struct js_value *js_number(struct js_reader *r, double number);
struct js_value *js_bool(struct js_reader *r, bool truth);
struct js_value *js_name(struct js_reader *r, const char *name, unsigned int flags);
struct js_value *js_name_interned(struct js_reader *r, const char *name, unsigned int flags);
struct js_value *js_namef(struct js_reader *r, unsigned int flags, const char *a, const char *b);
struct js_value *js_list(struct js_reader *r);
void js_list_add(struct js_reader *r, struct js_value *list, struct js_value *item);
struct js_value *js_object(struct js_reader *r);
void js_object_set(struct js_reader *r, struct js_value *object, const char *key, size_t len,
		   struct js_value *value);
struct js_value *js_object_get(struct js_reader *r, const struct js_value *object, const char *key,
			       size_t len);
struct js_value *js_copy(struct js_reader *r, const struct js_value *v);
struct js_value *js_with_from(struct js_reader *r, struct js_value *v, const struct js_from *from);
struct js_value *js_choice(struct js_reader *r, struct js_value *a, struct js_value *b);
const struct js_from *js_from_add(struct js_reader *r, const struct js_from *from, const char *name);
const struct js_from *js_from_join(struct js_reader *r, const struct js_from *a, const struct js_from *b);
/* What the value, everything it contains and all its alternatives come from. */
const struct js_from *js_from_all(struct js_reader *r, const struct js_value *v);
bool js_is_text(const struct js_value *v, const char *text);
bool js_is_name(const struct js_value *v, const char *name);

/* javascript_scope.c */
struct js_scope *js_scope_enter(struct js_reader *r, struct js_scope *up, bool is_function);
void js_declare(struct js_reader *r, struct js_scope *scope, const char *name, size_t len,
		struct js_value *value);
/* False when there is no such variable. */
bool js_set(struct js_reader *r, const char *name, size_t len, struct js_value *value);
/* NULL when there is none. */
struct js_var *js_find(struct js_reader *r, struct js_scope *scope, const char *name, size_t len);
struct js_value *js_get(struct js_reader *r, const char *name, size_t len);
/* Assigns VALUE to all names of a pattern, a parameter or a place. */
void js_bind(struct js_reader *r, uint32_t pattern, struct js_value *value, enum js_how how);

/* javascript_text.c */
void js_add_character(struct buf *b, unsigned long c); /* as UTF-8 */
struct js_value *js_unquote(struct js_reader *r, const char *s, size_t len);
/* As the program itself would convert it to a string; unknown parts are FACT_NOT_KNOWN. */
void js_add_text(struct js_reader *r, struct buf *b, const struct js_value *v);
struct js_value *js_fold(struct js_reader *r, struct buf *b, unsigned int flags, const struct js_from *from);
void js_add_json(struct js_reader *r, struct buf *b, const struct js_value *v, unsigned int depth);
unsigned int js_flags(const struct js_value *v); /* what a text made of it inherits */
bool js_to_number(const struct js_value *v, double *ret);
int js_truth(const struct js_value *v); /* -1: not known */
struct js_value *js_decode(struct js_reader *r, const struct js_value *v, const char *encoding);
struct js_value *js_unescape(struct js_reader *r, const struct js_value *v);

/* javascript_regex.c: NULL if not known. */
struct js_value *js_replace(struct js_reader *r, uint32_t at, const struct js_value *v,
			    const struct js_args *args, bool is_all);

/* javascript_method.c: NULL if it is not a known one. */
struct js_value *js_method(struct js_reader *r, uint32_t at, struct js_value *on, const char *method,
			   struct js_args *args);
struct js_value *js_each(struct js_reader *r, uint32_t at, struct js_value *v, const char *method,
			 struct js_value *f);
struct js_value *js_join(struct js_reader *r, const struct js_value *v, const struct js_value *by);
/* f.call(this, ...), f.apply(this, [...]), f.bind(this, ...) */
struct js_value *js_call_by(struct js_reader *r, uint32_t at, struct js_value *f, const char *method,
			    struct js_args *args);

/* javascript_builtin.c: NULL if it is not a known one. */
struct js_value *js_builtin(struct js_reader *r, uint32_t at, const char *name, struct js_args *args);

/* javascript_eval.c */
/* Whether there is time and stack for one more; reports it once if not. */
bool js_may_go_on(struct js_reader *r, uint32_t n);
struct js_value *js_eval(struct js_reader *r, uint32_t n);
void js_eval_children(struct js_reader *r, uint32_t n);
struct js_value *js_key(struct js_reader *r, uint32_t n); /* of a member, a pair, a method */

/* javascript_member.c */
struct js_value *js_member(struct js_reader *r, struct js_value *on, const struct js_value *key);

/* javascript_call.c */
struct js_value *js_eval_call(struct js_reader *r, uint32_t n);
/*
 * The value of a declaration or an assignment to PLACE, and assigning it. Functions in it that are called
 * later see the variable: const s = net.connect(() => s.write(...))
 */
struct js_value *js_settle(struct js_reader *r, uint32_t place, uint32_t value, enum js_how how);
struct js_value *js_apply(struct js_reader *r, uint32_t at, struct js_value *f, struct js_value *self,
			  struct js_args *args);
struct js_value *js_make_function(struct js_reader *r, uint32_t n, struct js_value *self);
struct js_value *js_run(struct js_reader *r, struct js_function *f, struct js_value *self,
			const struct js_args *args);
void js_call_back(struct js_reader *r, const char *name, const struct js_from *from,
		  const struct js_args *args);

/* javascript_walk.c: statements, classes */
struct js_value *js_walk(struct js_reader *r, uint32_t n, bool *ret_is_statement);
struct js_value *js_eval_class(struct js_reader *r, uint32_t n);
void js_walk_block(struct js_reader *r, uint32_t n);

/* javascript_tell.c */
void js_tell(struct js_reader *r, uint32_t at, enum fact_kind kind, const char *name, unsigned int flags,
	     const struct js_args *args, const struct js_from *from);
void js_tell_text(struct js_reader *r, uint32_t at, const struct js_value *v);
void js_tell_use(struct js_reader *r, uint32_t at, const struct js_value *v);
/* To something outside: document.cookie = ... */
void js_tell_assigned(struct js_reader *r, uint32_t at, const struct js_value *name, struct js_value *value);
/* The call itself, and what it loads, runs, starts or writes. */
void js_tell_call(struct js_reader *r, uint32_t at, const struct js_value *callee,
		  const struct js_args *args);
bool js_runs_code(const char *name);
/* A module is imported: its name as a value. */
struct js_value *js_load(struct js_reader *r, uint32_t at, const struct js_value *module, const char *by,
			 unsigned int flags);

/* The range in which a double is exact; other numbers are not computed. */
static inline bool js_is_whole(double n)
{
	return n > -9e15 && n < 9e15 && (double)(int64_t)n == n;
}

static inline bool js_is(const struct js_reader *r, uint32_t n, enum js_kind kind)
{
	return r->nodes[n].kind == kind;
}

#endif
