/* SPDX-License-Identifier: Apache-2.0 */
/* Paths in Python as far as known, and functions that write files. The home directory is "~". */
#include <stdlib.h>

#include "base/str.h"
#include "scan/python/python.h"

static const struct py_value *with_text(struct py *p, const char *name, const struct py_value *v,
					const struct py_from *from)
{
	struct py_value *path = py_new(p, PY_NAME);

	if (!path)
		return &py_unknown;
	path->name = py_intern(p, name, PY_MAX_NAME);
	path->is_called = true;
	path->text = v->text;
	path->n = v->n;
	path->from = from;
	path->is_indirect = v->is_indirect;
	return path;
}

const struct py_value *py_path(struct py *p, const char *name, const char *text, size_t len,
			       const struct py_from *from)
{
	return with_text(p, name, py_borrow(p, text, len), from);
}

const struct py_value *py_path_join(struct py *p, const struct py_value *left, const struct py_value *right)
{
	const struct py_value *slash = py_borrow(p, "/", 1), *parts[3] = { left, slash, right }, *v;
	const char *l = "", *r = "";
	size_t n = 0, m = 0;
	bool is_known = py_text_of(p, left, &l, &n) == 0;

	if (py_text_of(p, right, &r, &m) == 0 && m && *r == '/')
		v = py_borrow(p, r, m); /* begins anew */
	else if (is_known && (!n || l[n - 1] == '/'))
		v = py_join_texts(p, (const struct py_value *const[]){ left, right }, 2);
	else
		v = py_join_texts(p, parts, 3);
	if (!v)
		return &py_unknown;
	v = py_with_from(p, v, py_from_join(p, py_from_of(p, left), py_from_of(p, right)));
	return left->kind == PY_NAME && strncmp(left->name, "pathlib", 7) == 0
		       ? with_text(p, left->name, v, v->from)
		       : v;
}

struct rule {
	const char *name;
	const struct py_value *(*run)(struct py *p, struct py_args *a, const struct rule *rule);
	unsigned char place; /* of the path */
	unsigned char mode;  /* of how it is opened; 0: no such argument */
	const char *key;
};

static const struct py_value *path_of(const struct py_args *a, const struct rule *rule)
{
	return py_arg(a, rule->place, rule->key);
}

static const struct py_value *join(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = rule->place ? a->self : a->n ? a->values[0] : NULL;

	for (size_t i = !rule->place; v && i < a->n; i++)
		if (!a->keys[i])
			v = py_path_join(p, v, a->values[i]);
	return v;
}

/* The same path, told in another way. */
static const struct py_value *same(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = path_of(a, rule);

	(void)p;
	return v && v->text ? v : NULL;
}

static const struct py_value *same_self(struct py *p, struct py_args *a, const struct rule *rule)
{
	(void)p;
	(void)rule;
	return a->self && a->self->text ? a->self : NULL;
}

static const struct py_value *expand(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = path_of(a, rule), *home = py_borrow(p, "$HOME", 5),
			      *tilde = py_borrow(p, "~", 1);
	struct py_args both = { .at = a->at };

	if (!v || v->kind != PY_TEXT)
		return v && v->text ? v : NULL;
	py_arg_add(p, &both, NULL, home);
	py_arg_add(p, &both, NULL, tilde);
	return py_method(p, v, "replace", &both);
}

static const struct py_value *parent(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = path_of(a, rule);
	size_t n = v && v->text ? v->n : 0;

	if (!v || !v->text)
		return NULL;
	while (n && v->text[n - 1] != '/')
		n--;
	return py_borrow(p, v->text, n > 1 ? n - 1 : n);
}

static const struct py_value *last_part(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = path_of(a, rule);
	size_t n = v && v->text ? v->n : 0;

	if (!v || !v->text)
		return NULL;
	while (n && v->text[n - 1] != '/')
		n--;
	return py_borrow(p, v->text + n, v->n - n);
}

static const struct py_value *get_env(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *key = path_of(a, rule), *other = py_arg(a, 1, "default");
	const struct py_value *v =
		py_item(p, py_name(p, py_intern(p, "os.environ", 10)), key ? key : &py_unknown);

	return !v->text && other && other->kind == PY_TEXT ? py_with_from(p, other, v->from) : v;
}

