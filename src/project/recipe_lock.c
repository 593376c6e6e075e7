/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks locks: each form is read just far enough to see that everything in it has a hash, and that no line
 * could send a tool elsewhere.
 */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "project/recipe.h"

#define MAX_LINE 4096u
static const char hex[] = "0123456789abcdef";
static const char word_letters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+!~/@[],";
static const char base64_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=";

static bool is_hash(const char *text)
{
	return strlen(text) == 64 && strspn(text, hex) == 64;
}

/* NAME==VERSION --hash=sha256:... and nothing else: neither options nor addresses. */
static const char *pip_line(char *line, void *state)
{
	char *rest = NULL, *word = strtok_r(line, " \t", &rest), *is;
	size_t hashes = 0;

	(void)state;
	if (!word || word[0] == '#')
		return NULL;
	is = strstr(word, "==");
	if (word[0] == '-' || !is || is == word || !is[2] || strspn(is + 2, word_letters) != strlen(is + 2) ||
	    strspn(word, word_letters) != (size_t)(is - word))
		return "it is not NAME==VERSION with hashes";
	while ((word = strtok_r(NULL, " \t", &rest))) {
		if (strncmp(word, "--hash=sha256:", 14) != 0 || !is_hash(word + 14))
			return "only --hash=sha256:... may follow a version";
		hashes++;
	}
	return hashes ? NULL : "it has no hash";
}

/* MODULE VERSION h1:... */
static const char *go_line(char *line, void *state)
{
	char *rest = NULL, *module = strtok_r(line, " ", &rest), *version = strtok_r(NULL, " ", &rest),
	     *hash = strtok_r(NULL, " ", &rest);

	(void)state;
	if (!module)
		return NULL;
	if (!version || !hash || strtok_r(NULL, " ", &rest) || strncmp(hash, "h1:", 3) != 0 ||
	    strlen(hash) != 47 || strspn(hash + 3, base64_letters) != 44)
		return "it is not MODULE VERSION h1:HASH";
	return NULL;
}

/* HASH, two spaces, a path below the home or the directory. */
static const char *sha256_line(char *line, void *state)
{
	(void)state;
	if (!*line)
		return NULL;
	if (strlen(line) < 67 || line[64] != ' ' || (line[65] != ' ' && line[65] != '*'))
		return "it is not HASH and a file";
	line[64] = '\0';
	if (!is_hash(line))
		return "it does not begin with a SHA-256";
	line += 66;
	return line[0] == '/' || !strncmp(line, "../", 3) || strstr(line, "/../") ? "the file lies elsewhere"
										  : NULL;
}

/* Of Cargo.lock, the package that is being read. */
struct crate {
	bool fetched, hashed;
};

/* The forms that cargo itself writes: what is written otherwise, it would read all the same. */
static bool is_cargo_form(const char *line)
{
	static const char *const forms[] = {
		"#",           "[[package]]",   "[metadata]",       "version = ", "name = \"",
		"source = \"", "checksum = \"", "dependencies = [", " \"",        "]"
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!strncmp(line, forms[i], strlen(forms[i])))
			return true;
	return !*line;
}

static const char *cargo_line(char *line, void *state)
{
	struct crate *c = state;
	bool ended = line[0] == '[' || !line[0];
	const char *sum = "checksum = \"";

	if (!is_cargo_form(line))
		return "cargo does not write such a line";

	if (ended && c->fetched && !c->hashed)
		return "the package above has no checksum";
	if (ended)
		*c = (struct crate){ 0 };
	if (!strncmp(line, "source = ", 9)) {
		c->fetched = true;
		if (strncmp(line + 9, "\"registry+", 10) != 0)
			return "only packages of a registry have a checksum";
	}
	if (!strncmp(line, sum, strlen(sum)) && strlen(line) == strlen(sum) + 65) {
		line[strlen(line) - 1] = '\0';
		c->hashed = is_hash(line + strlen(sum));
	}
	return NULL;
}

/* Calls ACT with each line, of which those that end with a backslash are put together. */
static int each_line(const char *text, size_t len, const char *file,
		     const char *(*act)(char *line, void *state), void *state, struct aisbx_error *e)
{
	char line[MAX_LINE], end_line[1] = "";
	size_t used = 0, number = 0, began = 1;
	const char *wrong = NULL;

	for (size_t at = 0; at <= len; at++) {
		bool end = at == len || text[at] == '\n';

		number += end;
		if (!end && used + 1 < sizeof(line) && text[at]) {
			line[used++] = text[at];
			continue;
		}
		if (!end)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
					    "%s:%zu: the line is too long, or no text", file, number + 1);
		if (used && line[used - 1] == '\\') {
			line[used - 1] = ' ';
			continue;
		}
		line[used] = '\0';
		wrong = act(line, state);
		if (wrong)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s:%zu: %s",
					    file, began, wrong);
		used = 0;
		began = number + 1;
	}
	wrong = act(end_line, state); /* whatever is open ends here */
	return wrong ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s: %s", file, wrong)
		     : 0;
}

static const char *npm_package(const char *name, const json_t *p)
{
	const char *hash = json_string_value(json_object_get(p, "integrity")),
		   *from = json_string_value(json_object_get(p, "resolved"));

	if (!*name) /* the project itself */
		return NULL;
	if (!hash || (strncmp(hash, "sha512-", 7) && strncmp(hash, "sha256-", 7)))
		return "has no integrity by SHA-512";
	return from && strncmp(from, "https://", 8) != 0 ? "does not come by https" : NULL;
}

static int check_npm(const char *text, size_t len, const char *file, struct aisbx_error *e)
{
	json_t *lock = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL), *p;
	json_t *packages = json_object_get(lock, "packages");
	const char *name,
		*wrong = json_is_object(packages) ? NULL : "is no package-lock.json of version 2 or 3",
		*of = "it";

	json_object_foreach(packages, name, p)
	{
		if (wrong)
			break;
		wrong = npm_package(name, p);
		of = name;
	}
	if (wrong)
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s: '%.200s' %s", file, of,
			     wrong);
	json_decref(lock);
	return wrong ? e->code : 0;
}

int recipe_lock_check(enum recipe_lock_kind kind, const char *text, size_t len, const char *file,
		      struct aisbx_error *e)
{
	static const char *(*const by_line[])(char *, void *) = { [RECIPE_LOCK_PIP] = pip_line,
								  [RECIPE_LOCK_CARGO] = cargo_line,
								  [RECIPE_LOCK_GO] = go_line,
								  [RECIPE_LOCK_SHA256] = sha256_line };
	struct crate crate = { 0 };

	if (len > RECIPE_LOCK_MAX)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, EFBIG,
				    "%s: a lock has at most %u bytes", file, RECIPE_LOCK_MAX);
	if (kind == RECIPE_LOCK_NONE)
		return 0;
	if (!len)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s: the lock is empty",
				    file);
	return kind == RECIPE_LOCK_NPM ? check_npm(text, len, file, e)
				       : each_line(text, len, file, by_line[kind], &crate, e);
}
