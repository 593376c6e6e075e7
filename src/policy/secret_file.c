/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of a project hold secrets, and readers of their forms; forgiving, since their authors are. */
#include "policy/secret_file.h"

#include <ctype.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"
#include "base/str.h"

#define NAME_MAX_SHOWN 40u
#define DEEPEST        24

static const struct {
	const char *pattern;
	enum secret_file kind;
} names[] = {
	{ ".env", SECRET_FILE_ENV },
	{ ".envrc", SECRET_FILE_ENV },
	{ ".env.*", SECRET_FILE_ENV },
	{ ".dev.vars", SECRET_FILE_ENV },
	{ ".flaskenv", SECRET_FILE_ENV },
	{ ".npmrc", SECRET_FILE_INI },
	{ ".yarnrc.yml", SECRET_FILE_YAML },
	{ ".pypirc", SECRET_FILE_INI },
	{ ".netrc", SECRET_FILE_NETRC },
	{ "credentials.json", SECRET_FILE_JSON },
	{ "service-account*.json", SECRET_FILE_JSON },
	{ "service_account*.json", SECRET_FILE_JSON },
	{ "client_secret*.json", SECRET_FILE_JSON },
	{ "local.settings.json", SECRET_FILE_JSON },
	{ "appsettings.*.json", SECRET_FILE_JSON },
	{ "secrets.json", SECRET_FILE_JSON },
	{ "auth.json", SECRET_FILE_JSON },
	{ "secrets.yml", SECRET_FILE_YAML },
	{ "secrets.yaml", SECRET_FILE_YAML },
	{ "secrets.toml", SECRET_FILE_INI },
	{ "secrets.properties", SECRET_FILE_INI },
	{ "terraform.tfvars", SECRET_FILE_INI },
	{ "*.auto.tfvars", SECRET_FILE_INI },
	{ "wp-config.php", SECRET_FILE_PHP },
	{ "master.key", SECRET_FILE_WHOLE },
	{ ".vault-token", SECRET_FILE_WHOLE },
	{ ".vault_pass*", SECRET_FILE_WHOLE },
	{ "id_rsa*", SECRET_FILE_PEM },
	{ "id_ed25519*", SECRET_FILE_PEM },
	{ "id_ecdsa*", SECRET_FILE_PEM },
	{ "*.pem", SECRET_FILE_PEM },
	{ "*.key", SECRET_FILE_PEM },
};

const char *const secret_file_paths[] = { "config/master.key",
					  "config/secrets.yml",
					  "config/credentials.json",
					  "config/.env",
					  ".streamlit/secrets.toml",
					  ".aws/credentials",
					  NULL };

/* What is only to be copied, and is in every clone of the project. */
static bool is_sample(const char *name)
{
	static const char *const patterns[] = { "*.example*", "*.sample*", "*.template*", "*.dist", "*.tmpl",
						"*.defaults", "*.schema",  "*.md",        "*.pub",  NULL };

	for (size_t i = 0; patterns[i]; i++)
		if (str_matches(name, patterns[i]))
			return true;
	return false;
}

enum secret_file secret_file_kind(const char *name)
{
	size_t n = strlen(name);

	/* Most names end here: no pattern begins or ends with their letters. */
	if (!strchr(".csaltwmi", name[0]) && (n < 4 || strcmp(name + n - 4, ".pem") != 0) &&
	    (n < 4 || strcmp(name + n - 4, ".key") != 0) && (n < 7 || strcmp(name + n - 7, ".tfvars") != 0))
		return SECRET_FILE_NONE;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if ((names[i].pattern[0] == name[0] || names[i].pattern[0] == '*') &&
		    str_matches(name, names[i].pattern))
			return is_sample(name) ? SECRET_FILE_NONE : names[i].kind;
	return !strcmp(name, "credentials") ? SECRET_FILE_INI : SECRET_FILE_NONE;
}