static const struct py_value *make_path(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = a->n ? a->values[0] : py_borrow(p, ".", 1);

	(void)rule;
	for (size_t i = 1; i < a->n; i++)
		v = py_path_join(p, v, a->values[i]);
	if (!v->text)
		return NULL;
	return with_text(p, "pathlib.Path", v, a->from);
}

static const struct py_value *make_home(struct py *p, struct py_args *a, const struct rule *rule)
{
	(void)rule;
	return py_path(p, "pathlib.Path", "~", 1, a->from);
}

/* What goes through a directory keeps its path: the names below are "path/?" */
static const struct py_value *go_through(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = path_of(a, rule);

	return v && v->text ? with_text(p, a->name, v, py_from_add(p, a->from, a->name)) : NULL;
}

static const struct py_value *find_files(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = path_of(a, rule);

	if (!v || !v->text)
		return NULL;
	v = py_with_from(p, py_borrow(p, v->text, v->n), py_from_add(p, a->from, a->name));
	return py_list(p, &v, 1, PY_LIST);
}

static const struct py_value *find_below(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *v = a->self, *what = py_arg(a, 0, NULL);

	(void)rule;
	if (!v || !v->text)
		return NULL;
	v = py_path_join(p, v, what && what->kind == PY_TEXT ? what : &py_unknown);
	return py_list(p, &v, 1, PY_LIST);
}

static bool is_writing(const struct py_value *mode)
{
	if (mode && mode->kind == PY_TEXT)
		for (size_t i = 0; i < mode->n; i++)
			if (strchr("wax+", mode->text[i]))
				return true;
	for (size_t i = 0; mode && mode->from && i < mode->from->n; i++) /* of os.open */
		if (str_is_one_of(mode->from->names[i], "os.O_WRONLY|os.O_RDWR|os.O_CREAT"))
			return true;
	return false;
}

static const struct py_value *open_file(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *path = rule->place == 9 ? a->self : path_of(a, rule);
	const struct py_value *mode = py_arg(a, rule->mode, "mode"), *v;
	const struct py_from *from = py_from_add(p, a->from, a->name);

	if (!path)
		return NULL;
	if (is_writing(mode))
		py_tell_write(p, a, path);
	if (!path->text)
		return NULL;
	if (!is_writing(mode)) {
		from = py_from_join(p, from, py_file_from(p, path->text, path->n));
		from = py_from_add(p, from,
				   py_internf(p, "file:%.*s",
					      (int)(path->n < PY_MAX_NAME ? path->n : PY_MAX_NAME),
					      path->text));
	}
	v = with_text(p, strchr(a->name, '.') && strncmp(a->name, "pathlib", 7) != 0 ? a->name : "open", path,
		      from);
	return v;
}

/* Path.read_text() and the like. */
static const struct py_value *read_file(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_from *from = py_from_add(p, a->from, a->name);

	(void)rule;
	if (!a->self || !a->self->text)
		return NULL;
	from = py_from_add(p, from,
			   py_internf(p, "file:%.*s",
				      (int)(a->self->n < PY_MAX_NAME ? a->self->n : PY_MAX_NAME),
				      a->self->text));
	return py_with_from(p, &py_unknown,
			    py_from_join(p, from, py_file_from(p, a->self->text, a->self->n)));
}

static void note_written(struct py *p, const struct py_args *a, const struct py_value *path)
{
	py_tell_write(p, a, path);
	if (path->text && a->from) {
		py_file_written(p, path->text, path->n, a->from);
		p->n_files++;
	}
}

static const struct py_value *write_file(struct py *p, struct py_args *a, const struct rule *rule)
{
	const struct py_value *path = path_of(a, rule);

	if (path) {
		a->from = py_from_add(p, a->from, a->name);
		note_written(p, a, path);
	}
	return NULL;
}

static const struct py_value *write_self(struct py *p, struct py_args *a, const struct rule *rule)
{
	(void)rule;
	if (a->self && a->self->kind == PY_NAME && a->self->text)
		note_written(p, a, a->self);
	return NULL;
}

