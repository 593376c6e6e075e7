/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a seccomp file as Docker and the OCI runtimes have it: a default action, and entries with names of
 * calls, an action, comparisons of arguments, and on what machines they count. What it does not know it
 * refuses: left out, it could be what holds a program back.
 */
#include "helpers/seccomp/translate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <jansson.h>

#include "base/error.h"

#define MAX_CALLS 1024 /* numbers of calls are below that on all machines */
#define MAX_ARGS  6
#define MAX_ERRNO 4095

#if defined(__x86_64__)
static const char *const own_names[] = { "amd64", "x86_64", "SCMP_ARCH_X86_64" };
#elif defined(__aarch64__)
static const char *const own_names[] = { "arm64", "aarch64", "SCMP_ARCH_AARCH64" };
#else
#error "find out what this machine is called in seccomp files"
#endif

/* From the mildest to the strictest, as the kernel orders them. */
static const struct {
	const char *name;
	uint32_t action;
} actions[] = {
	{ "SCMP_ACT_ALLOW", SCMP_ACT_ALLOW },
	{ "SCMP_ACT_LOG", SCMP_ACT_LOG },
	{ "SCMP_ACT_ERRNO", SCMP_ACT_ERRNO(0) },
	{ "SCMP_ACT_TRAP", SCMP_ACT_TRAP },
	{ "SCMP_ACT_KILL", SCMP_ACT_KILL_THREAD },
	{ "SCMP_ACT_KILL_THREAD", SCMP_ACT_KILL_THREAD },
	{ "SCMP_ACT_KILL_PROCESS", SCMP_ACT_KILL_PROCESS },
};

struct verdict {
	size_t rank; /* among actions */
	uint32_t action;
};

struct translation {
	scmp_filter_ctx filter;
	struct verdict otherwise;
	uint32_t said[MAX_CALLS]; /* what earlier entries say of a call, plus 1; 0: nothing */
	bool always[MAX_CALLS];   /* one of them has no comparison */
	struct translate_notes *notes;
	struct aisbx_error *e;
};

static int refuse(struct translation *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct translation *t, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return aisbx_refuse(t->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s", text);
}

/* Keys of O, all of them in the list KNOWN ("a|b"). */
static int check_keys(struct translation *t, json_t *o, const char *known, const char *where)
{
	const char *key;
	json_t *value;

	json_object_foreach(o, key, value)
	{
		size_t n = strlen(key);
		const char *at = n ? strstr(known, key) : NULL;

		while (at && ((at != known && at[-1] != '|') || (at[n] && at[n] != '|')))
			at = strstr(at + 1, key);
		if (!at)
			return refuse(t, "unknown key '%.40s' in %s", key, where);
	}
	return 0;
}

static int read_action(struct translation *t, const json_t *name, const json_t *number, struct verdict *ret)
{
	const char *text = json_string_value(name);
	json_int_t err = number ? json_integer_value(number) : EPERM;
	size_t i = 0;

	if (!text)
		return refuse(t, "an entry has no action");
	if (!strcmp(text, "SCMP_ACT_NOTIFY") || !strcmp(text, "SCMP_ACT_TRACE"))
		return refuse(t, "the action '%s' needs a program beside the box, which there is not", text);
	while (i < sizeof(actions) / sizeof(*actions) && strcmp(actions[i].name, text) != 0)
		i++;
	if (i == sizeof(actions) / sizeof(*actions))
		return refuse(t, "unknown action '%.40s'", text);
	if (number && (!json_is_integer(number) || err < 0 || err > MAX_ERRNO))
		return refuse(t, "the error number of an action must be between 0 and %d", MAX_ERRNO);
	*ret = (struct verdict){ i, actions[i].action };
	if (actions[i].action == SCMP_ACT_ERRNO(0))
		ret->action = SCMP_ACT_ERRNO((uint32_t)err);
	return 0;
}

/* 1 if a text of LIST names this machine, 0 if not. */
static int names_machine(struct translation *t, const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return refuse(t, "'arches' must be a list of names");
		for (size_t n = 0; n < sizeof(own_names) / sizeof(*own_names); n++)
			if (!strcmp(own_names[n], json_string_value(item)))
				return 1;
	}
	return 0;
}

/* 1 if this kernel is as new as MIN, "4.8", 0 if not. */
static int kernel_is(struct translation *t, const json_t *min)
{
	unsigned int want[2], have[2] = { 0, 0 };
	struct utsname here;
	char rest;

	if (!json_is_string(min) || sscanf(json_string_value(min), "%u.%u%c", &want[0], &want[1], &rest) != 2)
		return refuse(t, "'minKernel' must be a version such as \"4.8\"");
	if (uname(&here) < 0 || sscanf(here.release, "%u.%u", &have[0], &have[1]) != 2)
		return refuse(t, "the version of this kernel is not known");
	return have[0] > want[0] || (have[0] == want[0] && have[1] >= want[1]);
}