bool secret_file_skips(const char *dir)
{
	return dir[0] == '.' ||
	       str_is_one_of(dir, "node_modules|vendor|target|build|dist|out|venv|env|__pycache__|coverage|"
				  "third_party|bower_components|Pods|bin|obj|tmp|log|logs|docs|doc");
}

void secret_values_finish(struct secret_values *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->items[i].name);
		if (v->items[i].value)
			explicit_bzero(v->items[i].value, v->items[i].len);
		free(v->items[i].value);
	}
	*v = (struct secret_values){ 0 };
}

/* The last part of what a setting is called, such as "_authToken"; printable, and not too long. */
static void show_name(const char *name, size_t len, char ret[NAME_MAX_SHOWN + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < NAME_MAX_SHOWN; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == ':' || c == '/')
			n = 0;
		else if (isalnum(c) || c == '_' || c == '-' || c == '.')
			ret[n++] = (char)c;
	}
	ret[n] = '\0';
}

/* NAME = VALUE was read. */
static void take(struct secret_values *v, const char *name, size_t name_len, const char *value, size_t len)
{
	char shown[NAME_MAX_SHOWN + 1];
	struct secret_value *item;
	const char *part;

	while (len && isspace((unsigned char)value[len - 1]))
		len--;
	while (len && isspace((unsigned char)*value)) {
		value++;
		len--;
	}
	show_name(name, name_len, shown);
	part = memchr(value, '\0', len) ? NULL : secret_value_part(shown, value, len, &len);
	if (!part)
		return;
	for (size_t i = 0; i < v->n; i++)
		if (v->items[i].len == len && !memcmp(v->items[i].value, part, len))
			return;
	if (v->n == SECRET_FILE_VALUES) {
		v->more++;
		return;
	}
	item = &v->items[v->n];
	*item = (struct secret_value){ strdup(*shown ? shown : "value"), strndup(part, len), len };
	v->failed |= !item->name || !item->value;
	if (item->name && item->value) {
		v->n++;
		return;
	}
	free(item->name);
	free(item->value);
}

/* A value in quotes at *AT, which is left behind it; with backslashes only in double ones. */
static void read_quoted(const char **at, const char *end, struct buf *ret)
{
	char quote = *(*at)++;

	for (; *at < end && **at != quote; ++*at) {
		char c = **at;

		if (c == '\\' && quote == '"' && *at + 1 < end) {
			c = *++*at;
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
		}
		buf_add(ret, &c, 1);
	}
	*at += *at < end;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Where the sign between name and value is; NULL: the line has none. */
static const char *find_sign(const char *at, const char *end, bool colon)
{
	for (; at < end; at++)
		if (colon ? *at == ':' && (at + 1 == end || at[1] == ' ' || at[1] == '\r') : *at == '=')
			return at;
	return NULL;
}

/* Lines of NAME SIGN VALUE. MULTI: a value in quotes may have several lines. */
static void read_lines(const char *text, size_t len, bool colon, bool multi, struct secret_values *ret)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		const char *stop = line_end(at, end), *name = skip_blanks(at, stop), *sign, *value;
		scoped(buf_finish) struct buf quoted = { 0 };
		size_t name_len;

		at = stop + (stop < end);
		if (name < stop && (*name == '#' || *name == ';'))
			continue;
		if (stop - name > 7 && !strncmp(name, "export ", 7))
			name = skip_blanks(name + 7, stop);
		sign = find_sign(name, stop, colon);
		if (!sign)
			continue;
		name_len = (size_t)(sign - name);
		value = skip_blanks(sign + 1, stop);
		if (value < stop && (*value == '"' || *value == '\'')) {
			const char *from = value;

			read_quoted(&value, multi ? end : stop, &quoted);
			at = value > at ? line_end(value, end) + (line_end(value, end) < end) : at;
			/* Without its other end it would be the rest of the file. */
			if (value == end && value[-1] != *from) {
				at = stop + (stop < end);
				continue;
			}
			if (buf_str(&quoted))
				take(ret, name, name_len, quoted.data, quoted.len);
			ret->failed |= quoted.failed;
			continue;
		}
		for (const char *c = value; c + 1 < stop; c++) /* a comment behind it */
			if (*c == ' ' && c[1] == '#')
				stop = c;
		take(ret, name, name_len, value, (size_t)(stop - value));
	}
}

