/* SPDX-License-Identifier: Apache-2.0 */
/* Checks, keeps and reads the variables of boxes. */
#include "box/variables.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/list_file.h"

static const struct list_file kept = { .place = "variables",
				       .what = "the variables",
				       .most = BOX_VARIABLES_BYTES };

static const char *value_in(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (!strncmp(*env, name, n) && (*env)[n] == '=')
			return *env;
	return NULL;
}

/* Whether one behind I has the same name. */
static bool comes_again(const struct strlist *given, size_t i)
{
	size_t n = strcspn(given->items[i], "=");

	for (size_t k = i + 1; k < given->n; k++)
		if (strcspn(given->items[k], "=") == n && !strncmp(given->items[k], given->items[i], n))
			return true;
	return false;
}

int box_variables_settle(const struct strlist *given, const char *const *env, struct strlist *ret,
			 struct aisbx_error *e)
{
	size_t bytes = 0;

	if (given->n > BOX_VARIABLES_MOST)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				    "a box has at most %u variables, not %zu", BOX_VARIABLES_MOST, given->n);
	for (size_t i = 0; i < given->n; i++) {
		const char *text = given->items[i];
		size_t n = strcspn(text, "=");

		if (!n)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "a variable without a name; write NAME or NAME=VALUE, such as "
					    "--env PORT=80");
		if (comes_again(given, i))
			continue;
		if (!text[n])
			text = value_in(env, text);
		if (!text) /* the caller has none: no more has the box */
			continue;
		bytes += strlen(text) + 1;
		strlist_add(ret, text);
	}
	if (bytes > BOX_VARIABLES_BYTES)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				    "the variables of a box have at most %u bytes, not %zu; put what is "
				    "long into a file of the box",
				    BOX_VARIABLES_BYTES, bytes);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "store the variables of a box") : 0;
}

int box_variables_keep(const char *dir, const char *id, const struct strlist *variables,
		       struct aisbx_error *e)
{
	return list_file_keep(&kept, dir, id, variables, e);
}

int box_variables_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e)
{
	return list_file_read(&kept, dir, id, ret, e);
}

int box_variables_names(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist all = { 0 };
	int r = box_variables_read(dir, id, &all, e);

	for (size_t i = 0; i < all.n; i++)
		strlist_addf(ret, "%.*s", (int)strcspn(all.items[i], "="), all.items[i]);
	return r == 0 && ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the variables of a box")
				     : r;
}

void box_variables_drop(const char *dir, const char *id)
{
	list_file_drop(&kept, dir, id);
}
