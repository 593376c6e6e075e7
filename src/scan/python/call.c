/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in Python: of the program's own functions, whose bodies are read again with their arguments, and of
 * others.
 */
#include "scan/python/python.h"

const struct py_value *py_arg(const struct py_args *a, size_t place, const char *key)
{
	size_t at = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (key && a->keys[i] && !strcmp(a->keys[i], key))
			return a->values[i];
		if (!a->keys[i] && at++ == place)
			return a->values[i];
	}
	return NULL;
}

void py_arg_add(struct py *p, struct py_args *a, const char *key, const struct py_value *v)
{
	a->from = py_from_join(p, a->from, py_from_of(p, v));
	if (a->n == PY_MAX_ARGS)
		return;
	a->keys[a->n] = key;
	a->values[a->n++] = v;
}

static void eval_arg(struct py *p, TSNode n, struct py_scope *s, struct py_args *a, unsigned int how)
{
	enum py_node kind = py_node(n);
	const struct py_value *v;

	if (kind == N_keyword_argument) {
		v = py_eval(p, py_field(n, F_value), s, how);
		py_arg_add(p, a, py_identifier(p, py_field(n, F_name)), v);
		return;
	}
	if (kind != N_list_splat && kind != N_dictionary_splat) {
		py_arg_add(p, a, NULL, py_eval(p, n, s, how));
		return;
	}
	v = py_eval(p, py_first(n), s, 0);
	if (v->kind == PY_LIST && kind == N_list_splat)
		for (size_t i = 0; i < v->n && i < PY_MAX_ARGS; i++)
			py_arg_add(p, a, NULL, v->items[i]);
	else if (v->kind == PY_DICT && kind == N_dictionary_splat)
		for (size_t i = 0; i + 1 < v->n && i < PY_MAX_ARGS; i += 2)
			py_arg_add(p, a,
				   v->items[i]->kind == PY_TEXT
					   ? py_intern(p, v->items[i]->text, v->items[i]->n)
					   : "?",
				   v->items[i + 1]);
	else
		py_arg_add(p, a, kind == N_list_splat ? NULL : "?",
			   py_with_from(p, &py_unknown, py_from_of(p, v)));
}

/* What an object was given, it may have kept: message.set_content(text). */
static void change_object(struct py *p, TSNode holder, struct py_scope *s, const struct py_value *old,
			  const struct py_args *a)
{
	const struct py_value *new = py_with_from(p, old, a->from);

	if (new->from != old->from &&new->from && (!old->from || new->from->n != old->from->n))
		py_set(p, s, py_identifier(p, holder), new);
}

/* MORE behind the N items, by the method behind DOT; false: that is another one. */
static bool add_items(const struct py_value **items, size_t *n, const char *dot, const struct py_value *more)
{
	if (!strcmp(dot, ".append")) {
		items[(*n)++] = more;
		return true;
	}
	if (strcmp(dot, ".extend") != 0 || more->kind != PY_LIST)
		return false;
	for (size_t i = 0; i < more->n && *n < PY_MAX_ARGS; i++)
		items[(*n)++] = more->items[i];
	return true;
}

/* list.append() and the like: the variable has another value from now on. */
static void change_list(struct py *p, TSNode callee, struct py_scope *s, const struct py_value *f,
			const struct py_args *a)
{
	const struct py_value *items[PY_MAX_ARGS], *old = f->self, *more = py_arg(a, 0, NULL);
	const char *dot = f->kind == PY_NAME && f->self ? strrchr(f->name, '.') : NULL;
	TSNode holder = py_node(callee) == N_attribute ? py_field(callee, F_object) : callee;
	size_t n;

	if (!dot || py_node(holder) != N_identifier)
		return;
	if (old->kind == PY_LIST && !strcmp(dot, ".reverse")) {
		more = py_slice(p, old, NULL, NULL, -1);
		py_set(p, s, py_identifier(p, holder), more ? more : &py_unknown);
		return;
	}
	if (!more)
		return;
	if (old->kind == PY_NAME ? old->is_called : old->kind == PY_UNKNOWN)
		change_object(p, holder, s, old, a);
	if (old->kind != PY_LIST || old->n >= PY_MAX_ARGS)
		return;
	n = old->n;
	memcpy(items, old->items, n * sizeof(*items));
	if (add_items(items, &n, dot, more))
		py_set(p, s, py_identifier(p, holder),
		       py_with_from(p, py_list(p, items, n, PY_LIST), py_from_join(p, old->from, a->from)));
}

const struct py_value *py_call(struct py *p, TSNode n, struct py_scope *s, unsigned int how)
{
	TSNode callee = py_field(n, F_function), arguments = py_field(n, F_arguments);
	const struct py_value *f = py_eval(p, callee, s, PY_CALLEE | PY_PART), *v;
	struct py_args a = { .at = n };
	bool is_method = f->kind == PY_NAME && f->self && f->self->kind == PY_TEXT;
	size_t count;
	TSNode *args;

	if (py_node(arguments) == N_generator_expression) {
		py_arg_add(p, &a, NULL, py_eval(p, arguments, s, PY_PART));
	} else if (!ts_node_is_null(arguments)) {
		args = py_children(p, arguments, &count);
		for (size_t i = 0; i < count; i++)
			eval_arg(p, args[i], s, &a, is_method ? PY_PART : 0);
	}
	while (py_node(callee) == N_parenthesized_expression)
		callee = py_first(callee);
	change_list(p, callee, s, f, &a);
	p->here = s;
	v = py_apply(p, f, &a);
	if (v->kind == PY_TEXT && !(how & PY_PART))
		py_tell_text(p, n, v);
	return v;
}

