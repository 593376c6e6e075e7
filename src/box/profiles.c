/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds profiles: those of the person, of the system, shipped ones, files by their path; and those they
 * extend.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/profiles.h"
#include "driver/seccomp_file.h"

#define SYSTEM_DIR "/etc/aisbx/profiles"
#define SUFFIX     ".yaml"

/* Where a profile was found. It extends what is found there or further down, and one of its own name only
 * further down. */
enum place {
	PLACE_PATH, /* nowhere: its path was given */
	PLACE_PERSONAL,
	PLACE_SYSTEM,
	PLACE_SHIPPED,
};

void box_profile_finish(struct box_profile *p)
{
	profile_rules_finish(&p->rules);
	for (size_t i = 0; i < p->n_owned; i++)
		profile_layer_finish(&p->owned[i]);
	free(p->owned);
	free(p->ref);
	*p = (struct box_profile){ 0 };
}

/* The directory of a place, heap; NULL: it has none. */
static char *place_dir(enum place place)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *dir = NULL;

	if (place == PLACE_SYSTEM)
		return strdup(SYSTEM_DIR);
	if (place != PLACE_PERSONAL)
		return NULL;
	if (config && *config == '/')
		return path_join(config, "aisbx/profiles");
	if (home && *home == '/' &&
	    asprintf(&dir, "%s/.config/aisbx/profiles", strcmp(home, "/") ? home : "") < 0)
		return NULL;
	return dir;
}

/* A profile says what may be done with the caller's rights: nobody else may have written it. */
static int check_file(int fd, const char *path, struct aisbx_error *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "profile '%s'", path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "profile '%s' is not a regular file", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "profile '%s' belongs to somebody else (user %u), who could give your "
				    "boxes any permission; use a copy of your own",
				    path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "others can write to profile '%s'; run 'chmod go-w %s'", path, path);
	return 0;
}

/* 1: there is no such file. */
static int open_file(const char *path, bool must, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r;

	if (fd < 0 && !must && (errno == ENOENT || errno == ENOTDIR))
		return 1;
	if (fd < 0 && !must && errno == EACCES && faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) < 0)
		return 1; /* a directory of somebody else: nothing of the caller's is in there */
	if (fd < 0) {
		aisbx_fail(e, AISBX_AREA_POLICY, errno, "profile '%s'", path);
		return aisbx_hint(e, "'aisbx profile ls' lists profiles, 'aisbx profile show dev' prints one "
				     "to start from");
	}
	r = check_file(fd, path, e);
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

static int read_file(int fd, const char *path, struct profile_layer *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char chunk[8192];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && text.len <= PROFILE_MAX_BYTES)
		buf_add(&text, chunk, (size_t)n);
	if (n < 0 || text.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, n < 0 ? errno : ENOMEM, "read profile '%s'", path);
	return profile_parse(text.data ? text.data : "", text.len, path, ret, e);
}

/* The profile, what it extends, what that extends, ... */
/* Bytes of a path in a message that names several. */
#define MAX_TOLD 60

struct chain {
	struct box_profile *p;
	const struct profile_layer *layers[PROFILE_MAX_CHAIN];
	enum place places[PROFILE_MAX_CHAIN];
	const char *names[PROFILE_MAX_CHAIN]; /* borrowed; by which each was found; NULL: by its path */
	size_t n;
};

static int tell_circle(const struct chain *c, const struct profile_layer *again, struct aisbx_error *e)
{
	size_t i = 0;

	while (i < c->n && strcmp(c->layers[i]->file, again->file) != 0)
		i++;
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, ELOOP,
		     "profiles extend each other in a circle: '%s'", path_tail(again->file, MAX_TOLD));
	for (i++; i <= c->n; i++)
		aisbx_hint(e, "which extends '%s'",
			   path_tail(i < c->n ? c->layers[i]->file : again->file, MAX_TOLD));
	return e->code;
}

static int push(struct chain *c, const struct profile_layer *l, const char *name, enum place place,
		struct aisbx_error *e)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->layers[i]->file, l->file))
			return tell_circle(c, l, e);
	if (c->n == PROFILE_MAX_CHAIN)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, ELOOP,
				    "profile '%.80s' extends more than %u others", c->layers[0]->file,
				    PROFILE_MAX_CHAIN - 1);
	c->places[c->n] = place;
	c->names[c->n] = name;
	c->layers[c->n++] = l;
	return 0;
}