static void walk_json(const char *name, const json_t *value, int depth, struct secret_values *ret)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_string(value))
		take(ret, name, strlen(name), json_string_value(value), json_string_length(value));
	if (depth == DEEPEST)
		return;
	json_array_foreach(value, i, item) walk_json(name, item, depth + 1, ret);
	json_object_foreach((json_t *)(uintptr_t)value, key, item) walk_json(key, item, depth + 1, ret);
}

static void read_json(const char *text, size_t len, struct secret_values *ret)
{
	json_t *all = json_loadb(text, len, JSON_DISABLE_EOF_CHECK, NULL);

	if (all)
		walk_json("", all, 0, ret);
	json_decref(all);
}

/* Words between blanks: the one behind "password". */
static void read_netrc(const char *text, size_t len, struct secret_values *ret)
{
	static const char blanks[] = " \t\r\n";
	bool is_next = false;

	for (size_t at = 0; at < len;) {
		size_t n = 0;

		while (at < len && strchr(blanks, text[at]))
			at++;
		while (at + n < len && text[at + n] && !strchr(blanks, text[at + n]))
			n++;
		if (is_next)
			take(ret, "password", 8, text + at, n);
		is_next = n == 8 && !strncmp(text + at, "password", 8);
		at += n + (at + n < len && !text[at + n]);
	}
}

/* Pairs of texts in one call: define('NAME', 'value'); also 'name' => 'value'. */
static void read_php(const char *text, size_t len, struct secret_values *ret)
{
	const char *at = text, *end = text + len;

	while (at < end) {
		const char *stop = line_end(at, end);
		scoped(buf_finish) struct buf name = { 0 }, value = { 0 };
		size_t n = 0;

		while (n < 2 && at < stop)
			if (*at == '\'' || *at == '"')
				read_quoted(&at, stop, n++ ? &value : &name);
			else
				at++;
		if (n == 2 && buf_str(&name) && buf_str(&value))
			take(ret, name.data, name.len, value.data, value.len);
		at = stop + (stop < end);
	}
}

static void read_pem(const char *text, size_t len, struct secret_values *ret)
{
	static const char tail[] = "PRIVATE KEY-----";
	const char *at = text, *end = text + len;

	while (at < end) {
		const char *from = memmem(at, (size_t)(end - at), "-----BEGIN ", 11), *stop;

		if (!from)
			return;
		at = line_end(from, end);
		if (!memmem(from, (size_t)(at - from), tail, sizeof(tail) - 1))
			continue;
		stop = memmem(at, (size_t)(end - at), "-----END ", 9);
		stop = stop ? line_end(stop, end) : end;
		take(ret, "PRIVATE_KEY", 11, from, (size_t)(stop - from));
		at = stop;
	}
}

void secret_file_read(enum secret_file kind, const char *text, size_t len, struct secret_values *ret)
{
	len = len < SECRET_FILE_BYTES ? len : SECRET_FILE_BYTES;
	switch (kind) {
	case SECRET_FILE_ENV:
	case SECRET_FILE_INI:
		read_lines(text, len, false, kind == SECRET_FILE_ENV, ret);
		break;
	case SECRET_FILE_YAML:
		read_lines(text, len, true, false, ret);
		break;
	case SECRET_FILE_JSON:
		read_json(text, len, ret);
		break;
	case SECRET_FILE_NETRC:
		read_netrc(text, len, ret);
		break;
	case SECRET_FILE_PHP:
		read_php(text, len, ret);
		break;
	case SECRET_FILE_PEM:
		read_pem(text, len, ret);
		break;
	case SECRET_FILE_WHOLE:
		take(ret, "SECRET_KEY", 10, text, len);
		break;
	case SECRET_FILE_NONE:
		break;
	}
}