struct parameter {
	TSNode name, value, type;
	bool is_rest, is_keys;
};

static struct parameter read_parameter(TSNode n)
{
	struct parameter r = { .name = n };

	switch ((int)py_node(n)) {
	case N_default_parameter:
		r.name = py_field(n, F_name);
		r.value = py_field(n, F_value);
		break;
	case N_typed_default_parameter:
		r.name = py_field(n, F_name);
		r.value = py_field(n, F_value);
		r.type = py_field(n, F_type);
		break;
	case N_typed_parameter:
		r.name = py_first(n);
		r.type = py_field(n, F_type);
		break;
	default:
		break;
	}
	r.is_rest = py_node(r.name) == N_list_splat_pattern;
	r.is_keys = py_node(r.name) == N_dictionary_splat_pattern;
	return r;
}

/* A parameter nobody gave: its default, else something of the type it is said to have. */
static const struct py_value *guess_parameter(struct py *p, const struct py_func *f,
					      const struct parameter *param, bool is_called)
{
	const struct py_value *v = ts_node_is_null(param->value) ? &py_unknown
								 : py_eval(p, param->value, f->scope, 0),
			      *type;
	struct py_value *made;

	if (v->kind != PY_UNKNOWN && (v->kind != PY_CONST || is_called))
		return v;
	if (ts_node_is_null(param->type))
		return &py_unknown;
	type = py_eval(p, py_first(param->type), f->scope, PY_CALLEE | PY_PART);
	if (type->kind != PY_NAME || type->is_bare || type->is_called || !strchr(type->name, '.') ||
	    !(made = py_new(p, PY_NAME)))
		return &py_unknown;
	made->name = type->name;
	made->is_called = true;
	made->from = py_from_add(p, NULL, type->name);
	return made;
}

static const struct py_value *rest_of(struct py *p, const struct py_args *a, size_t place)
{
	const struct py_value *items[PY_MAX_ARGS];
	size_t n = 0, at = 0;

	for (size_t i = 0; i < a->n; i++)
		if (!a->keys[i] && at++ >= place)
			items[n++] = a->values[i];
	return py_with_from(p, py_list(p, items, n, PY_LIST), a->from);
}

static void bind_parameters(struct py *p, const struct py_func *f, struct py_scope *s,
			    const struct py_value *self, const struct py_args *a)
{
	size_t count = 0, place = 0;
	TSNode *params = ts_node_is_null(f->parameters) ? NULL : py_children(p, f->parameters, &count);

	for (size_t i = 0; i < count; i++) {
		struct parameter param = read_parameter(params[i]);
		const struct py_value *v;

		if (ts_node_is_null(param.name))
			continue;
		if (i == 0 && self)
			v = self;
		else if (a && param.is_rest)
			v = rest_of(p, a, place);
		else if (param.is_rest || param.is_keys)
			v = a ? py_with_from(p, &py_unknown, a->from) : &py_unknown;
		else
			v = a ? py_arg(a, place++, py_identifier(p, param.name)) : NULL;
		py_bind(p, param.name, v ? v : guess_parameter(p, f, &param, a), s);
	}
}

const struct py_value *py_run_function(struct py *p, struct py_func *f, const struct py_value *self,
				       const struct py_args *a)
{
	const struct py_func *was_running = p->running;
	const struct py_value *was_result = p->result, *result;
	struct py_scope *s = py_scope_new(p, f->scope);
	bool was_endless = p->is_endless, was_repeated = p->is_repeated;
	struct py_value *object = NULL;

	if (f->is_running || s == f->scope || f->owner != p)
		return &py_unknown;
	if (!self && f->scope->is_class && !f->is_lambda && (object = py_new(p, PY_OBJECT))) {
		object->scope = f->scope;
		self = a ? NULL : object;
	}
	f->is_running = true;
	p->running = f;
	p->result = NULL;
	p->is_endless = p->is_repeated = false;
	bind_parameters(p, f, s, self, a);
	if (f->is_lambda)
		p->result = py_eval(p, f->body, s, 0);
	else if (!ts_node_is_null(f->body))
		py_run(p, f->body, s);
	result = p->result ? p->result : &py_unknown;
	f->is_running = false;
	p->running = was_running;
	p->result = was_result;
	p->is_endless = was_endless;
	p->is_repeated = was_repeated;
	return result;
}

static const struct py_value *call_function(struct py *p, const struct py_value *f, const struct py_args *a)
{
	const struct py_value *v = &py_unknown;

	if (p->depth + 8 < PY_MAX_DEPTH && py_extra_begin(p)) {
		v = py_run_function(p, f->func, f->self, a);
		py_extra_end(p);
	}
	return py_with_from(p, v, a->from);
}

