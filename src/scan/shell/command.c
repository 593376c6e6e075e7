/* SPDX-License-Identifier: Apache-2.0 */
/* One shell command with its words: reported as a fact, then followed into what it runs, reads and writes. */
#include "scan/shell/shell.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "base/str.h"

static const char *const bin_folders[] = { "/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/" };

/* "/usr/bin/rm" is rm. */
static const char *plain_name(const char *name)
{
	for (size_t i = 0; i < sizeof(bin_folders) / sizeof(bin_folders[0]); i++) {
		size_t n = strlen(bin_folders[i]);

		if (!strncmp(name, bin_folders[i], n) && name[n])
			return name + n;
	}
	return name;
}

/* The last part of RET goes, for "..", unless it is the home directory or one more "..". */
static void leave(struct sh *s, bool is_absolute, struct val *ret)
{
	size_t last = ret->len;

	while (last && ret->text[last - 1] != '/')
		last--;
	if (ret->len && strcmp(ret->text + last, "..") && ret->text[last] != '~') {
		ret->len = last > 1 ? last - 1 : 0;
		ret->text[ret->len] = '\0';
	} else if (!is_absolute) {
		val_add(s, ret, ret->len ? "/.." : "..", ret->len ? 3 : 2);
	}
}

void shell_resolve(struct sh *s, const char *path, struct val *ret)
{
	scoped(val_finish) struct val full = { 0 };
	bool is_absolute = *path == '/';

	if (!*path || *path == SH_UNKNOWN || strstr(path, "://")) {
		val_add(s, ret, path, strlen(path));
		return;
	}
	if (s->cwd && *path != '/' && *path != '~') {
		val_add(s, &full, s->cwd, strlen(s->cwd));
		val_add(s, &full, "/", 1);
		is_absolute = *s->cwd == '/';
	}
	val_add(s, &full, path, strlen(path));
	for (const char *p = full.text; *p;) {
		size_t n = strcspn(p, "/");

		if (str_is_one_of_n(p, n, "..")) {
			leave(s, is_absolute, ret);
		} else if (n && !str_is_one_of_n(p, n, ".")) {
			if (ret->len || is_absolute)
				val_add(s, ret, "/", 1);
			val_add(s, ret, p, n);
		}
		p += n + strspn(p + n, "/");
	}
	if (!ret->len)
		val_add(s, ret, is_absolute ? "/" : ".", 1);
}

/* Files whose names cannot be told are not one file. */
static struct entry *find_file(struct sh *s, const char *path)
{
	return strcmp(path, FACT_NOT_KNOWN) != 0 ? table_find(&s->files, path) : NULL;
}

void shell_read_file(struct sh *s, const char *path, struct val *v)
{
	struct entry *e = find_file(s, path);
	char name[512];

	snprintf(name, sizeof(name), "<%s", path);
	if (strncmp(path, "/dev/fd/", 8) != 0)
		val_add_from(v, name);
	if (!e || !e->value.n)
		return;
	val_take_from(v, &e->value.list[0].from);
	if (val_is_known(&e->value.list[0])) {
		v->len = 0;
		val_join(s, v, &e->value.list[0]);
	}
}

/* Whether what is written is a program, to be read as one. */
static bool is_script(const char *path, const char *text)
{
	size_t n = strlen(path);
	const char *slash = strrchr(path, '/');

	if (!strncmp(text, "#!", 2) || (n > 3 && !strcmp(path + n - 3, ".sh")))
		return true;
	/* Outside of the project, a name without a kind: a startup file, a completion, a command. */
	return (*path == '~' || *path == '/') && slash && slash[1] && !strchr(slash + 2, '.') &&
	       strncmp(path, "/tmp/", 5) != 0 && strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/proc/", 6) != 0;
}

/* "#!/bin/sh", "#!/usr/bin/env bash" */
static bool is_for_shell(const char *line, size_t len)
{
	return memmem(line, len, "/sh", 3) || memmem(line, len, "bash", 4) || memmem(line, len, " sh", 3) ||
	       memmem(line, len, "dash", 4) || memmem(line, len, "ksh", 3) || memmem(line, len, "zsh", 3);
}

static void read_script(struct sh *s, TSNode at, const char *path, const struct val *content)
{
	const char *text = val_text(content), *end = strchr(text, '\n');
	size_t n = end ? (size_t)(end - text) : content->len, len = strlen(path);
	bool has_line = !strncmp(text, "#!", 2);

	if ((has_line && memmem(text, n, "python", 6)) ||
	    (!has_line && len > 3 && !strcmp(path + len - 3, ".py")))
		shell_other_code(s, at, content, scan_python);
	else if ((has_line && memmem(text, n, "node", 4)) ||
		 (!has_line && len > 3 && !strcmp(path + len - 3, ".js")))
		shell_other_code(s, at, content, scan_javascript);
	else if (is_script(path, text) && (!has_line || is_for_shell(text, n)))
		shell_code(s, at, content, NULL, NULL);
}