static int check_condition(struct translation *t, json_t *c, const char *where)
{
	const json_t *caps = json_object_get(c, "caps"), *arches = json_object_get(c, "arches");

	if (!c || json_is_null(c))
		return 0;
	if (!json_is_object(c) || (caps && !json_is_array(caps) && !json_is_null(caps)) ||
	    (arches && !json_is_array(arches) && !json_is_null(arches)))
		return refuse(t, "%s must be an object with lists 'caps' and 'arches'", where);
	return check_keys(t, c, "caps|arches|minKernel", where);
}

/* 1 if the entry counts here, 0 if not. A box has none of the host's capabilities. */
static int counts(struct translation *t, const json_t *entry)
{
	json_t *in = json_object_get(entry, "includes"), *ex = json_object_get(entry, "excludes");
	const json_t *min = json_object_get(in, "minKernel"), *max = json_object_get(ex, "minKernel");
	int r = check_condition(t, in, "'includes'");

	if (r == 0)
		r = check_condition(t, ex, "'excludes'");
	if (r < 0)
		return r;
	if (json_array_size(json_object_get(in, "caps")))
		return 0;
	if (json_array_size(json_object_get(in, "arches")) &&
	    (r = names_machine(t, json_object_get(in, "arches"))) <= 0)
		return r;
	if ((r = names_machine(t, json_object_get(ex, "arches"))) != 0)
		return r < 0 ? r : 0;
	if (min && !json_is_null(min) && (r = kernel_is(t, min)) <= 0)
		return r;
	if (max && !json_is_null(max) && (r = kernel_is(t, max)) != 0)
		return r < 0 ? r : 0;
	return 1;
}

static int read_number(struct translation *t, const json_t *arg, const char *key, scmp_datum_t *ret)
{
	const json_t *v = json_object_get(arg, key);

	if (v && (!json_is_integer(v) || json_integer_value(v) < 0))
		return refuse(t, "'%s' of an argument must be a number that is not negative", key);
	*ret = v ? (scmp_datum_t)json_integer_value(v) : 0;
	return 0;
}

static int read_arg(struct translation *t, json_t *arg, struct scmp_arg_cmp *ret)
{
	static const struct {
		const char *name;
		enum scmp_compare op;
	} ops[] = {
		{ "SCMP_CMP_NE", SCMP_CMP_NE },
		{ "SCMP_CMP_LT", SCMP_CMP_LT },
		{ "SCMP_CMP_LE", SCMP_CMP_LE },
		{ "SCMP_CMP_EQ", SCMP_CMP_EQ },
		{ "SCMP_CMP_GE", SCMP_CMP_GE },
		{ "SCMP_CMP_GT", SCMP_CMP_GT },
		{ "SCMP_CMP_MASKED_EQ", SCMP_CMP_MASKED_EQ },
	};
	const char *op = json_string_value(json_object_get(arg, "op"));
	scmp_datum_t index = MAX_ARGS;
	size_t i = 0;
	int r = json_is_object(arg) ? check_keys(t, arg, "index|value|valueTwo|op", "an argument")
				    : refuse(t, "'args' must be a list of objects");

	if (r == 0)
		r = read_number(t, arg, "index", &index);
	if (r == 0)
		r = read_number(t, arg, "value", &ret->datum_a);
	if (r == 0)
		r = read_number(t, arg, "valueTwo", &ret->datum_b);
	if (r < 0)
		return r;
	while (op && i < sizeof(ops) / sizeof(*ops) && strcmp(ops[i].name, op) != 0)
		i++;
	if (!op || i == sizeof(ops) / sizeof(*ops))
		return refuse(t, "unknown comparison '%.40s'", op ? op : "");
	if (!json_object_get(arg, "index") || index >= MAX_ARGS)
		return refuse(t, "'index' of an argument must be between 0 and %d", MAX_ARGS - 1);
	ret->arg = (unsigned int)index;
	ret->op = ops[i].op;
	return 0;
}

struct comparisons {
	struct scmp_arg_cmp items[MAX_ARGS];
	unsigned int n;
	bool any; /* one argument is compared twice: as runtimes read it, one comparison is enough */
};

static int read_args(struct translation *t, const json_t *list, struct comparisons *ret)
{
	json_t *arg;
	size_t i;

	*ret = (struct comparisons){ 0 };
	if (list && !json_is_array(list) && !json_is_null(list))
		return refuse(t, "'args' must be a list of objects");
	json_array_foreach(list, i, arg)
	{
		int r = i < MAX_ARGS ? read_arg(t, arg, &ret->items[i])
				     : refuse(t, "an entry has more than %d comparisons", MAX_ARGS);

		if (r < 0)
			return r;
		for (unsigned int n = 0; n < ret->n; n++)
			ret->any |= ret->items[n].arg == ret->items[i].arg;
		ret->n++;
	}
	return 0;
}