static const struct rule rules[] = {
	/* sorted by name */
	{ "aiofiles.open", open_file, 0, 1, "file" },
	{ "codecs.open", open_file, 0, 1, "filename" },
	{ "glob.glob", find_files, 0, 0, "pathname" },
	{ "glob.iglob", find_files, 0, 0, "pathname" },
	{ "gzip.open", open_file, 0, 1, "filename" },
	{ "io.open", open_file, 0, 1, "file" },
	{ "open", open_file, 0, 1, "file" },
	{ "os.environ.get", get_env, 0, 0, "key" },
	{ "os.environ.pop", get_env, 0, 0, "key" },
	{ "os.fspath", same, 0, 0, NULL },
	{ "os.getenv", get_env, 0, 0, "key" },
	{ "os.link", write_file, 1, 0, "dst" },
	{ "os.open", open_file, 0, 1, "path" },
	{ "os.path.abspath", same, 0, 0, NULL },
	{ "os.path.basename", last_part, 0, 0, NULL },
	{ "os.path.dirname", parent, 0, 0, NULL },
	{ "os.path.expanduser", expand, 0, 0, NULL },
	{ "os.path.expandvars", expand, 0, 0, NULL },
	{ "os.path.join", join, 0, 0, NULL },
	{ "os.path.normpath", same, 0, 0, NULL },
	{ "os.path.realpath", same, 0, 0, NULL },
	{ "os.rename", write_file, 1, 0, "dst" },
	{ "os.replace", write_file, 1, 0, "dst" },
	{ "os.scandir", go_through, 0, 0, "path" },
	{ "os.symlink", write_file, 1, 0, "dst" },
	{ "os.truncate", write_file, 0, 0, "path" },
	{ "os.walk", go_through, 0, 0, "top" },
	{ "pathlib.Path", make_path, 0, 0, NULL },
	{ "pathlib.Path.absolute", same_self, 0, 0, NULL },
	{ "pathlib.Path.as_posix", same_self, 0, 0, NULL },
	{ "pathlib.Path.expanduser", same_self, 0, 0, NULL },
	{ "pathlib.Path.glob", find_below, 0, 0, NULL },
	{ "pathlib.Path.home", make_home, 0, 0, NULL },
	{ "pathlib.Path.iterdir", find_below, 0, 0, NULL },
	{ "pathlib.Path.joinpath", join, 1, 0, NULL },
	{ "pathlib.Path.open", open_file, 9, 0, NULL },
	{ "pathlib.Path.read_bytes", read_file, 0, 0, NULL },
	{ "pathlib.Path.read_text", read_file, 0, 0, NULL },
	{ "pathlib.Path.resolve", same_self, 0, 0, NULL },
	{ "pathlib.Path.rglob", find_below, 0, 0, NULL },
	{ "pathlib.Path.touch", write_self, 0, 0, NULL },
	{ "pathlib.Path.write_bytes", write_self, 0, 0, NULL },
	{ "pathlib.Path.write_text", write_self, 0, 0, NULL },
	{ "pathlib.PosixPath", make_path, 0, 0, NULL },
	{ "pathlib.PurePath", make_path, 0, 0, NULL },
	{ "shutil.copy", write_file, 1, 0, "dst" },
	{ "shutil.copy2", write_file, 1, 0, "dst" },
	{ "shutil.copyfile", write_file, 1, 0, "dst" },
	{ "shutil.copytree", write_file, 1, 0, "dst" },
	{ "shutil.move", write_file, 1, 0, "dst" },
	{ "urllib.request.urlretrieve", write_file, 1, 0, "filename" },
	{ "wget.download", write_file, 1, 0, "out" },
};

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct rule *)row)->name);
}

const struct py_value *py_known_path(struct py *p, struct py_args *a)
{
	const struct rule *rule =
		bsearch(a->name, rules, sizeof(rules) / sizeof(*rules), sizeof(*rules), by_name);
	const char *dot = strrchr(a->name, '.');

	if (rule)
		return rule->run(p, a, rule);
	if (dot && str_is_one_of(dot, ".write|.writelines"))
		return write_self(p, a, NULL);
	return NULL;
}