void shell_write(struct sh *s, TSNode at, const char *path, const char *how, const struct val *content)
{
	static const char *const nowhere[] = { "/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty",
					       "/dev/full" };
	scoped(words_finish) struct words args = { 0 };
	struct val kept = { 0 };
	struct entry *e;

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		if (!strcmp(path, nowhere[i]))
			return;
	words_add_text(s, &args, how);
	if (content->len)
		words_add_text(s, &args, val_text(content));
	shell_emit(s, at, FACT_WRITE, path, false, &args, 0, &content->from);
	if (content->len > 1)
		read_script(s, at, path, content);
	if (!strcmp(path, FACT_NOT_KNOWN))
		return;
	e = table_find(&s->files, path);
	if (e && e->value.n && !strcmp(how, ">>"))
		val_join(s, &kept, &e->value.list[0]);
	val_join(s, &kept, content);
	table_set(s, &s->files, path, &kept);
}

/* Commands whose words are paths, and how many words before these are not. */
static const struct {
	const char *name;
	size_t skip;
} on_files[] = {
	{ "rm", 0 },      { "rmdir", 0 }, { "unlink", 0 },  { "shred", 0 }, { "truncate", 0 },
	{ "chmod", 1 },   { "chown", 1 }, { "chgrp", 1 },   { "mv", 0 },    { "cp", 0 },
	{ "cat", 0 },     { "tac", 0 },   { "head", 0 },    { "tail", 0 },  { "less", 0 },
	{ "tee", 0 },     { "find", 0 },  { "base64", 0 },  { "xxd", 0 },   { "ln", 0 },
	{ "install", 0 }, { "touch", 0 }, { "strings", 0 }, { "tar", 1 },   { "zip", 0 },
	{ "chattr", 1 },  { "od", 0 },    { "hexdump", 0 },
};

static void resolve_words(struct sh *s, struct words *w)
{
	size_t skip = SH_MAX_WORDS;

	for (size_t i = 0; i < sizeof(on_files) / sizeof(on_files[0]); i++)
		if (val_is(&w->list[0], on_files[i].name))
			skip = on_files[i].skip;
	for (size_t i = 1; i < w->n && skip < SH_MAX_WORDS; i++) {
		struct val *v = &w->list[i], full = { .is_indirect = v->is_indirect };

		if (*val_text(v) == '-' || !v->len || strpbrk(val_text(v), "(){};!\n"))
			continue;
		if (skip) {
			skip--;
			continue;
		}
		if (s->cwd || strstr(v->text, "..") || strstr(v->text, "./") || strstr(v->text, "//")) {
			shell_resolve(s, v->text, &full);
			val_take_from(&full, &v->from);
			val_finish(v);
			*v = full;
		}
	}
}

static bool is_path(const char *text)
{
	return *text == '/' || *text == '~' || !strncmp(text, "./", 2) || !strncmp(text, "../", 3) ||
	       (*text == '@' && text[1]);
}

/* What WORDS and IN are made of, for the fact and for what comes out. */
static void gather(struct sh *s, const struct words *w, const struct val *in, struct val *ret)
{
	for (size_t i = 0; i < w->n; i++)
		val_take_from(ret, &w->list[i].from);
	if (in)
		val_take_from(ret, &in->from);
	for (size_t i = 1; i < w->n && i < 64; i++) {
		const char *text = val_text(&w->list[i]), *at = strstr(text, "@");
		struct entry *e;

		/* curl -F name=@file */
		if (at && at[1] && !strchr(text, ' '))
			text = at + 1;
		e = find_file(s, text);
		if (e && e->value.n)
			val_take_from(ret, &e->value.list[0].from);
	}
}

static void add_own_names(const struct words *w, struct val *ret)
{
	val_add_from(ret, val_text(&w->list[0]));
	for (size_t i = 1; i < w->n && i < 64; i++) {
		const char *text = val_text(&w->list[i]);
		char name[512];

		if (is_path(text)) {
			snprintf(name, sizeof(name), "<%s", *text == '@' ? text + 1 : text);
			val_add_from(ret, name);
		}
	}
}

static void expand_alias(struct sh *s, TSNode at, const struct words *w, const struct val *in,
			 struct val *out)
{
	struct entry *e = table_find(&s->aliases, val_text(&w->list[0]));
	scoped(val_finish) struct val code = { 0 };

