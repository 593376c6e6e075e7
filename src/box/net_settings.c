/* SPDX-License-Identifier: Apache-2.0 */
/* Translates keys of files into variables by a table, and cleans their values. */
#include "box/net_settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/scope.h"
#include "policy/secret.h"

#define NAME_MAX_LEN 128

/* '*' is the same on both sides. Cargo takes no other source for crates.io, and maven no mirror, by a
 * variable.
 */
static const struct {
	const char *preset, *key, *variable;
} table[] = {
	{ "python-packages", "index-url", "PIP_INDEX_URL" },
	{ "python-packages", "extra-index-url", "PIP_EXTRA_INDEX_URL" },
	{ "python-packages", "find-links", "PIP_FIND_LINKS" },
	{ "python-packages", "trusted-host", "PIP_TRUSTED_HOST" },
	{ "npm", "registry", "npm_config_registry" },
	{ "npm", "@*:registry", "npm_config_@*:registry" },
	{ "npm", "npmregistryserver", "YARN_NPM_REGISTRY_SERVER" },
	{ "go", "goproxy", "GOPROXY" },
	{ "go", "gosumdb", "GOSUMDB" },
	{ "go", "gonosumdb", "GONOSUMDB" },
	{ "go", "gonoproxy", "GONOPROXY" },
	{ "go", "goprivate", "GOPRIVATE" },
	{ "go", "goinsecure", "GOINSECURE" },
	{ "crates", "registries.*.index", "CARGO_REGISTRIES_*_INDEX" },
};
#define N_TABLE (sizeof(table) / sizeof(*table))

/* npm reads its variables in any case. */
static bool is_npm(const char *name)
{
	return !strncasecmp(name, "npm_config_", 11);
}

/* Whether ASSIGNMENT, "NAME=VALUE", is for NAME of N bytes. */
static bool is_for(const char *assignment, const char *name, size_t n)
{
	return assignment[strnlen(assignment, n)] == '=' &&
	       !(is_npm(name) ? strncasecmp(assignment, name, n) : strncmp(assignment, name, n));
}

bool net_setting_is(const char *preset, const char *name)
{
	for (size_t i = 0; i < N_TABLE; i++)
		if (!strcmp(table[i].preset, preset) && (is_npm(name) ? !strcasecmp(table[i].variable, name)
								      : str_matches(name, table[i].variable)))
			return true;
	return false;
}

/* The variable for KEY of PRESET; false: there is none. */
static bool find_name(const char *preset, const char *key, char ret[NAME_MAX_LEN])
{
	for (size_t i = 0; i < N_TABLE; i++) {
		const char *variable = table[i].variable;
		size_t before = strcspn(table[i].key, "*"), head = strcspn(variable, "*");
		size_t fixed = strlen(table[i].key) - (table[i].key[before] == '*');
		int own;

		if (strcmp(table[i].preset, preset) != 0 || !str_matches(key, table[i].key))
			continue;
		own = (int)(strlen(key) - fixed);
		if (!table[i].key[before])
			return snprintf(ret, NAME_MAX_LEN, "%s", variable) < NAME_MAX_LEN;
		if (snprintf(ret, NAME_MAX_LEN, "%.*s%.*s%s", (int)head, variable, own, key + before,
			     variable + head + 1) >= NAME_MAX_LEN)
			return false;
		for (char *c = ret; *c && !strncmp(ret, "CARGO_", 6); c++)
			*c = (char)(*c == '-' || *c == '.' ? '_' : toupper((unsigned char)*c));
		return own > 0;
	}
	return false;
}

/* A host, as in a URL, that is another one in the box. */
static bool is_here(const char *host, size_t n)
{
	return (n >= 9 && !strncasecmp(host, "localhost", 9)) || !strncmp(host, "127.", 4) ||
	       !strncmp(host, "[::1]", 5);
}

