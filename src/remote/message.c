/* SPDX-License-Identifier: Apache-2.0 */
/* A call as one word without any character that means something to a shell: strings with their NULs, in
 * base64. */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "remote/remote.h"

/* The first string: a later form of the message has another one. */
#define FORM "aisbx1"

const char *const remote_variables[] = { "AISBX_PROFILE", "NO_COLOR", NULL };

static void add(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text) + 1);
}

char *remote_encode(const struct remote_call *c)
{
	struct buf plain = { 0 }, coded = { 0 };
	char *text = NULL;

	add(&plain, FORM);
	add(&plain, c->dir);
	for (char **v = c->env; *v; v++)
		add(&plain, *v);
	add(&plain, ""); /* no variable is empty */
	for (char **w = c->words; *w; w++)
		add(&plain, *w);
	if (!plain.failed)
		base64_add(&coded, plain.data, plain.len);
	if (!plain.failed && !coded.failed && buf_str(&coded))
		text = coded.data;
	else
		buf_finish(&coded);
	buf_finish(&plain);
	return text;
}

void remote_call_finish(struct remote_call *c)
{
	free(c->env);
	free(c->words);
	free(c->mem);
	*c = (struct remote_call){ 0 };
}

static bool is_variable(const char *text)
{
	size_t len = strcspn(text, "=");

	for (size_t i = 0; text[len] && remote_variables[i]; i++)
		if (strlen(remote_variables[i]) == len && !strncmp(text, remote_variables[i], len))
			return true;
	return false;
}

/* The strings of MEM, which ends with one; NULL: none, or no memory. Ends with NULL. */
static char **split(char *mem, size_t len)
{
	size_t n = 0, at = 0;
	char **list;

	for (size_t i = 0; i < len; i++)
		n += mem[i] == '\0';
	list = calloc(n + 1, sizeof(*list));
	for (size_t i = 0; list && i < n; i++) {
		list[i] = mem + at;
		at += strlen(mem + at) + 1;
	}
	return list;
}

/* From ALL, to the end or to an empty one, which is left out; heap. RET_N: how many it has. */
static char **part(char **all, bool to_empty, size_t *ret_n)
{
	size_t n = 0;
	char **list;

	while (all[n] && !(to_empty && !all[n][0]))
		n++;
	*ret_n = n;
	list = calloc(n + 1, sizeof(*list));
	if (list && n)
		memcpy(list, all, n * sizeof(*list));
	return list;
}

static bool sort_out(char **all, struct remote_call *c)
{
	size_t n = 0, n_words = 0;

	if (!all[0] || strcmp(all[0], FORM) != 0 || !all[1] || all[1][0] != '/')
		return false;
	c->dir = all[1];
	c->env = part(all + 2, true, &n);
	if (!c->env || !all[2 + n])
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_variable(c->env[i]))
			return false;
	c->words = part(all + 2 + n + 1, false, &n_words);
	return c->words != NULL;
}

bool remote_decode(const char *text, struct remote_call *ret)
{
	struct remote_call c = { 0 };
	struct buf plain = { 0 };
	char **all = NULL;
	bool good = strlen(text) <= REMOTE_MAX && base64_read(&plain, text, strlen(text)) && plain.len &&
		    plain.data[plain.len - 1] == '\0';

	c.mem = plain.data;
	if (good)
		all = split(plain.data, plain.len);
	good = all && sort_out(all, &c);
	free(all);
	if (good)
		*ret = c;
	else
		remote_call_finish(&c);
	return good;
}

/* What ssh would take for an option, or a shell for more than a name, is no host. */
const char *remote_place_read(const char *text, struct remote_place *ret)
{
	static const char scheme[] = "ssh://";
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:[]%";
	bool url = !strncmp(text, scheme, strlen(scheme));
	const char *host = url ? text + strlen(scheme) : text;
	size_t len = strcspn(host, "/");

	if (!url && strstr(text, "://"))
		return "only ssh is supported: ssh://HOST";
	if (host[len] && !url)
		return "a directory needs the form ssh://HOST/DIR";
	if (len == 0 || host[0] == '-' || strspn(host, letters) < len)
		return "that is not the name of a host";
	if (len + strlen(scheme) >= sizeof(ret->host))
		return "the name is too long";
	ret->host[0] = '\0';
	strncat(ret->host, text, (size_t)(host - text) + len);
	ret->dir = host[len] && host[len + 1] ? host + len : NULL;
	return NULL;
}