	if (!e || !e->value.n || e->is_active)
		return;
	val_join(s, &code, &e->value.list[0]);
	code.is_indirect = true;
	for (size_t i = 1; i < w->n; i++) {
		val_add(s, &code, " ", 1);
		val_join(s, &code, &w->list[i]);
	}
	e->is_active = true;
	shell_code(s, at, &code, in, out);
	e->is_active = false;
}

/* The program starts itself, into itself or more than once behind its own back: "$0" | "$0" &. */
static void count_self(struct sh *s, TSNode at, const struct words *w, const struct val *in)
{
	bool is_piped = s->is_piped && in && strlist_has(&in->from, "$0");

	if (is_piped || (s->is_background && ++s->n_selves == 2))
		shell_emit(s, at, FACT_CALL, "shell.fork-bomb", false, w, 0, NULL);
}

/* A program whose file this one wrote or fetched before. */
static void run_file(struct sh *s, TSNode at, const struct words *w, struct val *from)
{
	scoped(val_finish) struct val path = { 0 }, content = { 0 };
	struct entry *e;

	if (!strchr(val_text(&w->list[0]), '/'))
		return;
	shell_resolve(s, val_text(&w->list[0]), &path);
	e = table_find(&s->files, val_text(&path));
	if (!e || !e->value.n)
		return;
	val_take_from(from, &e->value.list[0].from);
	val_join(s, &content, &e->value.list[0]);
	if (!val_is_known(&content))
		shell_emit(s, at, FACT_HIDDEN, "file", false, w, 0, &content.from);
	else if (content.len && !is_script(val_text(&path), content.text))
		shell_code(s, at, &content, NULL, NULL);
}

static void tell_names(struct sh *s, TSNode at, const struct words *w, const char *name, struct val *from)
{
	bool is_indirect = w->list[0].is_indirect;

	if (strchr(name, SH_UNKNOWN))
		shell_emit(s, at, FACT_HIDDEN, "command", is_indirect, w, 0, &w->list[0].from);
	if (strpbrk(name, "?[") && name[1] && strchr(name, '/') && !strchr(name, SH_UNKNOWN))
		shell_emit(s, at, FACT_HIDDEN, "pattern", true, w, 0, NULL);
	shell_emit(s, at, FACT_COMMAND, name, is_indirect, w, 1, &from->from);
}

static void run_words(struct sh *s, TSNode at, struct words *w, const struct val *in, struct val *out)
{
	scoped(val_finish) struct val from = { 0 };
	struct entry *function = table_find(&s->functions, val_text(&w->list[0]));
	bool is_external = s->is_external;
	const char *name;
	sh_known_fn known;

	s->is_external = false;
	if (function && function->src && !is_external) {
		shell_call(s, at, function, w, in, out);
		if (!function->is_maybe)
			return;
	}
	if (s->aliases.n) /* scripts have them switched off, mostly: the word itself counts as well */
		expand_alias(s, at, w, in, out);
	name = plain_name(val_text(&w->list[0]));
	if (name != val_text(&w->list[0])) {
		struct val plain = { .is_indirect = w->list[0].is_indirect };

		val_add(s, &plain, name, strlen(name));
		val_take_from(&plain, &w->list[0].from);
		val_finish(&w->list[0]);
		w->list[0] = plain;
		name = val_text(&w->list[0]);
	}
	if (!strcmp(name, "$0"))
		count_self(s, at, w, in);
	resolve_words(s, w);
	gather(s, w, in, &from);
	run_file(s, at, w, &from);
	tell_names(s, at, w, name, &from);
	known = shell_known(name);
	if (known && known(s, at, w, in, out))
		return;
	if (!out)
		return;
	val_take_from(out, &from.from);
	add_own_names(w, out);
	if (!shell_filter(s, w, in, out))
		val_add(s, out, FACT_NOT_KNOWN, 1);
}

void shell_command(struct sh *s, TSNode at, const struct words *words, const struct val *in, struct val *out)
{
	scoped(words_finish) struct words w = { 0 };
	size_t first = 0;

	while (first < words->n && !words->list[first].len)
		first++;
	if (first == words->n || s->is_late || (s->is_repeating && s->repeats++ >= SH_MAX_REPEATS))
		return;
	if (s->depth >= SH_MAX_DEPTH) {
		s->was_too_deep = true;
		return;
	}
	words_copy(s, &w, words, first);
	if (!w.n)
		return;
	s->depth++;
	run_words(s, at, &w, in, out);
	s->depth--;
}
