/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a project, and makes a box of what came back. */
#include "fleet/client/project.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/travel.h"
#include "fleet/agent/content.h"

#define LONGEST_PLAN ((size_t)64 << 10)
#define YOUNG_S      (24 * 3600)

static int check_store(const struct fleet_options *o, struct aisbx_error *e)
{
	if (o->store && o->store_key)
		return 0;
	return aisbx_refuse(
		e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EDESTADDRREQ,
		"a project travels through a store that you and the nodes can reach: give --store "
		"(dir:/PATH or s3://BUCKET/PREFIX) and --store-key, or write \"store\" and \"store-key\" to "
		"~/.config/aisbx/fleet.json");
}

static struct content_place place_of(const struct fleet_options *o, const char *tenant)
{
	return (struct content_place){ .store = o->store, .key = o->store_key, .tenant = tenant };
}

/* What boxes are not to see does not leave this machine either. */
static void add_hidden(const struct box_departure *d, const char *cwd, const json_t *hide,
		       struct strlist *ret)
{
	const size_t len = d->project ? strlen(d->project) : 0;
	size_t i;
	const json_t *one;

	json_array_foreach(hide, i, one)
	{
		const char *text = json_string_value(one);
		scoped(drop_mem) char *path = text ? path_resolve(cwd, text) : NULL;

		if (path && len && path_is_within(path, d->project) && path[len] == '/')
			strlist_add(ret, path + len + 1);
	}
}

static void tell_left(const struct strlist *secrets)
{
	for (size_t i = 0; i < secrets->n; i++)
		fprintf(stderr, "aisbx: %s stays on this machine: it holds values that look like secrets\n",
			secrets->items[i]);
}

/* The profile that commands in the box have, when it is here. */
static const char *profile_of(const json_t *arguments)
{
	const char *given = json_string_value(json_object_get(arguments, "profile"));
	const char *usual = getenv("AISBX_PROFILE");

	return given ? given : usual && *usual ? usual : "dev";
}

static json_t *make_plan(const struct box_departure *d, const char *tree, const json_t *arguments)
{
	return json_pack("{s:s, s:[I, I, I], s:[I, I], s:s, s:s*, s:{s:s, s:s}}", "project", d->project,
			 "place", (json_int_t)d->dev, (json_int_t)d->ino, (json_int_t)d->born, "since",
			 (json_int_t)d->since.tv_sec, (json_int_t)d->since.tv_nsec, "profile",
			 profile_of(arguments), "base", d->base, "body", "tree", tree, "at", d->at);
}

/* What a run in the box of the base has, as far as the command line does not say it. */
static void take_settings(const struct box_departure *d, json_t *arguments)
{
	if (d->profile && *d->profile && !json_object_get(arguments, "profile"))
		json_object_set_new(arguments, "profile", json_string(d->profile));
	if (d->no_caches)
		json_object_set_new(arguments, "no-caches", json_true());
	if (d->net.n && !json_object_get(arguments, "net") && !json_object_get(arguments, "no-net")) {
		json_t *net = json_array();

		for (size_t i = 0; i < d->net.n; i++)
			json_array_append_new(net, json_string(d->net.items[i]));
		json_object_set_new(arguments, "net", net);
	}
}

static void tell_stays(const struct box_departure *d)
{
	for (size_t i = 0; i < d->stays.n; i++)
		fprintf(stderr, "aisbx: %s stays on this machine\n", d->stays.items[i]);
	tell_left(&d->secrets);
}

static int depart(const struct fleet_options *fleet, const char *cwd, json_t *arguments,
		  struct box_departure *d, struct aisbx_error *e)
{
	int r;

	if (!fleet->base)
		return box_depart(cwd, fleet->project && fleet->project[0] ? fleet->project : NULL,
				  (const char *const *)environ, d, e);
	r = box_depart_from(cwd, fleet->base, json_object_get(arguments, "image"),
			    (const char *const *)environ, d, e);
	if (r == 0)
		take_settings(d, arguments);
	return r;
}

int client_project_send(const struct fleet_options *fleet, json_t *arguments, bool quiet, json_t **ret_plan,
			struct aisbx_error *e)
{
	scoped(box_departure_finish) struct box_departure d = { 0 };
	scoped(drop_mem) char *cwd = getcwd(NULL, 0);
	const struct content_place place = place_of(fleet, fleet->tenant);
	struct content_sent sent;
	int r = check_store(fleet, e);