/* NAME: what it is looked for by; NULL: the file at PATH has to be there. 1: it is not. */
static int push_file(struct chain *c, const char *path, const char *name, enum place place,
		     struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct profile_layer *l;
	int r = open_file(path, !name, &fd, e);

	if (r != 0)
		return r;
	if (!c->p->owned) /* one more than a chain holds: the one that is too many is told by its name */
		c->p->owned = calloc(PROFILE_MAX_CHAIN + 1, sizeof(*c->p->owned));
	if (!c->p->owned)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "profile '%s'", path);
	l = &c->p->owned[c->p->n_owned];
	r = read_file(fd, path, l, e);
	if (r < 0)
		return r;
	c->p->n_owned++;
	if (name && l->name && strcmp(l->name, name) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "%.100s: its name is '%s', but it is found as '%s'; use the same name "
				    "for file and profile",
				    path, l->name, name);
	return push(c, l, name, place, e);
}

static int tell_unknown(const char *name, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	const char *near;

	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_POLICY, ENOENT, "there is no profile '%.40s'", name);
	box_profile_names(&names);
	near = str_nearest(name, (const char *const *)names.items, names.n);
	if (strspn(name, "0123456789:./") == strlen(name) && strpbrk(name, "0123456789")) /* as docker's -p */
		return aisbx_hint(e, "-p is --profile; a port is reached with --publish %.40s", name);
	return near ? aisbx_hint(e, "did you mean '%s'?", near)
		    : aisbx_hint(e, "'aisbx profile ls' lists them; the path of a file must contain a '/'");
}

static int push_name(struct chain *c, const char *name, enum place from, struct aisbx_error *e)
{
	const struct profile_layer *shipped = profile_shipped_by_name(name);
	int r = 1;

	for (enum place place = from; r == 1 && place < PLACE_SHIPPED && profile_is_name(name); place++) {
		scoped(drop_mem) char *dir = place_dir(place);
		scoped(drop_mem) char *path = NULL;

		if (dir && asprintf(&path, "%s/%s" SUFFIX, dir, name) < 0)
			return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find profile '%s'", name);
		if (dir)
			r = push_file(c, path, name, place, e);
	}
	if (r == 1 && shipped)
		r = push(c, shipped, name, PLACE_SHIPPED, e);
	return r == 1 ? tell_unknown(name, e) : r;
}

/* What the last of the chain extends. */
static int push_base(struct chain *c, const char *base, struct aisbx_error *e)
{
	const struct profile_layer *l = c->layers[c->n - 1];
	enum place from = c->places[c->n - 1];
	const char *name = c->names[c->n - 1], *slash = strrchr(l->file, '/');
	int r;

	if (strchr(base, '/')) { /* from where the file lies that says so */
		scoped(drop_mem) char *dir = strndup(l->file, slash ? (size_t)(slash - l->file) : 0);
		scoped(drop_mem) char *path = dir ? path_resolve(*dir ? dir : "/", base) : NULL;

		r = path ? push_file(c, path, NULL, PLACE_PATH, e)
			 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "find profile '%s'", base);
	} else {
		from = from == PLACE_PATH ? PLACE_PERSONAL : from;
		r = push_name(c, base, name && !strcmp(name, base) ? from + 1 : from, e);
	}
	if (r == -ENOENT && l->extends_line)
		return aisbx_context(e, "%s:%u:%u", path_tail(l->file, PATH_TOLD), l->extends_line,
				     l->extends_column);
	return r;
}

int box_profile_load(const char *ref, const char *cwd, const char *lang, struct box_profile *ret,
		     struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile p = { 0 };
	struct chain c = { .p = &p };
	const char *base;
	int r;

	p.ref = strchr(ref, '/') ? path_resolve(cwd, ref) : strdup(ref);
	if (!p.ref)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "profile '%s'", ref);
	r = strchr(ref, '/') ? push_file(&c, p.ref, NULL, PLACE_PATH, e)
			     : push_name(&c, p.ref, PLACE_PERSONAL, e);
	while (r == 0 && c.n && (base = profile_base_of(c.layers[c.n - 1])))
		r = push_base(&c, base, e);
	if (r == 0)
		r = profile_fold(c.layers, c.n, lang, &p.rules, e);
	if (r == 0)
		r = profile_egress_check(&p.rules, e);
	if (r < 0)
		return r;
	p.rules.profile.name = p.ref;
	memcpy(p.chain, c.layers, sizeof(p.chain));
	p.n_chain = c.n;
	*ret = p;
	p = (struct box_profile){ 0 };
	return 0;
}

