/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that run other commands (sudo, xargs, find -exec): their words are followed to what is run. */
#include "scan/shell/known.h"

#include <stdlib.h>

#include "base/str.h"

/* Those that are followed by a command: options that take a word, words before the command. */
struct wrapper {
	const char *name, *with_word;
	size_t skip;
};

static const struct wrapper wrappers[] = {
	{ "sudo", "ugpCThrDUR", 0 },
	{ "doas", "uC", 0 },
	{ "nohup", "", 0 },
	{ "nice", "n", 0 },
	{ "ionice", "cnp", 0 },
	{ "timeout", "sk", 1 },
	{ "time", "fo", 0 },
	{ "command", "", 0 },
	{ "builtin", "", 0 },
	{ "exec", "a", 0 },
	{ "setsid", "", 0 },
	{ "stdbuf", "ioe", 0 },
	{ "busybox", "", 0 },
	{ "toybox", "", 0 },
	{ "strace", "eopsPuEaIO", 0 },
	{ "ltrace", "eopnsuaAFl", 0 },
	{ "chroot", "", 1 },
	{ "unshare", "RSGw", 0 },
	{ "nsenter", "tSGrw", 0 },
	{ "flock", "wE", 1 },
	{ "watch", "n", 0 },
	{ "parallel", "jIaS", 0 },
	{ "chrt", "", 1 },
	{ "taskset", "", 1 },
	{ "fakeroot", "lsb", 0 },
	{ "proxychains", "f", 0 },
	{ "proxychains4", "f", 0 },
	{ "torsocks", "", 0 },
	{ "catchsegv", "", 0 },
	{ "systemd-run", "puE", 0 },
	{ "coproc", "", 0 },
	{ "runuser", "ugG", 0 },
	{ "pkexec", "", 0 },
	{ "eatmydata", "", 0 },
	{ "caffeinate", "tw", 0 },
	{ "rlwrap", "", 0 },
	{ "unbuffer", "", 0 },
	{ "env", "uCS", 0 },
	{ "not", "", 0 },
};

static const struct wrapper *find_wrapper(const char *name)
{
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		if (sh_same(wrappers[i].name, name))
			return &wrappers[i];
	return NULL;
}

size_t known_skip_options(const struct words *w, size_t i, const char *with_word)
{
	for (; i < w->n; i++) {
		const char *text = val_text(&w->list[i]);

		if (*text != '-' || !text[1])
			break;
		if (!strcmp(text, "--"))
			return i + 1;
		/* "-n 5" takes the next word, "-n5" has it, "--adjustment=5" has it, too. */
		if (text[1] != '-' && strchr(with_word, text[strlen(text) - 1]) && *with_word)
			i++;
	}
	return i;
}

void known_run_from(struct sh *s, TSNode at, const struct words *w, size_t first, const struct val *in,
		    struct val *out)
{
	scoped(words_finish) struct words inner = { 0 };

	if (first >= w->n)
		return;
	words_copy(s, &inner, w, first);
	s->is_external = true;
	shell_command(s, at, &inner, in, out);
}

void known_join(struct sh *s, const struct words *w, size_t first, struct val *ret)
{
	for (size_t i = first; i < w->n; i++) {
		if (i > first)
			val_add(s, ret, " ", 1);
		val_join(s, ret, &w->list[i]);
	}
}

static bool is_assignment(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

	return n && text[n] == '=';
}

static void tell_variable(struct sh *s, TSNode at, const char *text)
{
	scoped(words_finish) struct words value = { 0 };
	char name[128];
	size_t n = strcspn(text, "=");

	snprintf(name, sizeof(name), "$%.*s", (int)(n < 120 ? n : 120), text);
	words_add_text(s, &value, text + n + 1);
	shell_emit(s, at, FACT_USE, name, false, &value, 0, NULL);
}

/* Runs what follows any of the OPTIONS among the first N words. */
static void run_options(struct sh *s, TSNode at, const struct words *w, size_t n, const char *options,
			const struct val *in, struct val *out)
{
	for (size_t k = 1; k + 1 < w->n && k < n; k++)
		if (str_is_one_of(val_text(&w->list[k]), options))
			shell_code(s, at, &w->list[k + 1], in, out);
}

