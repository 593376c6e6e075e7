/* SPDX-License-Identifier: Apache-2.0 */
/* The branches of an experiment: from the given words, or from the project's file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "flow/try.h"

void try_approaches_finish(struct try_approaches *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->items[i].name);
		free(a->items[i].command);
		strlist_finish(&a->items[i].argv);
	}
	free(a->items);
	*a = (struct try_approaches){ 0 };
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the branches");
}

static int make_room(struct try_approaches *a, size_t n, struct aisbx_error *e)
{
	a->items = calloc(n + 1, sizeof(*a->items));
	return a->items ? 0 : no_memory(e);
}

/* NAME NULL: its number. */
static int add_name(struct try_approaches *a, const char *name, struct aisbx_error *e)
{
	struct try_approach *b = &a->items[a->n++];

	if (name)
		b->name = strdup(name);
	else if (asprintf(&b->name, "%zu", a->n) < 0)
		b->name = NULL;
	return b->name ? 0 : no_memory(e);
}

static int set_command(struct try_approach *b, const char *const *words, size_t n, size_t shown,
		       struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (size_t i = 0; i < n; i++)
		strlist_add(&b->argv, words[i]);
	for (size_t i = shown; i < n; i++)
		buf_addf(&text, "%s%s", i > shown ? " " : "", words[i]);
	b->command = buf_str(&text) ? strdup(text.data) : NULL;
	return b->command && !b->argv.failed ? 0 : no_memory(e);
}

static int read_given(const struct try_request *req, struct try_approaches *a, struct aisbx_error *e)
{
	int r = make_room(a, req->n_commands, e);

	for (size_t i = 0; r == 0 && i < req->n_commands; i++) {
		const struct strlist *words = &req->commands[i];
		const char *shell[] = { "sh", "-c", words->n ? words->items[0] : "" };
		const bool one = words->n <= 1; /* one word is a text for a shell */
		struct try_approach *b = &a->items[i];

		r = add_name(a, i < req->names.n ? req->names.items[i] : NULL, e);
		if (r == 0)
			r = one ? set_command(b, shell, 3, 2, e)
				: set_command(b, (const char *const *)words->items, words->n, 0, e);
		if (r == 0 && !b->command[strspn(b->command, " \t\r\n")])
			r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					 "branch %zu has no command; give one after each '--'", i + 1);
	}
	return r;
}

static int read_file(const struct project_experiment *x, struct try_approaches *a, struct aisbx_error *e)
{
	int r = make_room(a, x->n_branches, e);

	for (size_t i = 0; r == 0 && i < x->n_branches; i++) {
		const struct strlist *argv = &x->branches[i].argv;
		bool shell = argv->n == 3 && !strcmp(argv->items[0], "sh") && !strcmp(argv->items[1], "-c");

		r = add_name(a, x->branches[i].name, e);
		if (r == 0)
			r = set_command(&a->items[i], (const char *const *)argv->items, argv->n,
					shell ? 2 : 0, e);
	}
	return r;
}

/* There, not too long, and no two alike. */
static int check_names(const struct try_approaches *a, struct aisbx_error *e)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *name = a->items[i].name;

		if (!*name || strlen(name) > STORE_NAME_MAX)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "the name of a branch must have 1 to %d bytes", STORE_NAME_MAX);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(name, a->items[k].name))
				return aisbx_refuse(
					e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					"two branches have the name '%s'; give each a different one", name);
	}
	return 0;
}

int try_approaches_read(const struct try_request *req, const struct project_experiment *x,
			struct try_approaches *ret, struct aisbx_error *e)
{
	int r = x && !req->n_commands ? read_file(x, ret, e) : read_given(req, ret, e);

	if (r < 0)
		return r;
	if (!ret->n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "nothing to try; give commands: aisbx try --test 'make test' -- 'command "
				    "A' -- 'command B'");
	if (ret->n > TRY_MAX_BRANCHES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "%zu branches; an experiment may have at most %u", ret->n,
				    TRY_MAX_BRANCHES);
	if (req->names.n > ret->n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "%zu names for %zu branches; give --name once for each", req->names.n,
				    ret->n);
	return check_names(ret, e);
}

int try_approaches_name(const struct try_request *req, struct try_approaches *ret, struct aisbx_error *e)
{
	const struct strlist *names = &req->names;
	const uint64_t count = req->count != TRY_UNSAID ? req->count : names->n ? names->n : 2;
	int r;

	if (count < 1 || count > TRY_MAX_BRANCHES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "an experiment must have 1 to %u branches", TRY_MAX_BRANCHES);
	if (names->n > count)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "%zu names for %llu branches; omit --count, or give --name once for each",
				    names->n, (unsigned long long)count);
	r = make_room(ret, count, e);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_name(ret, i < names->n ? names->items[i] : NULL, e);
	return r < 0 ? r : check_names(ret, e);
}
