/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that write files by name (tee, cp, dd, curl -o) or change the shell's own state (alias, read,
 * set).
 */
#include "base/str.h"
#include "scan/shell/known.h"

#include <stdlib.h>

KNOWN(alias)
{
	(void)in, (void)out;
	for (size_t i = 1; i < w->n; i++) {
		const char *text = val_text(&w->list[i]), *equal = strchr(text, '=');
		struct val value = { 0 };
		char name[128];

		if (!equal || (size_t)(equal - text) >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(equal - text), text);
		val_add(s, &value, equal + 1, strlen(equal + 1));
		shell_code(s, at, &value, NULL, NULL);
		table_set(s, &s->aliases, name, &value);
	}
	return true;
}

/* The first line for the last name; what it came from for all. */
KNOWN(read)
{
	(void)at, (void)out;
	for (size_t i = known_skip_options(w, 1, "adinNptu"); i < w->n; i++) {
		struct val v = { 0 };
		const char *text = in ? val_text(in) : FACT_NOT_KNOWN;

		for (size_t k = 0; k < s->round && text[strcspn(text, "\n")]; k++)
			text += strcspn(text, "\n") + 1;
		val_add(s, &v, text, strcspn(text, "\n"));
		if (in)
			val_take_from(&v, &in->from);
		if (!v.len)
			val_set_unknown(s, &v);
		table_set(s, &s->vars, val_text(&w->list[i]), &v);
	}
	return true;
}

KNOWN(shift)
{
	size_t n = w->n > 1 ? (size_t)strtoul(val_text(&w->list[1]), NULL, 10) : 1;

	(void)s, (void)at, (void)in, (void)out;
	while (n-- && s->params.n) {
		val_finish(&s->params.list[0]);
		memmove(s->params.list, s->params.list + 1, --s->params.n * sizeof(*s->params.list));
	}
	return true;
}

/* set -- a b c */
KNOWN(set)
{
	size_t i = 1;

	(void)at, (void)in, (void)out;
	while (i < w->n && !val_is(&w->list[i], "--"))
		i++;
	if (i < w->n) {
		words_finish(&s->params);
		words_copy(s, &s->params, w, i + 1);
	}
	return i < w->n || w->n > 1; /* alone it prints all variables */
}

KNOWN(tee)
{
	const struct val nothing = { 0 };
	bool is_more = false;

	(void)out;
	for (size_t i = 1; i < w->n; i++) {
		if (*val_text(&w->list[i]) == '-')
			is_more |= strchr(val_text(&w->list[i]), 'a') != NULL;
		else
			shell_write(s, at, val_text(&w->list[i]), is_more ? ">>" : ">", in ? in : &nothing);
	}
	return false;
}

/* cp, mv, install, ln: the last word, or what -t names, is written; a file this program made keeps its
 * origin. */
KNOWN(copy)
{
	scoped(val_finish) struct val content = { 0 };
	size_t first = known_skip_options(w, 1, "tmogS"), last = w->n - 1;
	const char *target = val_text(&w->list[last]);

	(void)in, (void)out;
	for (size_t i = 1; i + 1 < w->n; i++)
		if (val_is(&w->list[i], "-t"))
			target = val_text(&w->list[i + 1]);
	if (last <= first)
		return false;
	val_set_unknown(s, &content);
	val_add_from(&content, val_text(&w->list[0]));
	for (size_t i = first; i < last; i++)
		if (*val_text(&w->list[i]) != '-')
			shell_read_file(s, val_text(&w->list[i]), &content);
	shell_write(s, at, target, ">", &content);
	return false;
}

KNOWN(dd)
{
	scoped(val_finish) struct val content = { 0 };

	(void)in, (void)out;
	val_set_unknown(s, &content);
	val_add_from(&content, "dd");
	for (size_t i = 1; i < w->n; i++)
		if (!strncmp(val_text(&w->list[i]), "of=", 3))
			shell_write(s, at, val_text(&w->list[i]) + 3, ">", &content);
	return false;
}