	if (r == 0 && !cwd)
		r = aisbx_fail(e, AISBX_AREA_USAGE, errno, "find the current directory");
	if (r == 0)
		r = depart(fleet, cwd, arguments, &d, e);
	if (r < 0)
		return r;
	if (!quiet)
		tell_stays(&d);
	add_hidden(&d, cwd, json_object_get(arguments, "hide"), &d.secrets);
	r = content_send(&place, d.under, &d.layers, &d.secrets, &sent, e);
	*ret_plan = r == 0 ? make_plan(&d, sent.tree, arguments) : NULL;
	if (r == 0 && !*ret_plan)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				 "the path of the project, '%s', is not UTF-8", d.project);
	if (r < 0)
		box_departure_drop(d.base);
	return r;
}

static void plan_path(const char *dir, const char *job, const char *more, char ret[PATH_MAX])
{
	snprintf(ret, PATH_MAX, "%s/%s.project%s", dir, job, more);
}

int client_project_save(const char *dir, const char *job, const json_t *plan, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = json_dumps(plan, JSON_COMPACT);
	char path[PATH_MAX], fresh[PATH_MAX];
	scoped(drop_fd) int fd = -1;

	plan_path(dir, job, "", path);
	plan_path(dir, job, ".new", fresh);
	fd = text ? open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd < 0 || io_write_all(fd, text, strlen(text)) < 0 || fsync(fd) < 0 || rename(fresh, path) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, text ? errno : ENOMEM, "write '%s'", path);
	return 0;
}

/* Others who bring the same changes wait until it is closed. */
static int lock_plan(const char *dir, const char *job, int *ret_fd, struct aisbx_error *e)
{
	char path[PATH_MAX];

	plan_path(dir, job, ".lock", path);
	*ret_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*ret_fd >= 0 && flock(*ret_fd, LOCK_EX) == 0)
		return 0;
	return aisbx_fail(e, AISBX_AREA_STORE, errno, "lock '%s'", path);
}

static bool has_plan(const char *dir, const char *job)
{
	char path[PATH_MAX];

	plan_path(dir, job, "", path);
	return access(path, F_OK) == 0;
}

/* A new reference; NULL without an error: the job brought no project. */
static int read_plan(const char *dir, const char *job, json_t **ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char path[PATH_MAX];
	scoped(drop_fd) int fd = -1;
	int r;

	*ret = NULL;
	plan_path(dir, job, "", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	r = fd < 0 ? -errno : io_read_all(fd, LONGEST_PLAN, &text);
	if (r == 0)
		*ret = json_loadb(text.data ? text.data : "", text.len, 0, NULL);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_STORE, r < 0 ? -r : EBADMSG, "read '%s'", path);
}

/* As make_plan wrote it. RET borrows nothing. */
static int read_departure(const json_t *plan, struct box_departure *ret, const char **ret_tree,
			  const char **ret_profile, struct aisbx_error *e)
{
	const char *project = NULL, *base = NULL;
	json_int_t dev, ino, born, s, ns;

	if (json_unpack((json_t *)plan, "{s:s, s:[I, I, I], s:[I, I], s:s, s?s, s:{s:s}}", "project",
			&project, "place", &dev, &ino, &born, "since", &s, &ns, "profile", ret_profile,
			"base", &base, "body", "tree", ret_tree) < 0 ||
	    !content_is_tree(*ret_tree))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_STORE, EBADMSG,
				    "what was noted of the job's project cannot be read");
	*ret = (struct box_departure){ .project = strdup(project),
				       .under = strdup(project),
				       .base = base ? strdup(base) : NULL,
				       .dev = dev,
				       .ino = ino,
				       .born = born,
				       .since = { s, ns } };
	return ret->project && ret->under && (ret->base || !base)
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "bring changes home");
}

/* The tree with the changes; NULL without an error: there are none. Borrowed from WHOLE. */
static int find_changes(const json_t *whole, const char **ret, struct aisbx_error *e)
{
	const json_t *changes = json_object_get(json_object_get(whole, "result"), "changes");
	const char *why = json_string_value(json_object_get(changes, "error"));

	*ret = json_string_value(json_object_get(changes, "tree"));
	if (why)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EIO,
				    "the job has run, but its node could not send what it changed: %.300s",
				    why);
	if (changes && !content_is_tree(*ret))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				    "the job's result names changes in a way that is not known");
	return 0;
}

