/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the reader of Python. It reads a program once, in the order of its text, and stores what is
 * known of each value: concatenated strings, aliases, sources. No policy.
 */
#ifndef SCAN_PYTHON_PYTHON_H
#define SCAN_PYTHON_PYTHON_H

#include "scan/core/tree.h"

#define PY_MAX_DEPTH 100u /* nesting of what is read; deeper code is read separately, later */
#define PY_MAX_EXTRA                                                                                        \
	400000u              /* steps of second rounds of loops and of calls of the program's own functions \
			      */
#define PY_MAX_ROUNDS 65536u /* of one loop */
#define PY_MAX_BYTES  (256u << 20) /* of values; the rest is not read, which is reported */
#define PY_MAX_TEXT   (256u << 10) /* of one text that was put together */
#define PY_MAX_FROM   12u
#define PY_MAX_NAME   240u
#define PY_MAX_ARGS   64u
#define PY_MAX_TEXTS  50000u /* FACT_TEXT of one program, likewise FACT_USE */

enum py_kind {
	PY_UNKNOWN,
	PY_CONST, /* name: True, False, None */
	PY_INT,
	PY_TEXT, /* also bytes */
	PY_NAME, /* something from elsewhere by its full name: os.system; if called, its result */
	PY_LIST, /* also tuples, sets, generators */
	PY_DICT, /* items: key, value, key, value */
	PY_FUNC,
	PY_PARTIAL, /* items: what to call, and the first arguments */
	PY_CLASS,
	PY_OBJECT, /* of a class of this program */
};

struct py_from {
	size_t n;
	const char *names[PY_MAX_FROM]; /* interned */
};

/* Immutable after it is made; lives as long as the reader. */
struct py_value {
	enum py_kind kind;
	bool is_indirect; /* decoded, or looked up by a string */
	bool is_called;   /* NAME: what calling it gave */
	bool is_bare;     /* NAME: not imported, so it may be anything */
	size_t n;         /* bytes of the text, or items */
	long long number;
	const char *name; /* interned */
	const char *text; /* TEXT; NAME: the path it stands for, if any */
	const struct py_value **items;
	const struct py_value *self; /* NAME, FUNC: whose attribute it is */
	struct py_func *func;
	struct py_scope *scope;     /* CLASS, OBJECT */
	const struct py_from *from; /* NULL: of nothing that counts */
};

struct py_scope {
	struct py_scope *outer;
	const struct py_value *base; /* of a class: what it inherits from, if that is of elsewhere */
	const char *name;            /* interned: of a class or function */
	bool is_class;
	bool is_module;
};

struct py_func {
	const struct py *owner; /* of whose text it is */
	TSNode parameters, body;
	struct py_scope *scope; /* where it was defined */
	const char *name;       /* interned; "" for a lambda */
	bool is_lambda;
	bool is_running; /* no recursion */
};

struct py_args {
	TSNode at;
	const char *name; /* interned: of what is called */
	const struct py_value *self;
	const struct py_value *values[PY_MAX_ARGS];
	const char *keys[PY_MAX_ARGS]; /* NULL: by place */
	size_t n;
	bool is_indirect;
	bool is_endless; /* nothing else happens in an endless loop */
	const struct py_from *from;
};

/* Fields and kinds of nodes of the grammar: see python_expr.c and python_stmt.c. */
struct py_later;
struct py_chunk;
struct py_vars;
struct py_names;

struct py {
	struct tree tree;
	TSTreeCursor cursor; /* of py_children(); owned */
	struct py *outer;    /* borrowed: who runs this text, whose variables it sees; or NULL */
	struct py_scope *module;
	unsigned int depth;
	unsigned int extra; /* how many second rounds we are in */
	size_t extra_left;
	size_t steps;

