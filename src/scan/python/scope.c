/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of a Python program, of all scopes in one table; and what it wrote to which files. */
#include <stdlib.h>

#include "scan/python/python.h"

struct var {
	const void *scope; /* NULL: free */
	const char *name;  /* interned */
	const struct py_value *value;
};

struct py_vars {
	struct var *table; /* owned */
	size_t n, cap;
};

#define MAX_OUTER 64 /* scopes in scopes that a name is looked for in */

static const char files; /* its address is the scope of names of files */
static const struct py_value is_global = { .kind = PY_UNKNOWN };

static size_t slot(const struct py_vars *vars, const void *scope, const char *name)
{
	uint64_t h = ((uint64_t)(uintptr_t)scope * 0x9e3779b97f4a7c15u) ^
		     ((uint64_t)(uintptr_t)name * 0xc2b2ae3d27d4eb4fu);
	size_t at = (size_t)(h ^ h >> 32) & (vars->cap - 1);

	while (vars->table[at].scope && (vars->table[at].scope != scope || vars->table[at].name != name))
		at = (at + 1) & (vars->cap - 1);
	return at;
}

static bool grow(struct py_vars *vars)
{
	struct py_vars bigger = { .n = vars->n, .cap = vars->cap ? vars->cap * 2 : 256 };

	bigger.table = calloc(bigger.cap, sizeof(*bigger.table));
	if (!bigger.table)
		return false;
	for (size_t i = 0; i < vars->cap; i++)
		if (vars->table[i].scope)
			bigger.table[slot(&bigger, vars->table[i].scope, vars->table[i].name)] =
				vars->table[i];
	free(vars->table);
	*vars = bigger;
	return true;
}

static struct var *find(struct py *p, const void *scope, const char *name, bool make)
{
	struct var *v;

	if (!p->vars && !(p->vars = calloc(1, sizeof(*p->vars))))
		goto full;
	if (p->vars->n * 2 >= p->vars->cap) {
		if (p->bytes + p->vars->cap * sizeof(*v) > PY_MAX_BYTES || !grow(p->vars))
			goto full;
		p->bytes += p->vars->cap / 2 * sizeof(*v);
	}
	v = &p->vars->table[slot(p->vars, scope, name)];
	if (!v->scope && !make)
		return NULL;
	if (!v->scope) {
		*v = (struct var){ scope, name, NULL };
		p->vars->n++;
		p->stores++;
	}
	return v;
full:
	p->is_full = true;
	return NULL;
}

struct py_scope *py_scope_new(struct py *p, struct py_scope *outer)
{
	struct py_scope *s = py_alloc(p, sizeof(*s));

	p->stores++;
	if (!s)
		return outer;
	s->outer = outer;
	s->name = "";
	return s;
}

/* "except ImportError: x = None" does not make the module go away. */
static bool is_fallback(const struct py_value *old, const struct py_value *new)
{
	return old && new->kind == PY_CONST &&
	       (old->kind == PY_NAME || old->kind == PY_FUNC || old->kind == PY_CLASS);
}

void py_set(struct py *p, struct py_scope *s, const char *name, const struct py_value *v)
{
	struct var *var = find(p, s, name, true);

	if (var && var->value == &is_global)
		var = find(p, p->module, name, true);
	if (!var || is_fallback(var->value, v))
		return;
	p->stores++;
	var->value = v;
}

const struct py_value *py_get(struct py *p, const struct py_scope *s, const char *name)
{
	struct var *var = find(p, s, name, false);

	return var ? var->value : NULL;
}

const struct py_value *py_lookup(struct py *p, const struct py_scope *s, const char *name)
{
	const struct py_value *found;
	unsigned int n = 0;

	for (const struct py_scope *at = s; at && n++ < MAX_OUTER; at = at->outer) {
		const struct py_value *v = at->is_class && at != s ? NULL : py_get(p, at, name);

		if (v && v != &is_global)
			return v;
	}
	found = py_get(p, p->module, name);
	/* Functions of another text cannot be read here; what they are called is enough. */
	if (!found && p->outer)
		found = py_lookup(p->outer, p->outer->here ? p->outer->here : p->outer->module, name);
	return found;
}

void py_declare_global(struct py *p, struct py_scope *s, const char *name)
{
	struct var *var = s != p->module ? find(p, s, name, true) : NULL;

	if (var)
		var->value = &is_global;
}

void py_file_written(struct py *p, const char *path, size_t len, const struct py_from *from)
{
	struct var *var = from && len ? find(p, &files, py_intern(p, path, len), true) : NULL;
	struct py_value *v = var ? py_new(p, PY_UNKNOWN) : NULL;

	if (!v)
		return;
	v->from = py_from_join(p, var->value ? var->value->from : NULL, from);
	var->value = v;
	p->stores++;
}

const struct py_from *py_file_from(struct py *p, const char *path, size_t len)
{
	struct var *var = len ? find(p, &files, py_intern(p, path, len), false) : NULL;

	return var && var->value ? var->value->from : NULL;
}

void py_scope_finish(struct py *p)
{
	if (p->vars)
		free(p->vars->table);
	free(p->vars);
	p->vars = NULL;
}
