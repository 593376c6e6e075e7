/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `create` and `fork`: new boxes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/recorded.h"
#include "op/args.h"
#include "op/drift.h"
#include "op/pin.h"
#include "op/point.h"
#include "op/value.h"

static uint64_t ttl_of(const json_t *args)
{
	uint64_t ms = 0;

	op_value_ms(json_object_get(args, "ttl"), &ms);
	return ms;
}

/* Which secrets its runs get. Whether there are such is seen when one starts. */
static int read_specs(const struct op_context *ctx, const json_t *args, struct strlist *ret,
		      struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist given = { 0 };
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(args, "secret"), i, item)
		strlist_add(&given, json_string_value(item));
	return given.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "create a box")
			    : box_specs_settle(&given, ctx->cwd, ret, e);
}

static int run_create(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *project = json_string_value(json_object_get(args, "project"));
	const char *from, *ref = op_profile_ref(ctx, args, NULL, &from);
	scoped(box_profile_finish) struct box_profile profile = { 0 };
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(drop_mem) char *path = path_resolve(ctx->cwd, project ? project : ".");
	struct box_new how = { .name = json_string_value(json_object_get(args, "name")),
			       .project = path,
			       .ttl_ms = ttl_of(args),
			       .autosnap = json_is_true(json_object_get(args, "autosnap")),
			       .shared = json_is_true(json_object_get(args, "shared")) };
	scoped(strlist_finish) struct strlist specs = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const struct pin_how tell = op_pin_how(ctx);
	struct box_pin pin = BOX_PIN_INIT;
	bool pins = json_is_true(json_object_get(args, "pin"));
	struct stat st;
	json_t *text;
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "create a box");
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return aisbx_fail(e, AISBX_AREA_USAGE, errno ? errno : ENOTDIR, "project '%s'", path);
	text = json_string(path);
	if (!text)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EILSEQ,
				    "the path of the project is not UTF-8; no box can be made of it yet");
	json_decref(text);
	r = box_profile_load(ref, ctx->cwd, &profile, e);
	if (r == 0 && strlen(profile.ref) > STORE_NAME_MAX)
		r = aisbx_refuse(
			e, AISBX_AREA_USAGE, ENAMETOOLONG,
			"the path of profile '%.100s' is too long for a box to remember; put the file into "
			"~/.config/aisbx/profiles and use its name",
			profile.ref);
	how.profile = profile.ref;
	if (!how.ttl_ms)
		how.ttl_ms = profile.rules.profile.limits[LIMIT_LIFETIME];
	if (r == 0)
		r = read_specs(ctx, args, &specs, e);
	if (r == 0)
		r = box_shelf_open(&shelf, e);
	if (r == 0 && how.name)
		r = box_check_name(how.name, e); /* before anything is copied */
	if (r == 0 && pins)
		r = box_pin_make(&shelf, path, &tell, &pin, e);
	if (pins) {
		how.pin = pin.id;
		how.pinned = pin.count.since;
	}
	if (r == 0)
		r = box_create(&shelf, &how, &box, e);
	if (shelf.dir)
		box_pin_finish(&shelf, &pin, r == 0);
	if (r == 0) {
		r = box_specs_keep(shelf.dir, box.id, &specs, e);
		if (r == 0 && json_is_true(json_object_get(args, "record")))
			r = box_recorded_set(shelf.dir, box.id, e);
		if (r < 0)
			box_remove(&shelf, &box, &ignored);
	}
	if (r < 0)
		return r;
	*ret_result = box_json(&box);
	if (pins)
		op_add_pin(&pin.count, *ret_result);
	return 0;
}

static const struct op_param create_params[] = {
	{ .name = "project",
	  .type = OP_STRING,
	  .value = "DIR",
	  .help = "directory that can be written in the box; default: the current one" },
	{ .name = "profile",
	  .letter = 'p',
	  .type = OP_STRING,
	  .value = "PROFILE",
	  .help = "what its runs may do: a name that 'aisbx profile ls' shows, or a file (with a '/'); "
		  "default: $AISBX_PROFILE, or dev" },
	{ .name = "ttl",
	  .type = OP_DURATION,
	  .value = "TIME",
	  .help = "its life: then runs in it end, and gc removes it" },
	{ .name = "secret",
	  .type = OP_LIST,
	  .value = "NAME=SOURCE",
	  .help = "give every run in it this secret, read anew each time; as in run" },
	{ .name = "shared",
	  .type = OP_FLAG,
	  .help = "for others than the session or token that makes it, too; a person has all anyway" },
	{ .name = "pin",
	  .type = OP_FLAG,
	  .help = "keep the project as it is now, whatever is done to it outside: a copy, which takes its "
		  "time" },
	{ .name = "autosnap",
	  .type = OP_FLAG,
	  .help = "take a snapshot after each run that changed something" },
	{ .name = "record", .type = OP_FLAG, .help = "record every run in it, as 'run --record' does" },
	{ .name = "name",
	  .type = OP_STRING,
	  .positional = true,
	  .value = "NAME",
	  .help = "its name; default: its id",
	  .model = true },
	{ .name = NULL },
};

static const struct op_field create_result[] = { BOX_FIELDS(""), PIN_FIELDS, { NULL, NULL, NULL } };