/* Adds one word, without user and password of its URLs. False: it is of no use in a box. */
static bool add_word(struct buf *b, const char *word, size_t n)
{
	const char *end = word + n, *at;

	while ((at = memmem(word, (size_t)(end - word), "://", 3))) {
		const char *host = at + 3, *stop = host, *user;
		bool ssh = at - word >= 3 && !strncmp(at - 3, "ssh", 3);

		while (stop < end && !strchr("/?#,|", *stop))
			stop++;
		user = memrchr(host, '@', (size_t)(stop - host));
		if (at - word >= 4 && !strncasecmp(at - 4, "file", 4))
			return false;
		if (is_here(user ? user + 1 : host, (size_t)(stop - (user ? user + 1 : host))))
			return false;
		buf_add(b, word, (size_t)(host - word));
		/* The name before git's SSH is none of a person. */
		if (user && !(ssh && !memchr(host, ':', (size_t)(user - host))))
			host = user + 1;
		buf_add(b, host, (size_t)(stop - host));
		word = stop;
	}
	buf_add(b, word, (size_t)(end - word));
	return true;
}

static bool is_usable(const char *value)
{
	for (const unsigned char *c = (const unsigned char *)value; *c; c++)
		if ((*c < ' ' && !isspace(*c)) || *c == 0x7f)
			return false;
	return !strstr(value, "${") && !(strchr(value, '?') && strstr(value, "://"));
}

/* The words of VALUE, without paths; RET stays empty if there is nothing to tell. */
static void clean(const char *value, struct buf *ret)
{
	static const char space[] = " \t\r\n\"'";
	size_t n;

	for (value += strspn(value, space); *value; value += n, value += strspn(value, space)) {
		n = strcspn(value, space);
		if (strchr("/.~", *value))
			continue;
		if (ret->len)
			buf_add(ret, " ", 1);
		if (!add_word(ret, value, n)) {
			ret->len = 0;
			return;
		}
	}
}

static void drop(struct strlist *l, size_t i)
{
	free(l->items[i]);
	l->items[i] = l->items[--l->n];
	l->items[l->n] = NULL;
}

static void put(struct strlist *settings, const char *name, const char *value, bool more)
{
	scoped(buf_finish) struct buf text = { 0 };
	size_t i = 0;
	bool had;

	if (is_usable(value))
		clean(value, &text);
	if (!buf_str(&text)) {
		settings->failed = true;
		return;
	}
	if (more && !*text.data)
		return;
	while (i < settings->n && !is_for(settings->items[i], name, strlen(name)))
		i++;
	had = i < settings->n;
	if (more && had)
		strlist_addf(settings, "%s %s", settings->items[i], text.data);
	else if (*text.data)
		strlist_addf(settings, "%s=%s", name, text.data);
	if (had && !settings->failed) /* another one, or nothing, instead */
		drop(settings, i);
}

void net_setting_add(struct strlist *settings, const char *preset, const char *key, const char *value,
		     bool more)
{
	char name[NAME_MAX_LEN];

	if (find_name(preset, key, name))
		put(settings, name, value, more);
}

void net_setting_add_variable(struct strlist *settings, const char *name, const char *value)
{
	put(settings, name, value, false);
}

static bool is_passed(const struct run_spec *spec, const char *assignment)
{
	size_t n = strcspn(assignment, "=");

	return spec->profile.env == ENV_MINIMAL ? minimal_env_name(assignment, n)
						: !secret_env_name(assignment, n);
}

void net_settings_tell(const struct strlist *settings, const struct caller *by, struct run_spec *spec)
{
	struct strlist *env = &spec->command.set_env;

	for (size_t i = 0; i < settings->n; i++) {
		size_t n = strcspn(settings->items[i], "=");
		bool there = false;

		for (size_t k = 0; k < env->n && !there; k++)
			there = is_for(env->items[k], settings->items[i], n);
		for (const char *const *v = by->env; v && *v && !there; v++)
			there = is_for(*v, settings->items[i], n) && is_passed(spec, *v);
		if (!there)
			strlist_add(env, settings->items[i]);
	}
}
