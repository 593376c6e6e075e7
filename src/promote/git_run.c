/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One script in one box: without services, secrets, network or the caller's environment; its changes are
 * discarded.
 */
#include "promote/git_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/throwaway.h"
#include "box/scratch_layer.h"

#define RUN_MS     (10u * 60 * 1000)
#define MAX_SAID   (32u << 20)
#define MAX_OUTPUT ((uint64_t)8 << 30) /* of one file */

void git_run_finish(struct git_run *g)
{
	buf_finish(&g->said);
	buf_finish(&g->grumble);
}

static void set_limits(uint64_t *limits)
{
	limits[LIMIT_WALL_TIME] = RUN_MS;
	limits[LIMIT_CPU_TIME] = 0;
	limits[LIMIT_LIFETIME] = 0;
	limits[LIMIT_OUTPUT] = MAX_SAID;
	limits[LIMIT_FILE_SIZE] = MAX_OUTPUT;
}

/* The caller's, without what lies in the project: a box may have written that. */
static void add_path(struct strlist *env, const char *project)
{
	const char *at = getenv("PATH");
	scoped(buf_finish) struct buf path = { 0 };

	for (size_t n; at && *at; at += n + (at[n] == ':')) {
		scoped(drop_mem) char *dir = NULL;
		scoped(drop_mem) char *real = NULL;

		n = strcspn(at, ":");
		dir = strndup(at, n);
		real = dir && *dir == '/' ? realpath(dir, NULL) : NULL;
		if (real && !path_is_within(real, project))
			buf_addf(&path, "%s%s", path.len ? ":" : "", real);
	}
	if (!path.len)
		buf_addf(&path, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	if (buf_str(&path))
		strlist_addf(env, "PATH=%s", path.data);
	else
		env->failed = true;
}

/* How it ended is its own word only where it came to its end. */
static int judge(const struct git_run *g, const struct driver_result *result, struct aisbx_error *e)
{
	const struct run_outcome *o = &result->outcome;

	if (o->interrupted_by || o->end == RUN_INTERRUPTED)
		return aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_BOX, ECANCELED,
				    "it was cancelled; nothing was changed");
	if (o->limit != LIMIT_COUNT)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EDQUOT,
				    "git in %s reached its limit '%s' (%llu)",
				    g->box ? "the box" : "a box of its own", limit_name(o->limit),
				    (unsigned long long)result->limits[o->limit]);
	if (o->unread)
		return aisbx_fail(e, AISBX_AREA_BOX, o->unread, "exchange data with git in %s",
				  g->box ? "the box" : "a box of its own");
	if (o->dropped[0])
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "the repository in '%s' has too many branches and tags", g->project);
	if (o->end != RUN_EXITED || !WIFEXITED(o->status))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "git in %s did not complete (%d, %d)",
				    g->box ? "the box" : "a box of its own", (int)o->end, o->status);
	return 0;
}

static int start(struct git_run *g, struct run_spec *spec, struct driver_result *ret, struct aisbx_error *e)
{
	if (g->box)
		return box_run_throwaway(g->state, g->box, g->snapshot, spec, ret, e);
	return box_run_scratch_layer(driver_default(), spec, ret, e);
}

int git_run(struct git_run *g, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile profile = { 0 };
	scoped(driver_result_finish) struct driver_result result = { 0 };
	scoped(drop_mem) char *cwd = *g->tree ? path_join(g->project, g->tree) : strdup(g->project);
	scoped(box_spec_finish) struct run_spec spec = {
		.command.cwd = cwd,
		.io = { .stdin_fd = g->input, .out_fds = { g->output, -1 }, .direct = g->output >= 0 },
		.walls = { .project = g->project, .mounts = g->mounts, .n_mounts = g->n_mounts },
	};
	struct strlist *argv = &spec.command.argv, *env = &spec.command.set_env, *hides = &spec.walls.hides;
	int r = box_profile_load(g->box ? g->box->profile : "dev", NULL, NULL, &profile, e);

	if (r < 0)
		return r;
	spec.profile = profile.rules.profile;
	set_limits(spec.profile.limits);
	add_path(env, g->project);
	strlist_add(env, "HOME=/nonexistent");
	strlist_add(hides, g->state->dir);
	strlist_add(argv, "sh");
	strlist_add(argv, "-c");
	strlist_add(argv, g->script);
	strlist_add(argv, "aisbx-git");
	for (size_t i = 0; g->args && i < g->args->n; i++)
		strlist_add(argv, g->args->items[i]);
	if (!cwd || argv->failed || env->failed || hides->failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "run git in a box");
	r = start(g, &spec, &result, e);
	if (r == 0)
		r = judge(g, &result, e);
	if (r < 0)
		return r;
	g->said = result.outcome.output[0];
	g->grumble = result.outcome.output[1];
	memset(result.outcome.output, 0, sizeof(result.outcome.output));
	g->status = WEXITSTATUS(result.outcome.status);
	return buf_str(&g->said) && buf_str(&g->grumble)
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the output of git");
}

int git_input(const struct buf *text, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = memfd_create("aisbx-git", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && !text->failed && done < text->len) {
		ssize_t n = write(fd, text->data + done, text->len - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || text->failed || done < text->len || lseek(fd, 0, SEEK_SET) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, text->failed ? ENOMEM : errno, "write the input of git");
	*ret_fd = take_fd(&fd);
	return 0;
}

const char *git_last_line(const struct git_run *g, char *ret, size_t cap)
{
	const char *text = g->grumble.data ? g->grumble.data : "", *from = text;
	size_t n = strlen(text);

	while (n && strchr("\n ", text[n - 1]))
		n--;
	for (const char *at = text; at < text + n; at++)
		if (*at == '\n')
			from = at + 1;
	snprintf(ret, cap, "%.*s", (int)(n - (size_t)(from - text)), from);
	return ret;
}
