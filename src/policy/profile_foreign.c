/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes of profiles that people bring from other tools: the driver of another sandbox, variables as a list
 * of NAME=VALUE, mounts as HOST:GUEST:ro, limits in megabytes and seconds, a seccomp file. Each becomes a
 * setting of ours and a note. What has no exact meaning here is refused as any other unknown word.
 */
#include "policy/profile_foreign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"

static const struct profile_key *key_of(const char *name)
{
	for (const struct profile_key *k = profile_keys; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

/* "FILE:LINE: TEXT" */
static int note(struct profile_reader *r, const yaml_node_t *at, const char *text)
{
	char line[512];

	snprintf(line, sizeof(line), "%.200s:%zu: %.280s", r->doc.file, at->start_mark.line + 1, text);
	strlist_add(&r->layer->notes, line);
	return r->layer->notes.failed ? doc_no_memory(&r->doc) : 0;
}

/* Other sandboxes whose walls native builds, too, and more. */
static int read_driver(struct profile_reader *r, const yaml_node_t *n)
{
	const char *text = n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : "";
	char said[160];
	int err;

	if (!str_is_one_of(text, "bwrap|bubblewrap|firejail|nsjail|minijail|unshare|landlock|seccomp"))
		return 1;
	err = profile_reader_add(r, key_of("driver"), n, NULL, "native");
	snprintf(said, sizeof(said),
		 "'driver: %.20s' is read as 'driver: native', which builds the same walls and more", text);
	return err < 0 ? err : note(r, n, said);
}

/* NAME=VALUE is set, NAME is passed on. */
static int read_variable(struct profile_reader *r, const yaml_node_t *n)
{
	const char *text = doc_text(&r->doc, n, "a variable"), *equals = text ? strchr(text, '=') : NULL;
	scoped(drop_mem) char *name = equals ? strndup(text, (size_t)(equals - text)) : NULL;

	if (!text)
		return r->doc.e->code;
	if (!equals)
		return profile_reader_add(r, key_of("env.pass"), n, NULL, text);
	if (!name)
		return doc_no_memory(&r->doc);
	return profile_reader_add(r, key_of("env.set"), n, name, equals + 1);
}

static int read_env(struct profile_reader *r, const yaml_node_t *n)
{
	int err = 0;

	if (n->type != YAML_SEQUENCE_NODE)
		return 1;
	for (yaml_node_item_t *i = n->data.sequence.items.start; err == 0 && i < n->data.sequence.items.top;
	     i++) {
		const yaml_node_t *item = doc_node(&r->doc, *i);

		err = read_variable(r, item);
		if (err == 0)
			err = note(r, item,
				   strchr((const char *)item->data.scalar.value, '=')
					   ? "NAME=VALUE in 'env' is read as 'env: {set: {NAME: VALUE}}'"
					   : "NAME in 'env' is read as 'env: {pass: [NAME]}'");
	}
	return err;
}

/* HOST[:GUEST][:ro|:rw], as docker's -v has it; docker's is writable by default, ours is not. */
static int read_mount(struct profile_reader *r, const yaml_node_t *n)
{
	const char *text = doc_text(&r->doc, n, "a mount"), *mode = "ro";
	scoped(drop_mem) char *value = text ? strdup(text) : NULL;
	char *last = value ? strrchr(value, ':') : NULL;
	char said[160];
	int err;

	if (!text)
		return r->doc.e->code;
	if (!value)
		return doc_no_memory(&r->doc);
	if (last && str_is_one_of(last + 1, "ro|rw")) {
		mode = strcmp(last + 1, "rw") ? "ro" : "rw";
		*last = '\0';
	}
	err = profile_reader_add(r, key_of("mounts"), n, mode, value);
	snprintf(said, sizeof(said), "'%.80s' in 'mounts' is read as a mount with 'mode: %s'", text, mode);
	return err < 0 ? err : note(r, n, said);
}

static int read_mounts(struct profile_reader *r, const yaml_node_t *n)
{
	int err = 0;

	if (n->type != YAML_SEQUENCE_NODE || n->data.sequence.items.start == n->data.sequence.items.top)
		return 1;
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++)
		if (doc_node(&r->doc, *i)->type != YAML_SCALAR_NODE)
			return 1;
	for (yaml_node_item_t *i = n->data.sequence.items.start; err == 0 && i < n->data.sequence.items.top;
	     i++)
		err = read_mount(r, doc_node(&r->doc, *i));
	return err;
}

/* Limits with their unit in the name: ours, and what is written behind the number. */
static const struct {
	const char *theirs, *ours, *unit;
} limits[] = {
	{ "memory_mb", "mem", "m" },
	{ "cpu_cores", "cpu", "" },
	{ "execution_time_seconds", "timeout", "s" },
	{ "cpu_time_seconds", "cpu-time", "s" },
	{ "max_processes", "pids", "" },
	{ "max_open_files", "files", "" },
	{ "max_file_size_mb", "file-size", "m" },
	{ "max_output_mb", "output", "m" },
	{ "disk_mb", "disk", "m" },
};

static int read_limit(struct profile_reader *r, const yaml_node_t *at, const char *name, const yaml_node_t *n)
{
	const char *names[sizeof(limits) / sizeof(*limits)], *text;
	char value[48], said[160];
	size_t i = 0;
	int err;

	while (i < sizeof(limits) / sizeof(*limits) && strcmp(limits[i].theirs, name) != 0) {
		names[i] = limits[i].theirs;
		i++;
	}
	if (i == sizeof(limits) / sizeof(*limits)) {
		aisbx_refuse(r->doc.e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "unknown limit '%.40s'; allowed here:", name);
		doc_suggest(&r->doc, name, names, i);
		return doc_locate(&r->doc, &at->start_mark);
	}
	text = doc_text(&r->doc, n, name);
	if (!text)
		return r->doc.e->code;
	if (!*text || strlen(text) > 20 || strspn(text, "0123456789.") != strlen(text))
		return doc_complain(&r->doc, n, "'%s' must be a number, not '%.20s'", name, text);
	snprintf(value, sizeof(value), "%s%s", text, limits[i].unit);
	err = profile_reader_add(r, key_of(limits[i].ours), n, NULL, value);
	snprintf(said, sizeof(said), "'%s: %s' is read as '%s: %s'%s%s", name, text, limits[i].ours, value,
		 r->lang ? " for programs in " : "", r->lang ? r->lang : "");
	return err < 0 ? err : note(r, at, said);
}

static int read_limits(struct profile_reader *r, const yaml_node_t *map, const char *what)
{
	int err = doc_need_mapping(&r->doc, map, what);

	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; err == 0 && p < map->data.mapping.pairs.top;
	     p++) {
		const char *name = doc_name(&r->doc, map, p);

		err = name ? read_limit(r, doc_node(&r->doc, p->key), name, doc_node(&r->doc, p->value))
			   : r->doc.e->code;
	}
	return err;
}

