/* SPDX-License-Identifier: Apache-2.0 */
/* Whose rules count for the guard, and its verdict as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "box/box.h"
#include "op/guard.h"
#include "op/project.h"

static const char *variable(const struct op_context *ctx, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; ctx->env && ctx->env[i]; i++)
		if (!strncmp(ctx->env[i], name, n) && ctx->env[i][n] == '=' && ctx->env[i][n + 1] == '/')
			return ctx->env[i] + n + 1;
	return NULL;
}

/* A file that is not there says nothing. */
static int read_rules(const char *path, struct project *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	scoped(drop_mem) char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? 0
			       : aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_AREA_POLICY, EINVAL, "'%s' is no file", path);
	text = malloc(PROJECT_MAX_BYTES + 1);
	n = text ? read(fd, text, PROJECT_MAX_BYTES + 1) : -1;
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, text ? errno : ENOMEM, "read '%s'", path);
	if (n > (ssize_t)PROJECT_MAX_BYTES)
		return aisbx_refuse(e, AISBX_AREA_POLICY, EFBIG, "'%s' is larger than %u bytes", path,
				    PROJECT_MAX_BYTES);
	return project_parse(text, (size_t)n, path, ret, e);
}

int op_guard_open(struct op_context *ctx, const char *cwd, struct op_guard *ret, struct aisbx_error *e)
{
	const char *config = variable(ctx, "XDG_CONFIG_HOME"), *home = variable(ctx, "HOME");
	struct aisbx_error problem = AISBX_ERROR_INIT;
	char path[PATH_MAX];
	int r = 0;

	*ret = (struct op_guard){ .ctx = ctx, .cwd = cwd, .self = realpath("/proc/self/exe", NULL) };
	if (config || home) {
		snprintf(path, sizeof(path), "%s%s/aisbx/guard.yaml", config ? config : home,
			 config ? "" : "/.config");
		r = read_rules(path, &ret->personal, &problem);
	}
	if (r == 0)
		r = op_project_load(cwd, &ret->project, &problem);
	if (r < 0 && !(ret->problem = strdup(problem.text)))
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the rules of the guard");
	return 0;
}

void op_guard_close(struct op_guard *g)
{
	project_finish(&g->personal);
	project_finish(&g->project);
	free(g->self);
	free(g->problem);
}

/* One reason more, in front of nobody else's. */
static int add_problem(struct guard_verdict *v, const char *why, size_t len)
{
	struct guard_reason *grown = reallocarray(v->reasons, v->n_reasons + 1, sizeof(*grown));
	char *copy = strdup(why);

	if (grown)
		v->reasons = grown;
	if (!grown || !copy) {
		free(copy);
		return -ENOMEM;
	}
	v->reasons[v->n_reasons++] =
		(struct guard_reason){ .len = len, .rule = "rules", .act = GUARD_BOX, .why = copy };
	v->act = v->act > GUARD_BOX ? v->act : GUARD_BOX;
	return 0;
}

int op_guard_judge(const struct op_guard *g, const json_t *command, struct guard_verdict *ret,
		   struct aisbx_error *e)
{
	struct guard_world w = { .cwd = g->cwd,
				 .env = g->ctx->env,
				 .self = g->self,
				 .personal = &g->personal.guard,
				 .project = &g->project.guard };
	size_t n = json_array_size(command);
	scoped(drop_mem) char **words = calloc(n + 1, sizeof(*words));
	const char *text = json_string_value(json_array_get(command, 0));
	int r;

	if (!words)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");
	for (size_t i = 0; i < n; i++)
		words[i] = (char *)json_string_value(json_array_get(command, i));
	if (n == 1)
		r = guard_judge_text(&w, text, json_string_length(json_array_get(command, 0)), ret, e);
	else
		r = guard_judge_words(&w, words, n, ret, e);
	if (r == 0 && g->problem && add_problem(ret, g->problem, n == 1 ? strlen(text) : 0) < 0) {
		guard_verdict_finish(ret);
		r = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");
	}
	if (r == 0 && g->project.guard.promote == GUARD_PROMOTE && g->personal.guard.promote != GUARD_PROMOTE)
		strlist_add(&ret->ignored, "promote: auto");
	return r;
}

/* The command as one text: what offsets count in. */
static json_t *whole(const json_t *command)
{
	json_t *joined = NULL;
	scoped(buf_finish) struct buf b = { 0 };

	for (size_t i = 0; i < json_array_size(command); i++)
		buf_addf(&b, "%s%s", i ? " " : "", json_string_value(json_array_get(command, i)));
	joined = json_string(buf_str(&b) ? b.data : "");
	return joined;
}

json_t *op_guard_json(const struct guard_verdict *v, const json_t *command)
{
	json_t *reasons = json_array(), *ignored = json_array(), *text = whole(command);

	for (size_t i = 0; i < v->n_reasons; i++) {
		const struct guard_reason *r = &v->reasons[i];
		size_t all = json_string_length(text), at = r->offset < all ? r->offset : all;
		json_t *part =
			json_stringn(json_string_value(text) + at, r->len < all - at ? r->len : all - at);
		json_t *why = json_string(r->why);

		json_array_append_new(reasons, json_pack("{s:s, s:o, s:o, s:I, s:s}", "rule", r->rule, "why",
							 why ? why : json_string("?"), "part",
							 part ? part : json_string("?"), "offset",
							 (json_int_t)at, "act", guard_act_name(r->act)));
	}
	for (size_t i = 0; i < v->ignored.n; i++)
		json_array_append_new(ignored, json_string(v->ignored.items[i]));
	json_decref(text);
	return json_pack("{s:s, s:o, s:o}", "act", guard_act_name(v->act), "reasons", reasons, "ignored",
			 ignored);
}

void op_guard_note(const struct guard_verdict *v, const json_t *command)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(drop_mem) char *words = json_dumps(command, JSON_COMPACT);
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	uint8_t sum[SHA256_BYTES];
	char hex[2 * SHA256_BYTES + 1];
	struct sha256 s;

	if (!words || box_shelf_open(&shelf, &ignored) < 0)
		return;
	sha256_init(&s);
	sha256_add(&s, words, strlen(words));
	sha256_end(&s, sum);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	store_event_add(shelf.store, "guard.judged", NULL, NULL, &ignored,
			"{\"act\":\"%s\",\"sha256\":\"%s\",\"command\":%.4096s}", guard_act_name(v->act), hex,
			strlen(words) <= 4096 ? words : "null");
}
