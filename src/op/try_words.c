/* SPDX-License-Identifier: Apache-2.0 */
/* The branches of an experiment from the words of a command line, or from a list of texts. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "op/try_inside.h"

static int add_branch(json_t *branches, const json_t *args, json_t *words, struct aisbx_error *e)
{
	const size_t n = json_array_size(words), at = json_array_size(branches);
	const char *name = json_string_value(json_array_get(json_object_get(args, "name"), at)), *text;
	scoped(buf_finish) struct buf command = { 0 };
	json_t *argv;

	for (size_t i = 0; i < n; i++) {
		text = json_string_value(json_array_get(words, i));
		buf_addf(&command, "%s%s", i ? " " : "", text);
	}
	text = buf_str(&command);
	if (!text || !text[strspn(text, " \t\r\n")])
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "branch %zu has no command; say one behind each '--'", at + 1);
	argv = n == 1 ? json_pack("[s, s, s]", "sh", "-c", text)
		      : json_incref(words); /* one word is a text for a shell */
	json_array_append_new(branches, json_pack("{s:o, s:s, s:o}", "name",
						  name ? json_string(name) : json_sprintf("%zu", at + 1),
						  "command", text, "argv", argv));
	return 0;
}

/* Words up to the next "--", and texts of a list. */
static int read_branches(const json_t *args, json_t **ret, struct aisbx_error *e)
{
	const json_t *command = json_object_get(args, "command"), *list = json_object_get(args, "branches");
	json_t *words = json_array(), *word;
	size_t i;
	int r = 0;

	*ret = json_incref(json_object_get(args, "ready-branches"));
	if (*ret)
		return json_decref(words), 0;
	*ret = json_array();
	json_array_foreach(command, i, word)
	{
		if (strcmp(json_string_value(word), "--") != 0) {
			json_array_append(words, word);
			continue;
		}
		r = r < 0 ? r : add_branch(*ret, args, words, e);
		json_decref(words);
		words = json_array();
	}
	if (r == 0 && json_array_size(command))
		r = add_branch(*ret, args, words, e);
	json_decref(words);
	json_array_foreach(list, i, word)
	{
		words = json_pack("[O]", word);
		r = r < 0 ? r : add_branch(*ret, args, words, e);
		json_decref(words);
	}
	return r;
}

static int check_count(const json_t *branches, const json_t *args, struct aisbx_error *e)
{
	const size_t given = json_array_size(json_object_get(args, "name")), n = json_array_size(branches);

	if (!n)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "nothing to try; say what: aisbx try --test 'make test' -- 'command A' "
				    "-- 'command B'");
	if (n > TRY_MAX_BRANCHES)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "%zu branches; an experiment has at most %u",
				    n, TRY_MAX_BRANCHES);
	if (given > n)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "%zu names for %zu branches; say --name once for each", given, n);
	return try_check_names(branches, e);
}

int try_words_read(const json_t *args, json_t **ret, struct aisbx_error *e)
{
	int r = read_branches(args, ret, e);

	return r < 0 ? r : check_count(*ret, args, e);
}
