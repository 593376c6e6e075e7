/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates Rego policies with `opa eval`. opa is the person's, found on the PATH; it reads a policy that a
 * model may have written, so it runs in a box of the profile strict, with nothing but the policy and the
 * facts.
 */
#include "flow/rego.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/private_dir.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/execute.h"
#include "project/project.h"

#define POLICY_MAX  (1u << 20)
#define OUTPUT_MAX  (1 << 20)
#define TIMEOUT_S   10
#define IN_BOX      "/tmp/aisbx-opa"
#define VALUE_SHOWN 200

static const char *variable(const struct caller *by, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *v = by->env; v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=')
			return *v + n + 1;
	return NULL;
}

/*
 * The real path of opa; heap, or NULL with an error. Directories of the PATH that are not absolute do not
 * count: they are the project's.
 */
static char *find_opa(const struct caller *by, struct aisbx_error *e)
{
	const char *path = variable(by, "PATH");

	for (const char *part = path ? path : ""; *part; part += strcspn(part, ":"), part += *part == ':') {
		scoped(drop_mem) char *file = NULL;
		struct stat st;
		char *real;

		if (*part != '/')
			continue;
		if (asprintf(&file, "%.*s/opa", (int)strcspn(part, ":"), part) < 0) {
			file = NULL;
			aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find opa");
			return NULL;
		}
		if (stat(file, &st) < 0 || !S_ISREG(st.st_mode) || access(file, X_OK) < 0)
			continue;
		real = realpath(file, NULL);
		if (!real)
			aisbx_fail(e, AISBX_AREA_POLICY, errno, "inspect '%s'", file);
		return real;
	}
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_POLICY, ENOENT,
		     "a Rego policy needs opa, which is not on the PATH; install it (openpolicyagent.org), "
		     "or write the check as an expression");
	return NULL;
}

/* A directory of its own, with the policy and the facts. */
struct scratch {
	char dir[256];
	int fd;
};

static void scratch_finish(struct scratch *d)
{
	if (d->fd >= 0) {
		unlinkat(d->fd, "policy.rego", 0);
		unlinkat(d->fd, "input.json", 0);
		rmdir(d->dir);
		close(d->fd);
	}
}

static int put_file(const struct scratch *d, const char *name, const char *text, size_t len,
		    struct aisbx_error *e)
{
	scoped(drop_fd) int fd =
		openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	while (fd >= 0 && len) {
		ssize_t n = write(fd, text, len);

		if (n <= 0)
			break;
		text += n;
		len -= (size_t)n;
	}
	return fd >= 0 && !len ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, errno, "write '%s/%s'", d->dir, name);
}

static int make_scratch_dir(const struct caller *by, const char *policy, size_t len, const json_t *facts,
			    struct scratch *d, struct aisbx_error *e)
{
	scoped(drop_mem) char *input = json_dumps(facts, JSON_ENCODE_ANY | JSON_COMPACT);
	const char *tmp = variable(by, "TMPDIR");
	int r;

	if (!input)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "write the facts");
	tmp = tmp && *tmp == '/' && strlen(tmp) < 200 ? tmp : "/tmp";
	r = private_dir_check_shared(tmp, "set TMPDIR to a directory of your own", e);
	if (r < 0)
		return r;
	snprintf(d->dir, sizeof(d->dir), "%s/" REGO_SCRATCH_DIR "XXXXXX", tmp);
	if (!mkdtemp(d->dir))
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "make a directory for the policy, '%s'",
				  d->dir);
	d->fd = open(d->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd < 0) {
		r = aisbx_fail(e, AISBX_AREA_POLICY, errno, "open '%s'", d->dir);
		rmdir(d->dir);
		return r;
	}
	flock(d->fd, LOCK_SH); /* in use: else it would be taken for a leftover, see box/leaks.c */
	r = put_file(d, "policy.rego", policy, len, e);
	return r == 0 ? put_file(d, "input.json", input, strlen(input), e) : r;
}

/* HOST:GUEST, where a ':' of HOST stands behind a '\\'. */
static void add_mount(struct strlist *to, const char *opa)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (; *opa; opa++)
		buf_addf(&text, *opa == ':' ? "\\%c" : "%c", *opa);
	strlist_addf(to, "%s:" IN_BOX, buf_str(&text) ? text.data : "");
}

static int run_opa(const struct caller *by, const char *opa, const struct scratch *d, const char *query,
		   struct run_report *ret, struct aisbx_error *e)
{
	const char *const command[] = { IN_BOX,        "eval",    "--format",   "json", "--data",
					"policy.rego", "--input", "input.json", query };
	scoped(run_options_finish) struct run_options options = { .profile = "strict",
								  .project = d->dir,
								  .no_net = true,
								  .no_services = true,
								  .replayable = true };
	struct caller quiet = *by;
	int r;