static int make_box(const struct client_project *p, const struct fleet_job *job, const json_t *plan,
		    const char *changes, struct aisbx_error *e)
{
	scoped(box_departure_finish) struct box_departure d = { 0 };
	scoped(drop_arrival) struct box_arrival *a = NULL;
	const struct content_place place = place_of(p->fleet, job->tenant);
	const char *tree = NULL, *profile = NULL;
	int r = read_departure(plan, &d, &tree, &profile, e);

	if (r == 0)
		r = box_arrival_open(job->id, &a, e);
	if (r < 0 || !a)
		return r;
	r = check_store(p->fleet, e);
	if (r == 0)
		r = content_fetch(&place, changes, box_arrival_changes(a), NULL, e);
	if (r == 0) /* what the project had there, for a merge */
		r = content_fetch(&place, tree, box_arrival_copy(a), box_arrival_changes(a), e);
	return r == 0 ? box_arrival_settle(a, &d, job->id, profile, e) : r;
}

/* No more will come of it. One that was given up can be sent again, and of an unknown one a result be late.
 */
static bool is_over(const struct fleet_record *record)
{
	return record->phase == FLEET_CANCELLED || (record->phase == FLEET_ENDED && record->result);
}

int client_project_bring(const struct client_project *p, const struct fleet_job *job,
			 const struct fleet_record *record, char ret_box[FLEET_NAME], struct aisbx_error *e)
{
	json_t *plan = NULL, *whole = NULL;
	const char *changes = NULL, *box;
	scoped(drop_fd) int lock = -1;
	int r;

	ret_box[0] = '\0';
	if (!p->dir || !has_plan(p->dir, job->id))
		return 0;
	r = lock_plan(p->dir, job->id, &lock, e);
	if (r == 0)
		r = read_plan(p->dir, job->id, &plan, e);
	box = json_string_value(json_object_get(plan, "box"));
	if (r < 0 || !plan || box || !is_over(record)) {
		snprintf(ret_box, FLEET_NAME, "%s", box ? box : "");
		json_decref(plan);
		return r;
	}
	if (record->phase == FLEET_ENDED)
		whole = json_loadb(fleet_text_data(record->result), fleet_text_len(record->result),
				   JSON_ALLOW_NUL, NULL);
	r = find_changes(whole, &changes, e);
	if (r == 0 && changes) {
		r = make_box(p, job, plan, changes, e);
		if (r == 0)
			snprintf(ret_box, FLEET_NAME, "%s", job->id);
	}
	if (r == 0) {
		if (!ret_box[0])
			box_departure_drop(json_string_value(json_object_get(plan, "base")));
		json_object_set_new(plan, "box", json_string(ret_box));
		r = client_project_save(p->dir, job->id, plan, e);
	}
	json_decref(whole);
	json_decref(plan);
	return r;
}

void client_project_tell(const struct client_project *p, const struct fleet_job *job, const char *box, int r,
			 const struct aisbx_error *e)
{
	if (r < 0)
		fprintf(stderr,
			"aisbx: what job %s changed is not here: %s\naisbx: 'aisbx fleet wait %s' tries "
			"again\n",
			job->id, e->text, job->id);
	else if (box[0] && !p->quiet)
		fprintf(stderr,
			"aisbx: box %s has what it changed; 'aisbx diff %s' shows it, 'aisbx promote %s' "
			"takes it over\n",
			box, box, box);
}

void client_project_forget(const char *dir, struct saved *table)
{
	scoped(drop_dir) DIR *d = opendir(dir);
	const struct dirent *entry;
	struct stat st;

	while (d && (entry = readdir(d))) {
		const char *dot = strstr(entry->d_name, ".project");
		scoped(saved_job_finish) struct saved_job job = { 0 };
		struct aisbx_error ignored = AISBX_ERROR_INIT;
		char id[FLEET_NAME];

		/* A young one can be of a job that is not in the table yet. */
		if (!dot || fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_mtime + YOUNG_S > time(NULL))
			continue;
		snprintf(id, sizeof(id), "%.*s", (int)(dot - entry->d_name), entry->d_name);
		if (saved_job_find(table, id, &job, &ignored) == -ENOENT)
			unlinkat(dirfd(d), entry->d_name, 0);
	}
}