static bool run_wrapper(struct sh *s, TSNode at, const struct words *w, const struct val *in, struct val *out)
{
	const struct wrapper *wrapper = find_wrapper(val_text(&w->list[0]));
	size_t i = known_skip_options(w, 1, wrapper->with_word);

	if (!strcmp(wrapper->name, "command") && w->n > 1 && str_is_one_of(val_text(&w->list[1]), "-v|-V"))
		return false;
	if (strcmp(wrapper->name, "taskset") != 0)
		run_options(s, at, w, i + 1, "-c|--command", in, out);
	if (!strcmp(wrapper->name, "env"))
		run_options(s, at, w, w->n, "-S|--split-string", in, out);
	for (; i < w->n && is_assignment(val_text(&w->list[i])); i++)
		tell_variable(s, at, val_text(&w->list[i]));
	i += wrapper->skip;
	if (i >= w->n)
		return false;
	/* watch and env -S take a text of words. */
	if (str_is_one_of(wrapper->name, "watch|parallel") && strchr(val_text(&w->list[i]), ' ')) {
		scoped(val_finish) struct val code = { 0 };

		known_join(s, w, i, &code);
		shell_code(s, at, &code, in, out);
	} else {
		known_run_from(s, at, w, i, in, out);
	}
	return true;
}

/* One word, or several where WHERE is alone and the text has spaces, in place of WHERE. */
static void add_replaced(struct sh *s, struct words *to, const struct val *v, const char *where,
			 const struct val *by)
{
	struct val one = { .is_indirect = v->is_indirect };
	const char *p = val_text(v), *found;

	val_take_from(&one, &v->from);
	while (*where && (found = strstr(p, where))) {
		val_add(s, &one, p, (size_t)(found - p));
		val_join(s, &one, by);
		p = found + strlen(where);
	}
	val_add(s, &one, p, strlen(p));
	words_add(to, &one);
}

static void add_input_words(struct sh *s, struct words *to, const struct val *in)
{
	const char *p = in ? val_text(in) : "";
	size_t count = 0;

	for (p += strspn(p, " \t\n"); *p && count++ < 64; p += strspn(p, " \t\n")) {
		size_t n = strcspn(p, " \t\n");
		struct val v = { .is_indirect = true };

		val_add(s, &v, p, n);
		val_take_from(&v, &in->from);
		words_add(to, &v);
		p += n;
	}
}

/* The options of xargs: where they end, and what stands for a name, "" for none. */
static size_t xargs_options(const struct words *w, const char **ret_where)
{
	size_t i = 1;

	*ret_where = "";
	for (; i < w->n && *val_text(&w->list[i]) == '-'; i++) {
		const char *text = val_text(&w->list[i]);

		if (!strncmp(text, "-I", 2) && text[2])
			*ret_where = text + 2;
		else if (!strcmp(text, "-I") && i + 1 < w->n)
			*ret_where = val_text(&w->list[++i]);
		else if (!strncmp(text, "-i", 2))
			*ret_where = text[2] ? text + 2 : "{}";
		else if (text[1] && !text[2] && strchr("adELnPs", text[1]))
			i++;
	}
	return i;
}

static bool run_xargs(struct sh *s, TSNode at, const struct words *w, const struct val *in, struct val *out)
{
	scoped(words_finish) struct words inner = { 0 };
	scoped(val_finish) struct val by = { 0 };
	const char *where;
	size_t i = xargs_options(w, &where);

	if (in) {
		val_join(s, &by, in);
		while (by.len && by.text[by.len - 1] == '\n')
			by.text[--by.len] = '\0';
	}
	for (; i < w->n; i++)
		add_replaced(s, &inner, &w->list[i], where, &by);
	if (!inner.n)
		return false;
	if (!*where)
		add_input_words(s, &inner, in);
	s->is_external = true;
	shell_command(s, at, &inner, NULL, out);
	return true;
}

/* The name a find looks for, below where it looks: what {} would be. */
static void find_target(struct sh *s, const struct words *w, const char *where, struct val *ret)
{
	const char *name = "*";

	for (size_t i = 1; i + 1 < w->n; i++)
		if (val_is(&w->list[i], "-name") || val_is(&w->list[i], "-iname"))
			name = val_text(&w->list[i + 1]);
	val_add(s, ret, where, strlen(where));
	if (!ret->len || ret->text[ret->len - 1] != '/')
		val_add(s, ret, "/", 1);
	val_add(s, ret, name, strlen(name));
}

static void find_exec(struct sh *s, TSNode at, const struct words *w, size_t i, const struct val *target,
		      struct val *out)
{
	scoped(words_finish) struct words inner = { 0 };

