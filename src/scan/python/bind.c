/* SPDX-License-Identifier: Apache-2.0 */
/* What assigns names in Python: assignments, imports, definitions of functions and classes. */
#include "scan/python/python.h"

#define MAX_CHANGED 64 /* items of a list or dictionary that grows bit by bit */

static void bind_attribute(struct py *p, TSNode target, const struct py_value *v, struct py_scope *s)
{
	const struct py_value *base = py_eval(p, py_field(target, F_object), s, PY_CALLEE | PY_PART);
	const char *attr = py_identifier(p, py_field(target, F_attribute));

	if ((base->kind == PY_OBJECT || base->kind == PY_CLASS) && base->scope)
		py_set(p, base->scope, attr, v);
	else if (base->kind == PY_NAME && !base->is_bare && v->kind != PY_UNKNOWN)
		py_set(p, p->module, py_name_attr(p, base->name, attr, strlen(attr)), v);
}

static void bind_item(struct py *p, TSNode target, const struct py_value *v, struct py_scope *s)
{
	TSNode holder = py_field(target, F_value), at = py_field(target, F_subscript);
	const struct py_value *base = py_eval(p, holder, s, PY_CALLEE | PY_PART);
	const struct py_value *key =
		ts_node_is_null(at) || py_node(at) == N_slice ? &py_unknown : py_eval(p, at, s, PY_PART);
	const struct py_value *items[MAX_CHANGED + 2];

	if (base->kind == PY_NAME && !base->is_bare) {
		struct py_args a = { .at = target, .name = py_internf(p, "%s.__setitem__", base->name) };

		py_arg_add(p, &a, NULL, key);
		py_arg_add(p, &a, NULL, v);
		py_tell(p, FACT_CALL, target, a.name, &a, false);
		if (key->kind == PY_TEXT && !strcmp(base->name, "globals"))
			py_set(p, p->module, py_identifier_text(p, key->text, key->n), v);
	}
	if (base->kind == PY_DICT && base->n <= MAX_CHANGED && py_node(holder) == N_identifier) {
		memcpy(items, base->items, base->n * sizeof(*items));
		items[base->n] = key;
		items[base->n + 1] = v;
		py_set(p, s, py_identifier(p, holder),
		       py_with_from(p, py_list(p, items, base->n + 2, PY_DICT),
				    py_from_join(p, base->from, py_from_of(p, v))));
	}
}

static void bind_all(struct py *p, TSNode target, const struct py_value *v, struct py_scope *s)
{
	size_t n;
	TSNode *targets = py_children(p, target, &n);
	bool has_splat = false;

	for (size_t i = 0; i < n; i++) {
		has_splat |= py_node(targets[i]) == N_list_splat_pattern;
		py_bind(p, targets[i],
			v->kind == PY_LIST && i < v->n && !has_splat ? v->items[i] : py_element(p, v), s);
	}
}

void py_bind(struct py *p, TSNode target, const struct py_value *v, struct py_scope *s)
{
	if (!py_step(p) || p->depth >= PY_MAX_DEPTH)
		return;
	p->depth++;
	switch ((int)py_node(target)) {
	case N_identifier:
		py_set(p, s, py_identifier(p, target), v);
		break;
	case N_attribute:
		bind_attribute(p, target, v, s);
		break;
	case N_subscript:
		bind_item(p, target, v, s);
		break;
	case N_pattern_list:
	case N_tuple_pattern:
	case N_list_pattern:
	case N_tuple:
	case N_list:
	case N_expression_list:
		bind_all(p, target, v, s);
		break;
	case N_as_pattern_target:
	case N_parenthesized_expression:
	case N_list_splat_pattern:
	case N_dictionary_splat_pattern:
		if (!ts_node_is_null(py_first(target)))
			py_bind(p, py_first(target), v, s);
		break;
	default:
		break;
	}
	p->depth--;
}

static const char *dotted(struct py *p, TSNode n)
{
	char plain[PY_MAX_NAME + 1];
	size_t len, kept = 0;
	const char *text = tree_bytes(&p->tree, n, &len);

	for (size_t i = 0; i < len && kept < PY_MAX_NAME; i++)
		if (!strchr(" \t\r\n\\", text[i]))
			plain[kept++] = text[i];
	return py_identifier_text(p, plain, kept);
}

/* The same modules, whatever they are called. */
static const char *real_module(struct py *p, const char *name)
{
	static const char *const known[][2] = {
		{ "posix", "os" },
		{ "nt", "os" },
		{ "__builtin__", "builtins" },
		{ "urllib2", "urllib.request" },
		{ "posixpath", "os.path" },
		{ "ntpath", "os.path" },
		{ "_posixsubprocess", "subprocess" },
		{ "_pickle", "pickle" },
		{ "cPickle", "pickle" },
		{ "_socket", "socket" },
		{ "_ctypes", "ctypes" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i][0], name))
			return py_intern(p, known[i][1], PY_MAX_NAME);
	return name;
}

static void bind_module(struct py *p, TSNode n, struct py_scope *s, const char *full, const char *as)
{
	struct py_value *v = py_new(p, PY_NAME);

	if (!v)
		return;
	v->name = full;
	v->is_indirect = strcmp(full, as) != 0 && as != full;
	py_tell(p, FACT_IMPORT, n, full, NULL, v->is_indirect);
	py_set(p, s, as, v);
}