/* sed -i SCRIPT FILE... */
KNOWN(sed_in_place)
{
	scoped(val_finish) struct val content = { 0 };
	bool is_in_place = false, has_script = false;

	(void)in, (void)out;
	val_set_unknown(s, &content);
	val_add_from(&content, "sed");
	for (size_t i = 1; i < w->n; i++) {
		const char *text = val_text(&w->list[i]);

		if (!strncmp(text, "-i", 2) || !strncmp(text, "--in-place", 10) ||
		    str_is_one_of(text, "-Ei|-ri"))
			is_in_place = true;
		else if (str_is_one_of(text, "-e|-f"))
			has_script = true, i++;
		else if (*text != '-' && !has_script)
			has_script = true;
		else if (*text != '-' && is_in_place)
			shell_write(s, at, text, ">", &content);
	}
	return false;
}

/* The file that the option at I of a download names; NULL: it names none. */
static const char *output_of(const struct words *w, size_t i, bool is_wget)
{
	const char *text = val_text(&w->list[i]), *letter;
	bool is_short = *text == '-' && text[1] && text[1] != '-';
	bool is_last_letter = is_short && text[strlen(text) - 1] == (is_wget ? 'O' : 'o');

	if (i + 1 < w->n && (is_last_letter || str_is_one_of(text, "--output|--output-document")))
		return val_text(&w->list[i + 1]);
	letter = is_wget && is_short ? strchr(text, 'O') : NULL;
	return letter ? letter + 1 : NULL;
}

/* Where a download goes: -o FILE, -O FILE of wget, or the last part of its address. */
static void fetched_path(struct sh *s, const struct words *w, struct val *ret)
{
	bool is_wget = val_is(&w->list[0], "wget"), is_remote_name = is_wget;
	const char *url = "", *folder = NULL;

	for (size_t i = 1; i < w->n; i++) {
		const char *text = val_text(&w->list[i]), *output = output_of(w, i, is_wget);

		if (output) {
			shell_resolve(s, output, ret);
			return;
		}
		if (is_wget && str_is_one_of(text, "-P|--directory-prefix") && i + 1 < w->n)
			folder = val_text(&w->list[++i]);
		is_remote_name |= *text == '-' && text[1] != '-' && strchr(text, 'O');
		if (*text != '-' && strchr(text, '/'))
			url = text;
	}
	if (is_remote_name && strrchr(url, '/')) {
		scoped(val_finish) struct val path = { 0 };

		if (folder)
			val_add(s, &path, folder, strlen(folder));
		val_add(s, &path, strrchr(url, '/') + !folder, strlen(strrchr(url, '/') + !folder));
		shell_resolve(s, val_text(&path), ret);
	}
}

KNOWN(fetch)
{
	scoped(val_finish) struct val path = { 0 }, content = { 0 };

	(void)in, (void)out;
	fetched_path(s, w, &path);
	if (!path.len || val_is(&path, "-"))
		return false;
	val_set_unknown(s, &content);
	val_add_from(&content, val_text(&w->list[0]));
	shell_write(s, at, val_text(&path), ">", &content);
	return false;
}

/* Files that were compared with what they should be are no longer just downloads. */
KNOWN(check)
{
	bool is_check = val_is(&w->list[0], "gpgv") || val_is(&w->list[0], "minisign") ||
			val_is(&w->list[0], "cosign");

	(void)at, (void)in, (void)out;
	for (size_t i = 1; i < w->n; i++)
		is_check |= val_is(&w->list[i], "-c") || val_is(&w->list[i], "--check") ||
			    val_is(&w->list[i], "--verify");
	if (!is_check)
		return false;
	for (size_t i = 0; i < sizeof(s->files.slots) / sizeof(s->files.slots[0]); i++)
		for (struct entry *e = s->files.slots[i]; e; e = e->next)
			for (size_t k = 0; k < e->value.n; k++)
				strlist_finish(&e->value.list[k].from);
	return false;
}