	struct py_chunk *chunks; /* owned: the memory of values */
	size_t bytes;
	size_t stores; /* how often something was kept for later */
	bool is_full;
	const struct py_scope *here; /* of the call that is being made */
	struct py_names *names;      /* owned, unless it is the outer one's */
	struct py_vars *vars;        /* owned */
	uint64_t *seen;              /* owned: hashes of facts that were told */
	size_t n_seen, cap_seen;
	size_t n_texts, n_uses, n_files;
	size_t nested_left; /* bytes of programs in texts */
	size_t work_left;   /* bytes of texts put together or told */

	struct py_later *later; /* owned */
	size_t n_later, cap_later;

	const struct py_func *running; /* the function whose body is being read, or NULL */
	const struct py_value *result; /* what it returned so far */
	bool is_endless;
	bool is_repeated;     /* in a loop whose rounds cannot be counted */
	const char *stars[8]; /* interned: modules of which everything was imported */
	size_t n_stars;
};

/* python.c: a text that the program runs; NAMES may be a dictionary of variables, or NULL */
int py_read_inner(struct py *outer, const char *text, size_t len, const struct scan_outer *at,
		  const struct py_value *names);

/* python_value.c: memory, names, values */
struct py_mark {
	struct py_chunk *chunk;
	size_t used, bytes, stores;
};
void *py_alloc(struct py *p, size_t size); /* zeroed; NULL: too much */
/* Before N bytes are concatenated: false if that is too much, which is reported at the end. */
bool py_work(struct py *p, size_t n);
struct py_mark py_mark(const struct py *p);
/* Frees what was allocated since then, unless something was kept. */
void py_rewind(struct py *p, struct py_mark mark);
void py_value_finish(struct py *p);
const char *py_intern(struct py *p, const char *text, size_t len); /* never NULL */
const char *py_internf(struct py *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

extern const struct py_value py_unknown, py_none, py_true, py_false;
struct py_value *py_new(struct py *p, enum py_kind kind);                   /* NULL: too much */
const struct py_value *py_text(struct py *p, const char *text, size_t len); /* copies */
const struct py_value *py_borrow(struct py *p, const char *text,
				 size_t len); /* of the source or of the memory of values */
const struct py_value *py_int(struct py *p, long long number);
const struct py_value *py_name(struct py *p, const char *interned);
const struct py_value *py_list(struct py *p, const struct py_value **items, size_t n,
			       enum py_kind kind); /* copies */
struct buf;
/* The same of a buffer of pointers. */
const struct py_value *py_list_of(struct py *p, const struct buf *items, enum py_kind kind);
const struct py_value *py_with_from(struct py *p, const struct py_value *v, const struct py_from *from);
const struct py_from *py_from_add(struct py *p, const struct py_from *from, const char *interned);
const struct py_from *py_from_join(struct py *p, const struct py_from *a, const struct py_from *b);
/* The sources of V, with its own name. */
const struct py_from *py_from_of(struct py *p, const struct py_value *v);
/* The string that V is or stands for: 0, or -1 for none. */
int py_text_of(struct py *p, const struct py_value *v, const char **ret_text, size_t *ret_len);
bool py_text_is(const struct py_value *v, const char *text);
static inline bool py_is_partly(const char *text, size_t len)
{
	return memchr(text, *FACT_NOT_KNOWN, len);
}

/* python_name.c: what a name means */
const char *py_name_attr(struct py *p, const char *base, const char *attr, size_t len);
const char *py_identifier(struct py *p, TSNode n);
const char *py_identifier_text(struct py *p, const char *text, size_t len);
bool py_is_builtin(const char *name);
/* Builtins that only make values: facts about them would be many and meaningless. */
bool py_is_plain(const char *name);
const char *py_star_name(struct py *p, const char *name);

/* python_scope.c: variables */
struct py_scope *py_scope_new(struct py *p, struct py_scope *outer);
void py_set(struct py *p, struct py_scope *s, const char *name, const struct py_value *v);
/* In this scope alone; NULL: no such. */
const struct py_value *py_get(struct py *p, const struct py_scope *s, const char *name);
const struct py_value *py_lookup(struct py *p, const struct py_scope *s, const char *name);
void py_declare_global(struct py *p, struct py_scope *s, const char *name);
/* What was written to files of this name. */
void py_file_written(struct py *p, const char *path, size_t len, const struct py_from *from);
const struct py_from *py_file_from(struct py *p, const char *path, size_t len);
void py_scope_finish(struct py *p);

/* python_text.c: concatenated strings; each returns NULL if not known */
const struct py_value *py_literal(struct py *p, const char *text, size_t len, bool is_raw, bool is_format);
const struct py_value *py_join_texts(struct py *p, const struct py_value *const *parts, size_t n);
const struct py_value *py_decode(struct py *p, const char *text, size_t len, const char *how);
const struct py_value *py_percent(struct py *p, const struct py_value *format, const struct py_value *values);
const struct py_value *py_slice(struct py *p, const struct py_value *v, const long long *from,
				const long long *to, long long step);
/* A method of a text, a list or a dictionary. */
const struct py_value *py_method(struct py *p, const struct py_value *self, const char *name,
				 const struct py_args *a);

/* python_expr.c */
enum py_how {
	PY_CALLEE = 1, /* it is called: no fact that it is used */
	PY_PART = 2,   /* of something larger, whose text is told */
};
const struct py_value *py_eval(struct py *p, TSNode n, struct py_scope *s, unsigned int how);
/* python_operator.c: what OPERATOR, of LEN bytes, makes of two values */
const struct py_value *py_binary(struct py *p, const char *operator, size_t len, const struct py_value *a,
				 const struct py_value *b);
const struct py_value *py_attr(struct py *p, const struct py_value *base, const char *attr);
const struct py_value *py_item(struct py *p, const struct py_value *base, const struct py_value *key);
/* The items of V: NULL if they are not known one by one. */
const struct py_value *py_iterate(struct py *p, const struct py_value *v);
const struct py_value *py_element(struct py *p, const struct py_value *v);
bool py_is_expression(TSNode n);

/* python_bind.c: assignments, imports, definitions */
void py_bind(struct py *p, TSNode target, const struct py_value *v, struct py_scope *s);
void py_import(struct py *p, TSNode n, struct py_scope *s);
void py_import_from(struct py *p, TSNode n, struct py_scope *s);
const struct py_value *py_define_function(struct py *p, TSNode n, struct py_scope *s);
const struct py_value *py_define_class(struct py *p, TSNode n, struct py_scope *s);
void py_define_decorated(struct py *p, TSNode n, struct py_scope *s);

/* python_stmt.c */
void py_run(struct py *p, TSNode n, struct py_scope *s);
/* The children of a block or module, one after another. */
void py_run_all(struct py *p, TSNode n, struct py_scope *s);
/* Reads N later, separately. */
void py_later(struct py *p, TSNode n, struct py_scope *s, struct py_func *f);
void py_run_later(struct py *p);
/* Second rounds: false when no more are allowed. */
bool py_extra_begin(struct py *p);
void py_extra_end(struct py *p);
bool py_step(struct py *p);

/* python_call.c */
const struct py_value *py_call(struct py *p, TSNode n, struct py_scope *s, unsigned int how);
const struct py_value *py_apply(struct py *p, const struct py_value *f, struct py_args *a);
const struct py_value *py_arg(const struct py_args *a, size_t place, const char *key); /* NULL: not given */
void py_arg_add(struct py *p, struct py_args *a, const char *key, const struct py_value *v);
/* Reads the body of a function with its arguments; A is NULL if nobody calls it. */
const struct py_value *py_run_function(struct py *p, struct py_func *f, const struct py_value *self,
				       const struct py_args *a);

/* python_known.c: the effect and result of a known function; NULL: it is not known */
const struct py_value *py_known(struct py *p, struct py_args *a);

/* python_path.c: paths and what is written to files, likewise */
const struct py_value *py_known_path(struct py *p, struct py_args *a);
const struct py_value *py_path(struct py *p, const char *name, const char *text, size_t len,
			       const struct py_from *from);
/* LEFT/RIGHT, as os.path.join has it. */
const struct py_value *py_path_join(struct py *p, const struct py_value *left, const struct py_value *right);

/* python_fact.c */
void py_tell(struct py *p, enum fact_kind kind, TSNode at, const char *name, const struct py_args *a,
	     bool is_indirect);
void py_tell_text(struct py *p, TSNode at, const struct py_value *v);
void py_tell_hidden(struct py *p, const struct py_args *a);
void py_tell_write(struct py *p, const struct py_args *a, const struct py_value *path);
enum py_reader { PY_SHELL, PY_PYTHON };
void py_run_text(struct py *p, const struct py_args *a, const struct py_value *v, enum py_reader reader);
void py_run_words(struct py *p, const struct py_args *a, const struct py_value *const *words, size_t n);

/* Kinds of nodes that need special handling. */
/* clang-format off */
#define PY_NODES(X) \
	X(argument_list) X(as_pattern) X(assignment) X(attribute) X(augmented_assignment) \
	X(binary_operator) X(block) X(boolean_operator) X(call) X(class_definition) X(comment) \
	X(concatenated_string) X(conditional_expression) X(decorated_definition) \
	X(default_parameter) X(delete_statement) X(dictionary) X(dictionary_comprehension) \
	X(dictionary_splat) X(dictionary_splat_pattern) X(ellipsis) X(exec_statement) \
	X(expression_list) X(expression_statement) X(false) X(float) X(for_in_clause) \
	X(for_statement) X(function_definition) X(generator_expression) X(global_statement) \
	X(identifier) X(if_clause) X(import_from_statement) X(import_statement) \
	X(future_import_statement) X(integer) X(interpolation) X(keyword_argument) X(lambda) \
	X(list) X(list_comprehension) X(list_pattern) X(list_splat) X(list_splat_pattern) X(module) \
	X(named_expression) X(none) X(nonlocal_statement) X(pair) X(parenthesized_expression) \
	X(pattern_list) X(return_statement) X(set) X(set_comprehension) X(slice) X(string) \
	X(string_content) X(string_end) X(string_start) X(subscript) X(true) X(tuple) \
	X(tuple_pattern) X(typed_default_parameter) X(typed_parameter) X(unary_operator) \
	X(while_statement) X(with_item) X(wildcard_import) X(aliased_import) X(dotted_name) \
	X(relative_import) X(comparison_operator) X(await) X(yield) X(type) X(line_continuation) \
	X(as_pattern_target)
/* clang-format on */

enum py_node {
	N_other,
#define X(name) N_##name,
	PY_NODES(X)
#undef X
		N_COUNT
};

/* clang-format off */
#define PY_FIELDS(X) \
	X(alias) X(alternative) X(argument) X(arguments) X(attribute) X(body) X(code) X(definition) \
	X(expression) X(function) X(left) X(module_name) X(name) X(object) X(operator) \
	X(parameters) X(right) X(subscript) X(superclasses) X(type) X(value) X(condition) X(key)
/* clang-format on */

enum py_field {
#define X(name) F_##name,
	PY_FIELDS(X)
#undef X
		F_COUNT
};

/* python_node.c: nodes by number, not by text */
void py_node_init(void);
enum py_node py_node(TSNode n);
TSNode py_field(TSNode n, enum py_field f);
/* The named children that are no comments: owned by the reader's memory. NULL with *ret_n 0 for none. */
TSNode *py_children(struct py *p, TSNode n, size_t *ret_n);
TSNode py_first(TSNode n); /* the first of them; may be null */

#endif