/* What run-code calls a language, from what others call it. */
static const char *language(const char *name)
{
	return str_is_one_of(name, "python|python3|py")                      ? "python"
	       : str_is_one_of(name, "javascript|js|node|nodejs|typescript") ? "javascript"
	       : str_is_one_of(name, "shell|bash|sh")                        ? "shell"
									     : NULL;
}

static int read_languages(struct profile_reader *r, const yaml_node_t *map)
{
	int err = doc_need_mapping(&r->doc, map, "'language_specific'");

	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; err == 0 && p < map->data.mapping.pairs.top;
	     p++) {
		const char *name = doc_name(&r->doc, map, p);

		if (!name)
			return r->doc.e->code;
		r->lang = language(name);
		if (!r->lang)
			return doc_complain(
				&r->doc, doc_node(&r->doc, p->key),
				"'%.40s' is no language of run-code; allowed: python, javascript, shell",
				name);
		err = read_limits(r, doc_node(&r->doc, p->value), name);
		r->lang = NULL;
	}
	return err;
}

/* A file as Docker has it; its path is from where the profile lies. */
static int read_seccomp(struct profile_reader *r, const yaml_node_t *n)
{
	const char *text = n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : "";
	const char *slash = strrchr(r->doc.file, '/');
	size_t len = strlen(text);
	scoped(drop_mem) char *dir = NULL;
	scoped(drop_mem) char *path = NULL;
	char said[256];
	int err;

	if (!strchr(text, '/') && (len < 5 || strcmp(text + len - 5, ".json") != 0))
		return 1;
	if (*text != '/' && *r->doc.file != '/')
		return doc_complain(&r->doc, n, "'seccomp' needs the whole path of a file here");
	dir = *text == '/' ? strdup("/") : strndup(r->doc.file, (size_t)(slash - r->doc.file) + 1);
	path = dir ? path_resolve(dir, text) : NULL;
	if (!path)
		return doc_no_memory(&r->doc);
	err = profile_reader_add(r, key_of("seccomp"), n, NULL, path);
	snprintf(said, sizeof(said),
		 "'seccomp: %.100s' is read as 'seccomp: default', and what the file forbids is forbidden, "
		 "too; what it allows beyond that is not",
		 text);
	return err < 0 ? err : note(r, n, said);
}

int profile_foreign(struct profile_reader *r, const yaml_node_t *at, const char *name,
		    const yaml_node_t *value)
{
	(void)at;
	if (!strcmp(name, "driver"))
		return read_driver(r, value);
	if (!strcmp(name, "env"))
		return read_env(r, value);
	if (!strcmp(name, "mounts"))
		return read_mounts(r, value);
	if (!strcmp(name, "seccomp"))
		return read_seccomp(r, value);
	if (!strcmp(name, "default_limits"))
		return read_limits(r, value, "'default_limits'");
	if (!strcmp(name, "language_specific"))
		return read_languages(r, value);
	return 1;
}
