/* SPDX-License-Identifier: Apache-2.0 */
/* Which language a file is in, by its name or by the program that its first line names. */
#include <string.h>

#include "scan/core/scan.h"

static const struct hint {
	const char *word; /* an extension, or the name of an interpreter */
	const char *language;
} extensions[] = {
	{ "py", "python" },
	{ "pyw", "python" },
	{ "pyi", "python" },
	{ "js", "javascript" },
	{ "mjs", "javascript" },
	{ "cjs", "javascript" },
	{ "jsx", "javascript" },
	{ "ts", "typescript" },
	{ "mts", "typescript" },
	{ "cts", "typescript" },
	{ "sh", "shell" },
	{ "bash", "shell" },
	{ "ksh", "shell" },
	{ "bats", "shell" },
	{ NULL, NULL },
}, interpreters[] = {
	{ "python", "python" },
	{ "pypy", "python" },
	{ "node", "javascript" },
	{ "nodejs", "javascript" },
	{ "bun", "javascript" },
	{ "deno", "typescript" },
	{ "ts-node", "typescript" },
	{ "tsx", "typescript" },
	{ "sh", "shell" },
	{ "bash", "shell" },
	{ "dash", "shell" },
	{ "ash", "shell" },
	{ "ksh", "shell" },
	{ "zsh", "shell" },
	{ NULL, NULL },
}, names[] = {
	{ "python", "python" },
	{ "py", "python" },
	{ "python3", "python" },
	{ "javascript", "javascript" },
	{ "js", "javascript" },
	{ "node", "javascript" },
	{ "typescript", "typescript" },
	{ "ts", "typescript" },
	{ "shell", "shell" },
	{ "bash", "shell" },
	{ "sh", "shell" },
	{ NULL, NULL },
};

static const char *look_up(const struct hint *hints, const char *word, size_t len)
{
	for (; hints->word; hints++)
		if (strlen(hints->word) == len && !strncmp(hints->word, word, len))
			return hints->language;
	return NULL;
}

const char *scan_language_name(const char *lang)
{
	return look_up(names, lang, strlen(lang));
}

/* The next word of [*AT, END), without the folders before it. */
static const char *next_word(const char **at, const char *end, size_t *ret_len)
{
	const char *word, *p = *at;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	for (word = p; p < end && *p != ' ' && *p != '\t'; p++)
		if (*p == '/')
			word = p + 1;
	*at = p;
	*ret_len = (size_t)(p - word);
	return word;
}

static bool is_passed_over(const char *word, size_t n)
{
	return !n || *word == '-' || (n == 3 && !strncmp(word, "env", 3)) || memchr(word, '=', n);
}

/* "#!/usr/bin/env -S python3.11 -u": env, options and variables are passed over, and so are versions. */
static const char *guess_by_line(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len < 256 ? len : 256), *at = text + 2;
	size_t n;

	if (len < 2 || text[0] != '#' || text[1] != '!')
		return NULL;
	end = end ? end : text + (len < 256 ? len : 256);
	while (end > at && end[-1] == '\r')
		end--;
	while (at < end) {
		const char *word = next_word(&at, end, &n);

		if (is_passed_over(word, n))
			continue;
		while (n && strchr("0123456789.", word[n - 1]))
			n--;
		return look_up(interpreters, word, n);
	}
	return NULL;
}

const char *scan_language_guess(const char *name, const char *text, size_t len)
{
	const char *slash = name ? strrchr(name, '/') : NULL;
	const char *dot = name ? strrchr(slash ? slash : name, '.') : NULL;
	const char *found = dot ? look_up(extensions, dot + 1, strlen(dot + 1)) : NULL;

	return found ? found : guess_by_line(text, len);
}
