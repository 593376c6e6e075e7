/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at experiments: `experiment show|ls`. */
#include <stdlib.h>

#include "base/scope.h"
#include "base/value.h"
#include "flow/try_experiment.h"
#include "op/try.h"

static const struct op_field experiment_result[] = { EXPERIMENT_FIELDS(""), { NULL, NULL, NULL } };

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(experiment_finish) struct experiment x = { 0 };
	int r = experiment_show(json_string_value(json_object_get(args, "experiment")), &x, e);

	(void)ctx;
	if (r == 0)
		*ret_result = experiment_json(&x);
	return r;
}

static const struct op_param show_params[] = { EXPERIMENT_PARAM, { .name = NULL } };

const struct op op_experiment_show = {
	.name = "experiment show",
	.group = GROUP_TRY,
	.view = VIEW_EXPERIMENT,
	.method = "experiment.show",
	.summary = "Show an experiment and its branches",
	.about = "Shows an experiment: its state, or its outcome after the end.",
	.grant = GRANT_READ,
	.params = show_params,
	.result = experiment_result,
	.run = run_show,
};

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct experiment *list = NULL;
	uint64_t limit = 20;
	size_t n = 0;
	json_t *all;
	int r;

	(void)ctx;
	value_number(json_object_get(args, "limit"), &limit);
	r = experiment_ls(limit, &list, &n, e);
	if (r < 0)
		return r;
	all = json_array();
	for (size_t i = 0; i < n; i++) {
		json_array_append_new(all, experiment_json(&list[i]));
		experiment_finish(&list[i]);
	}
	free(list);
	*ret_result = json_pack("{s:o}", "experiments", all);
	return 0;
}

static const struct op_param ls_params[] = {
	{ "limit", 'n', OP_NUMBER, 0, "N", "maximum number; default 20" },
	{ .name = NULL },
};
static const struct op_field ls_result[] = { { "experiments", "array", "newest first" },
					     EXPERIMENT_FIELDS("experiments[]."),
					     { NULL, NULL, NULL } };

const struct op op_experiment_ls = {
	.name = "experiment ls",
	.group = GROUP_TRY,
	.view = VIEW_EXPERIMENTS,
	.method = "experiment.ls",
	.summary = "List experiments",
	.about = "Lists experiments, newest first.",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};