	run_options_limit(&options, LIMIT_WALL_TIME, TIMEOUT_S * 1000);
	run_options_limit(&options, LIMIT_OUTPUT, OUTPUT_MAX);
	add_mount(&options.ro, opa);
	for (size_t i = 0; i < sizeof(command) / sizeof(*command); i++)
		strlist_add(&options.command, command[i]);
	if (options.ro.failed || options.command.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "start opa");
	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.begun = NULL;
	quiet.keep_output = false;
	r = run_execute(&quiet, &options, ret, e);
	return r < 0 ? aisbx_context(e, "evaluate a policy with '%s'", path_tail(opa, PATH_TOLD)) : 0;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* What opa itself says is wrong, or how it ended. */
static int tell_failure(const struct run_report *run, const json_t *said, struct aisbx_error *e)
{
	const json_t *wrong = json_array_get(json_object_get(said, "errors"), 0),
		     *at = json_object_get(wrong, "location");
	const char *words = run->output[1] ? run->output[1] : "";

	if (wrong)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "error in the policy, line %lld, column %lld: %.200s (%.60s)",
				    (long long)json_integer_value(json_object_get(at, "row")),
				    (long long)json_integer_value(json_object_get(at, "col")),
				    text_of(wrong, "message"), text_of(wrong, "code"));
	if (run->limit != LIMIT_COUNT)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, EDQUOT,
				    "the policy exceeded its limits: %.60s", limit_name(run->limit));
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			    "opa ended with status %d and an unreadable answer: %.*s", run->exit_status,
			    (int)strcspn(words, "\n") < 200 ? (int)strcspn(words, "\n") : 200, words);
}

/* {"result": [{"expressions": [{"value": ...}]}]}, or {} for what is not defined. */
static int tell_verdict(const json_t *said, const char *query, bool *ret_holds, char **ret_why,
			struct aisbx_error *e)
{
	const json_t *first = json_array_get(json_object_get(said, "result"), 0);
	const json_t *value =
		json_object_get(json_array_get(json_object_get(first, "expressions"), 0), "value");
	scoped(drop_mem) char *shown =
		value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	bool holds = json_is_true(value), plain = json_is_boolean(value);
	int n;

	if (value && !shown)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the result of a policy");
	n = !value ? asprintf(ret_why, "%s is not defined: no rule of the policy sets it", query)
		   : asprintf(ret_why, "%s is %.*s%s%s", query, VALUE_SHOWN, shown,
			      strlen(shown) > VALUE_SHOWN ? "..." : "", plain ? "" : ", but must be true");
	if (n < 0) {
		*ret_why = NULL;
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the result of a policy");
	}
	*ret_holds = holds;
	return 0;
}

int rego_judge(const struct caller *by, const char *policy, size_t len, const char *query,
	       const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e)
{
	scoped(scratch_finish) struct scratch d = { .fd = -1 };
	scoped(drop_mem) char *opa = NULL;
	scoped(run_report_finish) struct run_report run = { 0 };
	json_t *said;
	int r;

	if (len > POLICY_MAX)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EFBIG,
				    "the policy has %zu bytes; at most %u are allowed", len, POLICY_MAX);
	if (!project_is_query(query))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%.40s' is not the name of a rule, such as data.aisbx.allow", query);
	opa = find_opa(by, e);
	if (!opa)
		return e->code;
	r = make_scratch_dir(by, policy, len, facts, &d, e);
	if (r == 0)
		r = run_opa(by, opa, &d, query, &run, e);
	if (r < 0)
		return r;
	said = json_loads(run.output[0] ? run.output[0] : "", 0, NULL);
	r = json_is_object(said) && !json_object_get(said, "errors") && run.exit_status == 0
		    ? tell_verdict(said, query, ret_holds, ret_why, e)
		    : tell_failure(&run, said, e);
	json_decref(said);
	return r;
}

/* A FIFO in its place must not hold anybody up. */
static int read_policy(const char *path, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char chunk[8192];
	ssize_t n = 1;
	struct stat st;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "open the policy '%s'",
				  path_tail(path, PATH_TOLD));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "the policy '%s' is not a regular file", path_tail(path, PATH_TOLD));
	while (ret->len <= POLICY_MAX && (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(ret, chunk, (size_t)n);
	if (n < 0 || ret->failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, n < 0 ? errno : ENOMEM, "read the policy '%s'",
				  path_tail(path, PATH_TOLD));
	return 0;
}

int rego_judge_file(const struct caller *by, const char *dir, const char *file, const char *query,
		    const json_t *facts, bool *ret_holds, char **ret_why, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_resolve(dir, file);
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read a policy");
	if (!path_is_within(path, dir))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "the policy '%.80s' is not in the project; it must be", file);
	r = read_policy(path, &text, e);
	if (r == 0)
		r = rego_judge(by, text.data ? text.data : "", text.len, query, facts, ret_holds, ret_why, e);
	return r < 0 ? aisbx_context(e, "policy '%.80s'", file) : 0;
}
