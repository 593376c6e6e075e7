/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a wish from and to JSON. */
#include "box/run_options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/value.h"
#include "policy/profile.h"
#include "run/terminal.h"

#define AT(member) offsetof(struct run_options, member)

struct member {
	const char *name;
	size_t at;
};

static const struct member texts[] = {
	{ "box", AT(box) },           { "profile", AT(profile) },
	{ "driver", AT(driver) },     { "project", AT(project) },
	{ "cwd", AT(cwd) },           { "seccomp", AT(seccomp) },
	{ "services", AT(services) }, { "secret-files", AT(secret_files) },
	{ "image", AT(image) },       { "ids", AT(ids) },
};
static const struct member lists[] = {
	{ "ro", AT(ro) },           { "rw", AT(rw) },           { "hide", AT(hide) },
	{ "env", AT(env) },         { "secret", AT(secret) },   { "net", AT(net) },
	{ "without", AT(without) }, { "command", AT(command) }, { "publish", AT(publish) },
	{ "device", AT(device) },
};
static const struct member flags[] = {
	{ "gpu", AT(gpu) },
	{ "no-net", AT(no_net) },
	{ "no-services", AT(no_services) },
	{ "no-caches", AT(no_caches) },
	{ "tty", AT(tty) },
	{ "detach", AT(detach) },
	{ "record", AT(record) },
	{ "interactive", AT(interactive) },
	{ "no-tty", AT(no_tty) },
	{ "stricter", AT(stricter) },
};
#define KEPT_FLAGS 5 /* the others are between the run and its caller */

#define N(table)           (sizeof(table) / sizeof(*(table)))
#define MEMBER(type, w, m) ((type *)((char *)(w) + (m).at))

/* A value that cannot be read may have been a wall or a limit: nothing runs without it. */
static int refuse_value(const char *name, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "the value of '%s' cannot be read, so the run was not started", name);
}

static int read_list(const json_t *from, const char *name, struct strlist *ret, struct aisbx_error *e)
{
	const json_t *list = json_object_get(from, name), *item;
	size_t i;

	if (!strcmp(name, "net") && json_is_string(list)) { /* as it was recorded when it had one value */
		strlist_add(ret, json_string_value(list));
		list = NULL;
	}
	if (list && !json_is_array(list))
		return refuse_value(name, e);
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return refuse_value(name, e);
		strlist_add(ret, json_string_value(item));
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the run") : 0;
}

int run_options_size(const json_t *from, uint16_t *ret_rows, uint16_t *ret_cols, struct aisbx_error *e)
{
	static const char *const names[] = { "rows", "cols" };
	uint16_t *const rets[] = { ret_rows, ret_cols };

	for (size_t i = 0; i < N(names); i++) {
		const json_t *v = json_object_get(from, names[i]);
		uint64_t value;

		if (!v)
			continue;
		if (!value_number(v, &value) || !value || value > TERMINAL_MOST)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'%s' of a terminal must be 1 to %u", names[i], TERMINAL_MOST);
		*rets[i] = (uint16_t)value;
	}
	return 0;
}

int run_options_read(const json_t *from, struct run_options *ret, struct aisbx_error *e)
{
	static bool (*const readers[])(const json_t *v, uint64_t *ret) = { [UNIT_TIME] = value_ms,
									   [UNIT_SIZE] = value_size,
									   [UNIT_CORES] = value_cores,
									   [UNIT_NUMBER] = value_number };
	const json_t *v;
	int r = run_options_size(from, &ret->rows, &ret->cols, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < N(texts); i++) {
		v = json_object_get(from, texts[i].name);
		if (v && !json_is_string(v))
			return refuse_value(texts[i].name, e);
		*MEMBER(const char *, ret, texts[i]) = json_string_value(v);
	}
	for (size_t i = 0; i < N(flags); i++) {
		v = json_object_get(from, flags[i].name);
		if (v && !json_is_boolean(v))
			return refuse_value(flags[i].name, e);
		*MEMBER(bool, ret, flags[i]) = json_is_true(v);
	}
	for (size_t i = 0; r == 0 && i < N(lists); i++)
		r = read_list(from, lists[i].name, MEMBER(struct strlist, ret, lists[i]), e);
	for (size_t i = 0; r == 0 && i < n_profile_limits; i++) {
		const struct profile_limit *l = &profile_limits[i];
		uint64_t value;

		v = json_object_get(from, limit_option(l->limit));
		if (!v)
			continue;
		if (!readers[l->unit](v, &value))
			return refuse_value(limit_option(l->limit), e);
		run_options_limit(ret, l->limit, value);
	}
	return r;
}

json_t *run_options_json(const struct run_options *w)
{
	json_t *j = json_object();

	for (size_t i = 0; i < N(texts); i++)
		if (*MEMBER(const char *, w, texts[i]))
			json_object_set_new(j, texts[i].name,
					    json_string(*MEMBER(const char *, w, texts[i])));
	for (size_t i = 0; i < N(lists); i++) {
		const struct strlist *l = MEMBER(struct strlist, w, lists[i]);
		json_t *list = l->n ? json_array() : NULL;

		for (size_t k = 0; k < l->n; k++)
			json_array_append_new(list, json_string(l->items[k]));
		if (list)
			json_object_set_new(j, lists[i].name, list);
	}
	for (size_t i = 0; i < KEPT_FLAGS; i++)
		if (*MEMBER(bool, w, flags[i]))
			json_object_set_new(j, flags[i].name, json_true());
	for (size_t i = 0; i < n_profile_limits; i++) {
		const struct profile_limit *l = &profile_limits[i];
		uint64_t value = w->limits[l->limit];
		bool thousandths = l->unit == UNIT_TIME || l->unit == UNIT_CORES;

		if (w->limited & (1u << l->limit))
			json_object_set_new(j, limit_option(l->limit),
					    thousandths && value % 1000
						    ? json_real((double)value / 1000)
						    : json_integer((json_int_t)(thousandths ? value / 1000
											    : value)));
	}
	return j;
}

int run_options_terminal(const struct caller *by, struct run_options *w, struct aisbx_error *e)
{
	if (w->tty && w->no_tty)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--tty and --no-tty contradict each other; give one");
	if ((w->rows || w->cols) && !w->tty)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--rows and --cols are the size of a terminal; give --tty with them");
	if (w->tty || w->no_tty || w->detach || w->record || by->owner || by->out_fds[0] < 0)
		return 0;
	w->tty = w->tty_by_itself = isatty(by->stdin_fd) && isatty(by->out_fds[0]) &&
				    isatty(by->out_fds[1]) && !terminal_is_anothers(by->stdin_fd);
	return 0;
}

void run_options_finish(struct run_options *w)
{
	for (size_t i = 0; i < N(lists); i++)
		strlist_finish(MEMBER(struct strlist, w, lists[i]));
}

void run_options_limit(struct run_options *w, enum limit limit, uint64_t value)
{
	w->limits[limit] = value;
	w->limited |= 1u << limit;
}