int box_profile_check_calls(const struct box_profile *p, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf code = { 0 };
	const char *file = p->rules.profile.seccomp_file;

	return file ? seccomp_file_read(file, &code, e) : 0;
}

/* Sorted, each once. */
static void add_names(const char *path, struct strlist *names)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name), s = strlen(SUFFIX);

		if (n <= s || strcmp(entry->d_name + n - s, SUFFIX) != 0)
			continue;
		entry->d_name[n - s] = '\0';
		if (profile_is_name(entry->d_name) && !strlist_has(names, entry->d_name))
			strlist_add(names, entry->d_name);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void box_profile_names(struct strlist *ret_names)
{
	size_t shipped;

	for (size_t i = 0; i < n_profile_shipped; i++)
		strlist_add(ret_names, profile_shipped[i].name);
	shipped = ret_names->n;
	for (enum place place = PLACE_PERSONAL; place < PLACE_SHIPPED; place++) {
		scoped(drop_mem) char *dir = place_dir(place);

		if (dir)
			add_names(dir, ret_names);
	}
	if (!ret_names->failed && ret_names->n > shipped)
		qsort(ret_names->items + shipped, ret_names->n - shipped, sizeof(*ret_names->items), by_text);
}

/* Keys that box_profile_is_within compares by what they mean; every other one may give something to a box. */
static bool is_compared(const struct profile_key *k)
{
	return profile_limit_by_name(k->name) ||
	       str_is_one_of(
		       k->name,
		       "driver|system|caps|net|seccomp|lifetime|keep-output|env.mode|caches|secret-files");
}

static bool hides(const struct profile_setting *s)
{
	return !strcmp(s->key->name, "mounts") && s->name && !strcmp(s->name, "hide");
}

static bool gives(const struct profile_setting *s)
{
	return !is_compared(s->key) && !hides(s) && strcmp(s->key->name, "entrypoint") != 0;
}

/* It takes something from a box, or judges what it runs. */
static bool takes(const struct profile_setting *s)
{
	return hides(s) || str_is_one_of(s->key->name, "scan|entrypoint");
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool has_value(const struct box_profile *p, const struct profile_setting *s)
{
	for (size_t i = 0; i < p->rules.n_values; i++) {
		const struct profile_setting *other = p->rules.values[i].setting;

		if (other->key == s->key && same_text(other->name, s->name) &&
		    same_text(other->value, s->value))
			return true;
	}
	return false;
}

/* 0 is none at all. */
static bool limits_are_within(const struct profile *p, const struct profile *of)
{
	for (size_t i = 0; i < LIMIT_COUNT; i++)
		if (of->limits[i] && (!p->limits[i] || p->limits[i] > of->limits[i]))
			return false;
	if (p->limits[LIMIT_MEMORY] || !of->memory_share)
		return true;
	return p->memory_share && p->memory_share <= of->memory_share;
}

/* Whether OTHER has each value of P that is of this KIND. */
static bool has_all(const struct box_profile *other, const struct box_profile *p,
		    bool (*kind)(const struct profile_setting *s))
{
	for (size_t i = 0; i < p->rules.n_values; i++) {
		const struct profile_setting *s = p->rules.values[i].setting;

		if (s->value && kind(s) && !has_value(other, s))
			return false;
	}
	return true;
}

static bool walls_are_within(const struct profile *a, const struct profile *b)
{
	return same_text(a->driver, b->driver) && a->system_writable <= b->system_writable &&
	       !(a->root_caps & ~b->root_caps) && a->net <= b->net && a->env <= b->env &&
	       a->caches <= b->caches && a->plain_secret_files <= b->plain_secret_files &&
	       (a->seccomp == b->seccomp || b->seccomp == 0) &&
	       (!b->seccomp_file || same_text(a->seccomp_file, b->seccomp_file));
}

bool box_profile_is_within(const struct box_profile *p, const struct box_profile *of)
{
	const struct profile *a = &p->rules.profile, *b = &of->rules.profile;

	return has_all(of, p, gives) && has_all(p, of, takes) && walls_are_within(a, b) &&
	       limits_are_within(a, b);
}