const struct op op_create = {
	.name = "create",
	.method = "box.create",
	.tool = "sandbox_create",
	.brief = "Make a box: a branch of this machine and of the project that keeps its changes, in "
		 "milliseconds. Write and run in it "
		 "with the other tools; the real project changes only by sandbox_promote. Returns its name.",
	.summary = "Make a box: a branch of this machine that keeps its changes",
	.about = "A box is a clone of this machine that stays. Commands run in it with 'aisbx run --box "
		 "NAME' see the\n"
		 "changes of the ones before them. Making one takes milliseconds whatever the size of the "
		 "project.\n\n"
		 "The box sees the real project, with what is changed there later, wherever it has changed "
		 "nothing itself;\n"
		 "'aisbx diff' and others tell of that. With --pin it gets a copy instead, and nothing "
		 "outside can change what it\n"
		 "sees. The copy shares its contents with the project where the file system can (btrfs, "
		 "xfs), else it takes as much\n"
		 "time and room as any copy. What changes while it is made is copied again. Snapshots and "
		 "forks have it, too.",
	.example = "aisbx create try1\naisbx run --box try1 -- make\naisbx create --pin release",
	.grant = GRANT_RUN,
	.params = create_params,
	.result = create_result,
	.run = run_create,
};

#define MAX_FORKS 10000

static int count_of(const json_t *args, uint64_t *ret_count, struct aisbx_error *e)
{
	*ret_count = 1;
	op_value_number(json_object_get(args, "count"), ret_count);
	if (*ret_count < 1 || *ret_count > MAX_FORKS)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "count must be 1 to %d", MAX_FORKS);
	return 0;
}

/* All of them or none. */
static void drop_boxes(struct box_shelf *shelf, struct store_box *boxes, uint64_t n)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	for (uint64_t i = 0; i < n; i++) {
		box_remove(shelf, &boxes[i], &ignored);
		store_box_finish(&boxes[i]);
	}
}

static int run_fork(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	const char *key = json_string_value(json_object_get(args, "from"));
	scoped(point_finish) struct point from = POINT_INIT;
	scoped(strlist_finish) struct strlist names = { 0 };
	scoped(strlist_finish) struct strlist specs = { 0 };
	scoped(drop_mem) struct box_new *how = NULL;
	scoped(drop_mem) struct store_box *boxes = NULL;
	struct op_drift_wish wish;
	json_t *list;
	uint64_t count;
	int r = count_of(args, &count, e);

	if (r == 0)
		r = op_drift_wish(args, &wish, e);

	(void)ctx;
	if (r == 0)
		r = point_open(key, !strchr(key, '@'), &from,
			       e); /* a snapshot does not change: no need to wait */
	if (r < 0)
		return r;
	how = calloc(count, sizeof(*how));
	boxes = calloc(count, sizeof(*boxes));
	for (uint64_t i = 0; name && i < count; i++)
		count > 1 ? strlist_addf(&names, "%s-%llu", name, (unsigned long long)i + 1)
			  : strlist_add(&names, name);
	if (!how || !boxes || names.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "fork box '%s'", from.box.name);
	for (uint64_t i = 0; i < count; i++)
		how[i] = (struct box_new){ .name = name ? names.items[i] : NULL,
					   .profile = from.box.profile,
					   .project = from.box.project,
					   .ttl_ms = ttl_of(args),
					   .autosnap = from.box.autosnap,
					   .shared = json_is_true(json_object_get(args, "shared")) };
	r = box_specs_read(from.shelf.dir, from.box.id, &specs, e);
	if (r == 0)
		r = box_fork(&from.shelf, &from.box, from.snapshot[0] ? from.snapshot : NULL, how, count,
			     boxes, e);
	if (r < 0)
		return r;
	for (uint64_t i = 0; r == 0 && i < count; i++)
		r = box_specs_keep(from.shelf.dir, boxes[i].id, &specs, e);
	if (r < 0) {
		drop_boxes(&from.shelf, boxes, count);
		return r;
	}
	list = json_array();
	for (uint64_t i = 0; i < count; i++) {
		json_array_append_new(list, box_json(&boxes[i]));
		store_box_finish(&boxes[i]);
	}
	*ret_result = json_pack("{s:o}", "boxes", list);
	op_add_drift(&wish, &from.shelf, &from.box, from.snapshot, *ret_result);
	return 0;
}

static const struct op_param fork_params[] = {
	{ .name = "count",
	  .letter = 'n',
	  .type = OP_NUMBER,
	  .value = "N",
	  .help = "make N of them: NAME-1, NAME-2, ...",
	  .model = true },
	{ .name = "name",
	  .type = OP_STRING,
	  .value = "NAME",
	  .help = "name of the new box; default: its id",
	  .model = true },
	{ .name = "ttl",
	  .type = OP_DURATION,
	  .value = "TIME",
	  .help = "its life: then runs in it end, and gc removes it" },
	{ .name = "shared",
	  .type = OP_FLAG,
	  .help = "for others than the session or token that makes it, too; a person has all anyway" },
	{ .name = "from",
	  .type = OP_STRING,
	  .positional = true,
	  .required = true,
	  .value = "BOX[@SNAPSHOT]",
	  .help = "where to start from" },
	DRIFT_PARAM,
	{ .name = NULL },
};

static const struct op_field fork_result[] = {
	{ "boxes", "array", "the new boxes" }, BOX_FIELDS("boxes[]."), DRIFT_FIELDS, { NULL, NULL, NULL }
};

const struct op op_fork = {
	.name = "fork",
	.method = "box.fork",
	.tool = "sandbox_fork",
	.brief = "Make boxes that start from a box, or from a snapshot of it, and go their own ways: to try "
		 "several ideas side by "
		 "side.",
	.summary = "Make boxes that start from a box or one of its snapshots",
	.about = "The new boxes see everything the old one had at that point and go their own ways from "
		 "there.\n"
		 "Forking a box as it is takes a snapshot of it first. What changed in the real project "
		 "since is told, and shows\n"
		 "in all of them, unless the box is pinned.",
	.example = "aisbx fork try1 --count 3 --name idea\naisbx fork try1@before --name again",
	.grant = GRANT_RUN,
	.params = fork_params,
	.result = fork_result,
	.run = run_fork,
};