void py_import(struct py *p, TSNode n, struct py_scope *s)
{
	size_t count;
	TSNode *names = py_children(p, n, &count);

	for (size_t i = 0; i < count; i++) {
		bool has_alias = py_node(names[i]) == N_aliased_import;
		const char *full = dotted(p, has_alias ? py_field(names[i], F_name) : names[i]),
			   *dot = strchr(full, '.');
		const char *real = real_module(p, full);

		if (has_alias) {
			bind_module(p, names[i], s, real, py_identifier(p, py_field(names[i], F_alias)));
			continue;
		}
		py_tell(p, FACT_IMPORT, names[i], real, NULL, false);
		if (dot) /* binds the package alone */
			full = real = py_intern(p, full, (size_t)(dot - full));
		py_set(p, s, full, py_name(p, real));
	}
}

static void import_one(struct py *p, TSNode n, struct py_scope *s, const char *module)
{
	bool has_alias = py_node(n) == N_aliased_import;
	const char *name = dotted(p, has_alias ? py_field(n, F_name) : n);
	const char *as = has_alias ? py_identifier(p, py_field(n, F_alias)) : name;
	struct py_value *v = py_new(p, PY_NAME);

	if (!v)
		return;
	v->name = py_name_attr(p, module, name, strlen(name));
	v->is_indirect = as != name;
	py_tell(p, FACT_IMPORT, n, v->name, NULL, v->is_indirect);
	py_set(p, s, as, v);
}

void py_import_from(struct py *p, TSNode n, struct py_scope *s)
{
	TSNode from = py_field(n, F_module_name);
	const char *module = ts_node_is_null(from) ? "__future__" : real_module(p, dotted(p, from));
	size_t count;
	TSNode *names = py_children(p, n, &count);

	py_tell(p, FACT_IMPORT, n, module, NULL, false);
	for (size_t i = ts_node_is_null(from) ? 0 : 1; i < count; i++) {
		if (py_node(names[i]) != N_wildcard_import)
			import_one(p, names[i], s, module);
		else if (p->n_stars < sizeof(p->stars) / sizeof(*p->stars))
			p->stars[p->n_stars++] = module;
	}
}

const struct py_value *py_define_function(struct py *p, TSNode n, struct py_scope *s)
{
	struct py_func *f = py_alloc(p, sizeof(*f));
	struct py_value *v = py_new(p, PY_FUNC);
	TSNode type = py_field(n, F_type);

	if (!f || !v)
		return &py_unknown;
	*f = (struct py_func){ .owner = p,
			       .parameters = py_field(n, F_parameters),
			       .body = py_field(n, F_body),
			       .scope = s,
			       .name = py_identifier(p, py_field(n, F_name)) };
	v->func = f;
	if (!ts_node_is_null(type))
		py_run(p, type, s);
	py_set(p, s, f->name, v);
	py_later(p, f->body, s, f);
	return v;
}

const struct py_value *py_define_class(struct py *p, TSNode n, struct py_scope *s)
{
	struct py_value *v = py_new(p, PY_CLASS);
	struct py_scope *scope = py_scope_new(p, s);
	TSNode bases = py_field(n, F_superclasses), body = py_field(n, F_body);
	size_t count = 0;
	TSNode *children = ts_node_is_null(bases) ? NULL : py_children(p, bases, &count);

	if (!v || scope == s)
		return &py_unknown;
	scope->is_class = true;
	scope->name = py_identifier(p, py_field(n, F_name));
	for (size_t i = 0; i < count; i++) {
		bool is_key = py_node(children[i]) == N_keyword_argument;
		const struct py_value *base =
			py_eval(p, is_key ? py_field(children[i], F_value) : children[i], s, 0);

		if (!scope->base && (base->kind == PY_CLASS || (base->kind == PY_NAME && !base->is_bare)))
			scope->base = base;
	}
	v->scope = scope;
	py_set(p, s, scope->name, v);
	if (!ts_node_is_null(body))
		py_run_all(p, body, scope);
	return v;
}

/* "@f def g" is "g = f(g)". */
void py_define_decorated(struct py *p, TSNode n, struct py_scope *s)
{
	size_t count;
	TSNode *parts = py_children(p, n, &count), inner = py_field(n, F_definition);
	const struct py_value *v = &py_unknown;

	if (!ts_node_is_null(inner))
		v = py_node(inner) == N_class_definition ? py_define_class(p, inner, s)
							 : py_define_function(p, inner, s);
	for (size_t i = count; i > 0; i--) {
		struct py_args a = { .at = parts[i - 1] };
		const struct py_value *f, *made;

		if (ts_node_eq(parts[i - 1], inner))
			continue;
		f = py_eval(p, py_first(parts[i - 1]), s, PY_CALLEE);
		py_arg_add(p, &a, NULL, v);
		made = py_apply(p, f, &a);
		if (made->kind == PY_TEXT || made->kind == PY_FUNC || (made->from && v->kind == PY_UNKNOWN))
			v = made;
		else if (f->kind == PY_NAME && !strcmp(f->name, "input"))
			v = py_with_from(p, &py_unknown, made->from);
	}
}