	for (; i < w->n && !val_is(&w->list[i], ";") && !val_is(&w->list[i], "+"); i++)
		add_replaced(s, &inner, &w->list[i], "{}", target);
	s->is_external = true;
	shell_command(s, at, &inner, NULL, out);
}

static bool run_find(struct sh *s, TSNode at, const struct words *w, const struct val *in, struct val *out)
{
	size_t first = known_skip_options(w, 1, "D"), paths = first;

	(void)in;
	while (paths < w->n && !strchr("-(!", *val_text(&w->list[paths])))
		paths++;
	for (size_t k = first; k < paths || k == first; k++) {
		scoped(val_finish) struct val target = { .is_indirect = true };

		find_target(s, w, k < paths ? val_text(&w->list[k]) : ".", &target);
		for (size_t i = paths; i < w->n; i++) {
			const char *text = val_text(&w->list[i]);

			if (!strncmp(text, "-exec", 5) || !strncmp(text, "-ok", 3)) {
				find_exec(s, at, w, i + 1, &target, out);
			} else if (!strcmp(text, "-delete")) {
				scoped(words_finish) struct words rm = { 0 };

				words_add_text(s, &rm, "rm");
				words_add_text(s, &rm, "-rf");
				words_add_copy(s, &rm, &target);
				s->is_external = true;
				shell_command(s, at, &rm, NULL, NULL);
			}
		}
	}
	return false;
}

static bool run_cd(struct sh *s, TSNode at, const struct words *w, const struct val *in, struct val *out)
{
	size_t i = known_skip_options(w, 1, "");
	scoped(val_finish) struct val full = { 0 };

	(void)at, (void)in, (void)out;
	if (i < w->n)
		shell_resolve(s, val_text(&w->list[i]), &full);
	else
		val_add(s, &full, "~", 1);
	free(s->cwd);
	s->cwd = val_is_known(&full) && !val_is(&full, ".") && !(i < w->n && val_is(&w->list[i], "-"))
			 ? strdup(val_text(&full))
			 : NULL;
	return true;
}

static bool run_popd(struct sh *s, TSNode at, const struct words *w, const struct val *in, struct val *out)
{
	(void)at, (void)w, (void)in, (void)out;
	free(s->cwd);
	s->cwd = NULL;
	return true;
}

/* The words behind the host are a program for the shell over there. */
static bool run_ssh(struct sh *s, TSNode at, const struct words *w, const struct val *in, struct val *out)
{
	size_t i = known_skip_options(w, 1, "bcDEeFIiJLlmOopQRSWw");
	scoped(val_finish) struct val code = { 0 };

	known_join(s, w, i + 1, &code);
	if (code.len)
		shell_code(s, at, &code, in, out);
	else if (in && i < w->n && val_is_known(in))
		shell_code(s, at, in, NULL, out);
	return false;
}

static const struct {
	const char *name;
	sh_known_fn run;
} known[] = {
	{ "xargs", run_xargs },       { "find", run_find },        { "cd", run_cd },
	{ "pushd", run_cd },          { "popd", run_popd },        { "ssh", run_ssh },
	{ "eval", known_eval },       { "source", known_source },  { ".", known_source },
	{ "trap", known_trap },       { "alias", known_alias },    { "read", known_read },
	{ "mapfile", known_read },    { "readarray", known_read }, { "shift", known_shift },
	{ "set", known_set },         { "su", known_su },          { "script", known_su },
	{ "crontab", known_crontab }, { "at", known_at },          { "batch", known_at },
	{ "make", known_make },       { "git", known_git },        { "tee", known_tee },
	{ "cp", known_copy },         { "mv", known_copy },        { "install", known_copy },
	{ "ln", known_copy },         { "dd", known_dd },          { "sed", known_sed_in_place },
	{ "curl", known_fetch },      { "wget", known_fetch },     { "sha256sum", known_check },
	{ "sha512sum", known_check }, { "sha1sum", known_check },  { "shasum", known_check },
	{ "gpg", known_check },       { "gpgv", known_check },     { "minisign", known_check },
	{ "cosign", known_check },    { "md5sum", known_check },   { "npm", known_npm },
	{ "tar", known_options },     { "rsync", known_options },  { "scp", known_options },
	{ "vim", known_options },
};

sh_known_fn shell_known(const char *name)
{
	sh_known_fn interpreter = known_interpreter(name);

	if (interpreter)
		return interpreter;
	if (find_wrapper(name))
		return run_wrapper;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (sh_same(known[i].name, name))
			return known[i].run;
	return NULL;
}
