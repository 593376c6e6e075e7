/* SPDX-License-Identifier: Apache-2.0 */
/* `rm --all`: which boxes the project has, what is lost with them, and the question. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/ask.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"

/* Boxes whose changes are counted: more are only named. */
#define MOST_COUNTED 50

static int list_boxes(struct op_context *ctx, json_t **ret, struct aisbx_error *e)
{
	json_t *none = json_object(), *result = NULL;
	int r = op_call(&op_ls, ctx, none, &result, e);

	*ret = r == 0 ? json_incref(json_object_get(result, "boxes")) : NULL;
	json_decref(none);
	json_decref(result);
	return r;
}

/* How many files of BOX are not as in the project; -1: that is not known. */
static json_int_t count_changes(struct op_context *ctx, const char *box)
{
	json_t *args = json_pack("{s:s, s:s}", "box", box, "drift", "off"), *result = NULL, *number;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	json_int_t n = -1;
	const char *kind;

	if (op_call(&op_diff, ctx, args, &result, &ignored) == 0) {
		n = 0;
		json_object_foreach(json_object_get(result, "summary"), kind, number) n +=
			json_integer_value(number);
	}
	json_decref(args);
	json_decref(result);
	return n;
}

static void show(struct op_context *ctx, const json_t *boxes, const char *project)
{
	const json_t *box;
	size_t i;

	fprintf(stderr, "%zu %s of ", json_array_size(boxes), json_array_size(boxes) == 1 ? "box" : "boxes");
	cli_print_name(stderr, project);
	fprintf(stderr, ":\n");
	json_array_foreach(boxes, i, box)
	{
		json_int_t n = i < MOST_COUNTED ? count_changes(ctx, text_of(box, "id")) : -1;

		fprintf(stderr, "  %-24s ", text_of(box, "name"));
		if (n > 0)
			fprintf(stderr, "%lld %s not promoted\n", (long long)n,
				n == 1 ? "change" : "changes");
		else
			fprintf(stderr, n ? "changes not counted\n" : "no changes\n");
	}
}

static bool agrees(void)
{
	char line[64];

	ask_forget_typed();
	fprintf(stderr, "Remove them with all their changes and snapshots? [y/N] ");
	fflush(stderr);
	if (!fgets(line, sizeof(line), stdin))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return str_is_one_of(line, "y|yes|Y");
}

int cli_rm_all(struct op_context *ctx, const char *project, bool yes, json_t *args, struct aisbx_error *e)
{
	json_t *boxes = NULL, *ids = json_array(), *box;
	size_t i;
	int r;

	ctx->by.project = project;
	if (json_object_get(args, "boxes"))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "give either BOX or --all");
	else
		r = list_boxes(ctx, &boxes, e);
	if (r == 0 && !json_array_size(boxes))
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				 "there are no boxes of '%s'", project);
	if (r == 0 && !yes && (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)))
		r = aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOTTY,
			"%zu boxes of '%s' would be removed, and nobody can be asked; --yes confirms it",
			json_array_size(boxes), project);
	if (r == 0 && !yes) {
		show(ctx, boxes, project);
		if (!agrees())
			r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, ECANCELED,
					 "nothing was removed");
	}
	json_array_foreach(boxes, i, box) json_array_append(ids, json_object_get(box, "id"));
	json_object_set_new(args, "boxes", ids);
	json_decref(boxes);
	return r;
}
