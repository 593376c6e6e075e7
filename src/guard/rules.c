/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules apply to the guard, judging by them, and recording it in the history. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "box/box.h"
#include "box/project.h"
#include "guard/act.h"

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
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' is not a regular file", path);
	text = malloc(PROJECT_MAX_BYTES + 1);
	n = text ? read(fd, text, PROJECT_MAX_BYTES + 1) : -1;
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, text ? errno : ENOMEM, "read '%s'", path);
	if (n > (ssize_t)PROJECT_MAX_BYTES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EFBIG,
				    "'%s' is larger than %u bytes", path, PROJECT_MAX_BYTES);
	return project_parse_parts(text, (size_t)n, path, 0, ret, e);
}

int guard_session_open(struct caller *by, const char *cwd, struct guard_session *ret, struct aisbx_error *e)
{
	const char *config = env_dir(by->env, "XDG_CONFIG_HOME"), *home = env_dir(by->env, "HOME");
	struct aisbx_error problem = AISBX_ERROR_INIT, other = AISBX_ERROR_INIT;
	char path[PATH_MAX];
	int r = 0, of_project;

	*ret = (struct guard_session){ .by = by, .cwd = cwd, .self = realpath("/proc/self/exe", NULL) };
	if (config || home) {
		snprintf(path, sizeof(path), "%s%s/aisbx/guard.yaml", config ? config : home,
			 config ? "" : "/.config");
		r = read_rules(path, &ret->personal, &problem);
	}
	if (r == 0)
		r = project_need(&ret->personal, PROJECT_GUARD, &problem);
	/* Each of the two holds whatever is wrong with the other, and so do its good rules. */
	of_project = box_project_load(cwd, 0, &ret->project, r < 0 ? &other : &problem);
	if (of_project == 0)
		of_project = project_need(&ret->project, PROJECT_GUARD, r < 0 ? &other : &problem);
	if (r == 0 && of_project < 0)
		aisbx_hint(&problem, "'aisbx project check' reports all problems");
	r = r < 0 ? r : of_project;
	if (r < 0 && !(ret->problem = strdup(problem.text)))
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the guard's rules");
	return 0;
}

void guard_session_close(struct guard_session *g)
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

int guard_judge(const struct guard_session *g, const struct strlist *command, struct guard_verdict *ret,
		struct aisbx_error *e)
{
	struct guard_world w = { .cwd = g->cwd,
				 .env = g->by->env,
				 .self = g->self,
				 .personal = &g->personal.guard,
				 .project = &g->project.guard };
	size_t len = command->n == 1 ? strlen(command->items[0]) : 0;
	int r = command->n == 1 ? guard_judge_text(&w, command->items[0], len, ret, e)
				: guard_judge_words(&w, command->items, command->n, ret, e);

	if (r == 0 && g->problem && add_problem(ret, g->problem, len) < 0) {
		guard_verdict_finish(ret);
		r = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");
	}
	if (r == 0 && g->project.guard.promote == GUARD_PROMOTE && g->personal.guard.promote != GUARD_PROMOTE)
		strlist_add(&ret->ignored, "promote: auto");
	return r;
}

void guard_note(const struct guard_verdict *v, const struct strlist *command)
{
	scoped(box_state_close) struct box_state state = { 0 };
	json_t *list = guard_words_json(command);
	scoped(drop_mem) char *words = json_dumps(list, JSON_COMPACT);
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	uint8_t sum[SHA256_BYTES];
	char hex[2 * SHA256_BYTES + 1];
	struct sha256 s;

	json_decref(list);
	if (!words || box_state_open(&state, &ignored) < 0)
		return;
	sha256_init(&s);
	sha256_add(&s, words, strlen(words));
	sha256_end(&s, sum);
	io_hex(sum, sizeof(sum), hex);
	store_event_add(state.store, "guard.judged", NULL, NULL, &ignored,
			"{\"act\":\"%s\",\"sha256\":\"%s\",\"command\":%.4096s}", guard_act_name(v->act), hex,
			strlen(words) <= 4096 ? words : "null");
}