static const struct py_value *call_class(struct py *p, const struct py_value *f, const struct py_args *a)
{
	const struct py_value *init = f->scope ? py_get(p, f->scope, py_intern(p, "__init__", 8)) : NULL;
	struct py_value *v = py_new(p, PY_OBJECT), *bound = py_new(p, PY_FUNC);

	if (!v || !bound)
		return &py_unknown;
	v->scope = f->scope;
	v->from = a->from;
	if (init && init->kind == PY_FUNC) {
		*bound = *init;
		bound->self = v;
		call_function(p, bound, a);
	}
	return v;
}

/* The words of what is started, if it is a file that was filled from elsewhere, or one that an interpreter is
 * given. */
static const struct py_from *from_words(struct py *p, const struct py_value *v, const struct py_from *from,
					bool *is_runner)
{
	static const char *const runners[] = { "bash",   "chmod", "dash",   "env",     "node",
					       "nohup",  "perl",  "python", "python3", "ruby",
					       "setsid", "sh",    "source", "sudo",    "zsh" };
	size_t start = 0;

	for (size_t i = 0; v->text && v->n < 1024 && i <= v->n && *is_runner; i++) {
		if (i < v->n && v->text[i] != ' ')
			continue;
		from = py_from_join(p, from, py_file_from(p, v->text + start, i - start));
		*is_runner = i - start > 0 && (v->text[start] == '-' || v->text[start] == '+');
		for (size_t k = 0; k < sizeof(runners) / sizeof(*runners); k++)
			*is_runner |= i - start == strlen(runners[k]) &&
				      !memcmp(v->text + start, runners[k], i - start);
		start = i + 1;
	}
	return from;
}

static const struct py_from *from_files(struct py *p, const struct py_args *a)
{
	const struct py_value *v = a->n ? a->values[0] : &py_unknown;
	const struct py_from *from = a->from;
	bool is_runner = true;

	if (v->kind != PY_LIST)
		return from_words(p, v, from, &is_runner);
	for (size_t i = 0; i < v->n && i < 8; i++)
		from = from_words(p, v->items[i], from, &is_runner);
	return from;
}

/* What a function that is not known gives: something with its name. */
static const struct py_value *result_of(struct py *p, const struct py_value *f, const struct py_args *a)
{
	struct py_value *result = py_new(p, PY_NAME);

	if (!result)
		return &py_unknown;
	result->name = f->name;
	result->is_called = true;
	result->is_bare = f->is_bare;
	result->is_indirect = f->is_indirect;
	if (f->is_bare || (f->self && f->self->is_called)) /* a method's object has its own name in there */
		result->from = a->from;
	else
		result->from = py_from_add(p, a->from, f->name);
	return result;
}

static const struct py_value *call_name(struct py *p, const struct py_value *f, struct py_args *a)
{
	const struct py_value *v = NULL;

	a->name = f->name;
	a->self = f->self;
	a->is_indirect |= f->is_indirect;
	a->is_endless = p->is_endless;
	a->from = py_from_join(p, a->from, f->from);
	if (strstr(f->name, ".to_bytes"))
		a->from = py_from_add(p, a->from, py_intern(p, "int.to_bytes", 12));
	if (f->self)
		v = py_method(p, f->self, strrchr(f->name, '.') ? strrchr(f->name, '.') + 1 : f->name, a);
	if (v)
		return v;
	if (p->n_files && str_is_one_of_n(f->name, strcspn(f->name, "."), "os|subprocess|runpy") &&
	    strchr(f->name, '.'))
		a->from = from_files(p, a);
	if (!f->is_bare && (!py_is_plain(f->name) || (a->n && a->keys[a->n - 1])))
		py_tell(p, FACT_CALL, a->at, f->name, a, a->is_indirect);
	v = py_known(p, a);
	if (v)
		return v;
	return result_of(p, f, a);
}

const struct py_value *py_apply(struct py *p, const struct py_value *f, struct py_args *a)
{
	if (f->kind == PY_FUNC)
		return call_function(p, f, a);
	if (f->kind == PY_CLASS)
		return call_class(p, f, a);
	if (f->kind == PY_PARTIAL && f->n) {
		struct py_args all = { .at = a->at };

		for (size_t i = 1; i < f->n; i++)
			py_arg_add(p, &all, NULL, f->items[i]);
		for (size_t i = 0; i < a->n; i++)
			py_arg_add(p, &all, a->keys[i], a->values[i]);
		if (p->depth >= PY_MAX_DEPTH || f->items[0]->kind == PY_PARTIAL)
			return &py_unknown;
		return py_apply(p, f->items[0], &all);
	}
	if (f->kind == PY_NAME)
		return call_name(p, f, a);
	if (f->kind == PY_UNKNOWN && f->name) { /* of getattr() */
		a->name = f->name;
		py_tell_hidden(p, a);
	}
	return py_with_from(p, &py_unknown, py_from_join(p, a->from, f->from));
}