static int add_rules(struct translation *t, int number, const struct verdict *v, const struct comparisons *c)
{
	int r = 0;

	if (!c->any)
		return seccomp_rule_add_array(t->filter, v->action, number, c->n, c->items);
	for (unsigned int i = 0; r == 0 && i < c->n; i++)
		r = seccomp_rule_add_array(t->filter, v->action, number, 1, &c->items[i]);
	return r;
}

/*
 * Without a number: libseccomp does not know it, or it is a call of other machines only. What is not allowed
 * for that is refused, but what is not refused would be allowed.
 */
static int skip_call(struct translation *t, const char *name, int number, const struct verdict *v)
{
	if (number != __NR_SCMP_ERROR)
		return 0;
	if (v->rank > t->otherwise.rank)
		return refuse(t, "there is no system call '%.40s', which an entry wants to refuse", name);
	if (!t->notes->unknown++)
		snprintf(t->notes->first, sizeof(t->notes->first), "%s", name);
	return 0;
}

static int add_call(struct translation *t, const char *name, const struct verdict *v,
		    const struct comparisons *c)
{
	int number = seccomp_syscall_resolve_name(name), r;

	if (number < 0)
		return skip_call(t, name, number, v);
	if (number >= MAX_CALLS)
		return refuse(t, "the number of '%.40s' is not known", name);
	if (t->said[number] && t->said[number] != v->action + 1 && (t->always[number] || !c->n))
		return refuse(t, "two entries want different things of '%.40s'", name);
	t->said[number] = v->action + 1;
	t->always[number] |= !c->n;
	if (v->action == t->otherwise.action)
		return 0; /* and libseccomp would refuse it */
	r = add_rules(t, number, v, c);
	return r < 0 && r != -EEXIST
		       ? refuse(t, "libseccomp refuses an entry for '%.40s': %s", name, strerror(-r))
		       : 0;
}

static int add_entry(struct translation *t, json_t *entry)
{
	const json_t *names = json_object_get(entry, "names"), *name = json_object_get(entry, "name");
	struct comparisons c = { 0 };
	struct verdict v = { 0 };
	size_t i;
	int r = json_is_object(entry)
			? check_keys(t, entry,
				     "names|name|action|args|errnoRet|errno|includes|excludes|comment",
				     "an entry of 'syscalls'")
			: refuse(t, "'syscalls' must be a list of objects");

	if (r == 0)
		r = read_action(t, json_object_get(entry, "action"), json_object_get(entry, "errnoRet"), &v);
	if (r == 0)
		r = read_args(t, json_object_get(entry, "args"), &c);
	if (r == 0 && (json_is_array(names) == json_is_string(name)))
		r = refuse(t, "an entry of 'syscalls' needs either 'names', a list, or 'name'");
	if (r < 0 || (r = counts(t, entry)) <= 0)
		return r;
	r = name ? add_call(t, json_string_value(name), &v, &c) : 0;
	json_array_foreach(names, i, name)
	{
		if (r == 0)
			r = json_is_string(name) ? add_call(t, json_string_value(name), &v, &c)
						 : refuse(t, "'names' must be a list of names");
	}
	return r;
}

static int fill(struct translation *t, json_t *root)
{
	static const char keys[] = "defaultAction|defaultErrnoRet|defaultErrno|architectures|archMap|"
				   "syscalls|flags|listenerPath|listenerMetadata|comment";
	const json_t *list = json_object_get(root, "syscalls");
	json_t *entry;
	size_t i;
	int r;

	if (!json_is_object(root) || !json_object_get(root, "defaultAction"))
		return refuse(t, "it has no 'defaultAction', so it is no seccomp file as Docker has it");
	r = check_keys(t, root, keys, "the file");
	if (r == 0)
		r = read_action(t, json_object_get(root, "defaultAction"),
				json_object_get(root, "defaultErrnoRet"), &t->otherwise);
	if (r == 0 && list && !json_is_array(list) && !json_is_null(list))
		r = refuse(t, "'syscalls' must be a list of objects");
	if (r < 0)
		return r;
	t->filter = seccomp_init(t->otherwise.action);
	if (!t->filter || seccomp_attr_set(t->filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) < 0 ||
	    seccomp_attr_set(t->filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) < 0)
		return refuse(t, "libseccomp does not take its default action");
	json_array_foreach(list, i, entry)
	{
		if (r == 0)
			r = add_entry(t, entry);
		if (r < 0)
			return aisbx_context(t->e, "entry %zu", i + 1);
	}
	return 0;
}

int translate(const char *text, size_t len, scmp_filter_ctx *ret_filter, struct translate_notes *ret_notes,
	      struct aisbx_error *e)
{
	static struct translation t;
	json_error_t wrong;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &wrong);
	int r;

	*ret_notes = (struct translate_notes){ 0 };
	t = (struct translation){ .notes = ret_notes, .e = e };
	if (!root)
		return refuse(&t, "line %d: %s", wrong.line, wrong.text);
	r = fill(&t, root);
	json_decref(root);
	if (r < 0 && t.filter)
		seccomp_release(t.filter);
	if (r == 0)
		*ret_filter = t.filter;
	return r;
}
