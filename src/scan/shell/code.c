/* SPDX-License-Identifier: Apache-2.0 */
/* Commands with programs as arguments (sh -c, eval, python -c, trap): these are read by their own readers. */
#include "base/str.h"
#include "scan/shell/known.h"

#include <stdlib.h>

/* CODE is run by NAME: what of it cannot be told is a fact of its own. */
static void run_code(struct sh *s, TSNode at, const char *name, const struct val *code, const struct val *in,
		     struct val *out)
{
	if (!val_is_known(code))
		shell_emit(s, at, FACT_HIDDEN, name, true, NULL, 0, &code->from);
	if (code->len > 1 || val_is_known(code))
		shell_code(s, at, code, in, out);
}

static void run_unknown(struct sh *s, struct val *out)
{
	if (out)
		val_add(s, out, FACT_NOT_KNOWN, 1);
}

KNOWN(eval)
{
	scoped(val_finish) struct val code = { 0 };

	known_join(s, w, 1, &code);
	run_code(s, at, "eval", &code, in, out);
	return true;
}

/* A file as a program: known when this program wrote it. */
static void run_path(struct sh *s, TSNode at, const char *name, const struct val *path, const struct val *in,
		     struct val *out)
{
	scoped(val_finish) struct val full = { 0 }, content = { 0 };
	bool is_stream;

	shell_resolve(s, val_text(path), &full);
	is_stream = !strncmp(val_text(&full), "/dev/fd/", 8) || !strcmp(val_text(&full), "/dev/stdin");
	val_set_unknown(s, &content);
	if (!strcmp(val_text(&full), "/dev/stdin") && in)
		val_finish(&content), val_join(s, &content, in);
	else
		shell_read_file(s, val_text(&full), &content);
	val_take_from(&content, &path->from);
	if (content.len > 1 || (content.len && val_is_known(&content)))
		run_code(s, at, name, &content, NULL, out);
	else if (is_stream || !val_is_known(path) || table_find(&s->files, val_text(&full)))
		shell_emit(s, at, FACT_HIDDEN, name, true, NULL, 0, &content.from);
}

KNOWN(source)
{
	if (w->n > 1)
		run_path(s, at, "source", &w->list[1], in, out);
	return true;
}

/* The options of a shell: where they end, and whether a program is among them or comes from outside. */
static size_t shell_options(const struct words *w, bool *ret_is_code, bool *ret_is_stdin)
{
	size_t i = 1;

	for (; i < w->n; i++) {
		const char *text = val_text(&w->list[i]);

		if ((*text != '-' && *text != '+') || !text[1])
			break;
		if (!strcmp(text + 1, "-"))
			return i + 1;
		if (text[1] == '-')
			continue;
		*ret_is_code |= strchr(text, 'c') != NULL;
		*ret_is_stdin |= strchr(text, 's') != NULL;
		i += (text[strlen(text) - 1] | 32) == 'o';
	}
	return i;
}

static bool run_shell(struct sh *s, TSNode at, const struct words *w, const struct val *in, struct val *out)
{
	bool is_code = false, is_stdin = false;
	size_t i = shell_options(w, &is_code, &is_stdin);

	if (is_code && i < w->n) {
		struct words before = s->params;

		s->params = (struct words){ 0 };
		words_copy(s, &s->params, w, i + 2);
		run_code(s, at, "sh", &w->list[i], in, out);
		words_finish(&s->params);
		s->params = before;
	} else if (!is_stdin && i < w->n && !val_is(&w->list[i], "-")) {
		run_path(s, at, "sh", &w->list[i], in, out);
		run_unknown(s, out);
	} else if (in) {
		run_code(s, at, "sh", in, NULL, out);
	}
	if (out) {
		val_add_from(out, val_text(&w->list[0]));
		if (in)
			val_take_from(out, &in->from);
	}
	return true;
}

/* In texts of languages without a reader: system("..."), exec('...'), popen("..."). */
static void run_quoted(struct sh *s, TSNode at, const struct val *code)
{
	static const char *const names[] = { "system", "exec", "popen", "passthru", "shell_exec", "spawn" };
	const char *p = val_text(code);
	size_t count = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (const char *q = p; (q = strstr(q, names[i])) && count < 64; count++) {
			scoped(val_finish) struct val inner = { .is_indirect = code->is_indirect };
			const char *end;

			q += strlen(names[i]);
			q += strspn(q, " (");
			if (*q != '"' && *q != '\'')
				continue;
			for (end = q + 1; *end && *end != *q; end += *end == '\\' && end[1] ? 2 : 1)
				;
			val_add(s, &inner, q + 1, (size_t)(end - q - 1));
			if (inner.len)
				shell_code(s, at, &inner, NULL, NULL);
		}
}

struct interpreter {
	const char *name;    /* "python3.11" begins with "python" */
	const char *options; /* that are followed by a program; "" when it is the first word */
	int (*read)(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);
};

static const struct interpreter interpreters[] = {
	{ "python", "c", scan_python },
	{ "pypy", "c", scan_python },
	{ "node", "ep", scan_javascript },
	{ "nodejs", "ep", scan_javascript },
	{ "bun", "ep", scan_javascript },
	{ "perl", "eE", NULL },
	{ "ruby", "e", NULL },
	{ "php", "rRB", NULL },
	{ "lua", "e", NULL },
	{ "awk", "", NULL },
	{ "gawk", "", NULL },
	{ "mawk", "", NULL },
};

static const struct interpreter *find_interpreter(const char *name)
{
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++) {
		size_t n = strlen(interpreters[i].name);

		if (*name == *interpreters[i].name && !strncmp(name, interpreters[i].name, n) &&
		    strspn(name + n, "0123456789.") == strlen(name + n))
			return &interpreters[i];
	}
	return NULL;
}

static void run_in(struct sh *s, TSNode at, const struct interpreter *by, const struct val *code)
{
	if (!val_is_known(code) && code->len == 1)
		shell_emit(s, at, FACT_HIDDEN, by->name, true, NULL, 0, &code->from);
	else if (by->read)
		shell_other_code(s, at, code, by->read);
	else
		run_quoted(s, at, code);
}

/* The file that W names, if this program wrote it. */
static void run_written(struct sh *s, TSNode at, const struct interpreter *by, const struct val *w)
{
	scoped(val_finish) struct val content = { 0 }, full = { 0 };

	shell_resolve(s, val_text(w), &full);
	shell_read_file(s, val_text(&full), &content);
	if (!content.len && !table_find(&s->files, val_text(&full)))
		return;
	if (!content.len)
		val_set_unknown(s, &content);
	val_take_from(&content, &w->from);
	run_in(s, at, by, &content);
}

/* The next word is a program. */
static bool is_code_option(const struct interpreter *by, const char *text)
{
	return str_is_one_of(text, "--eval|--print") ||
	       (text[1] != '-' && strchr(by->options, text[strlen(text) - 1]));
}

static bool run_interpreter(struct sh *s, TSNode at, const struct words *w, const struct val *in,
			    struct val *out)
{
	const struct interpreter *by = find_interpreter(val_text(&w->list[0]));
	size_t i = 1;
	bool has_code = false;

	if (!*by->options) {
		i = known_skip_options(w, 1, "Fv");
		if (i < w->n)
			run_in(s, at, by, &w->list[i]);
		return false;
	}
	for (; i < w->n && *val_text(&w->list[i]) == '-' && w->list[i].len > 1; i++) {
		const char *text = val_text(&w->list[i]);

		has_code |= !strcmp(text, "-m");
		if (i + 1 < w->n && is_code_option(by, text)) {
			run_in(s, at, by, &w->list[++i]);
			has_code = true;
		}
	}
	if (!has_code && i < w->n && !val_is(&w->list[i], "-"))
		run_written(s, at, by, &w->list[i]);
	else if (!has_code && in)
		run_in(s, at, by, in);
	run_unknown(s, out);
	if (out)
		val_add_from(out, val_text(&w->list[0]));
	return true;
}

sh_known_fn known_interpreter(const char *name)
{
	static const char *const shells[] = { "sh",   "bash", "dash",  "zsh", "ksh", "ash",
					      "mksh", "fish", "rbash", "csh", "tcsh" };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (sh_same(name, shells[i]))
			return run_shell;
	return find_interpreter(name) ? run_interpreter : NULL;
}

KNOWN(trap)
{
	size_t i = known_skip_options(w, 1, "");

	(void)in;
	if (i + 1 < w->n && !val_is(&w->list[i], "-"))
		shell_code(s, at, &w->list[i], NULL, out);
	return true;
}

/* su -c CODE, script -c CODE */
KNOWN(su)
{
	for (size_t i = 1; i + 1 < w->n; i++)
		if (val_is(&w->list[i], "-c") || val_is(&w->list[i], "--command") ||
		    val_is(&w->list[i], "-qc"))
			run_code(s, at, "sh", &w->list[i + 1], in, out);
	return false;
}

/* Each line of a table of jobs, behind its times. */
KNOWN(crontab)
{
	(void)out, (void)w;
	for (const char *p = in ? val_text(in) : ""; *p; p += strspn(p, "\n")) {
		size_t n = strcspn(p, "\n"), fields = *p == '@' ? 1 : 5, k = 0;
		scoped(val_finish) struct val code = { 0 };

		while (k < n && fields--) {
			while (k < n && p[k] != ' ' && p[k] != '\t')
				k++;
			while (k < n && (p[k] == ' ' || p[k] == '\t'))
				k++;
		}
		val_add(s, &code, p + k, n - k);
		if (val_is_known(&code))
			shell_code(s, at, &code, NULL, NULL);
		p += n;
	}
	return false;
}

KNOWN(at)
{
	(void)w;
	if (in)
		run_code(s, at, "sh", in, NULL, out);
	return true;
}

/* Recipes of a makefile that comes in. */
KNOWN(make)
{
	(void)out, (void)w;
	for (const char *p = in ? val_text(in) : ""; *p; p += strspn(p, "\n")) {
		size_t n = strcspn(p, "\n"), skip = strspn(p, "\t@-+");
		scoped(val_finish) struct val code = { 0 };

		if (*p == '\t' && skip < n) {
			val_add(s, &code, p + skip, n - skip);
			shell_code(s, at, &code, NULL, NULL);
		}
		p += n;
	}
	return false;
}

/* Words that have a program in them, wherever they stand. */
static const char *const code_options[] = {
	"--checkpoint-action=exec=",
	"--to-command=",
	"--use-compress-program=",
	"--rsh=",
	"ProxyCommand=",
	"core.sshCommand=",
	"core.pager=",
	"core.editor=",
	"core.fsmonitor=",
	"core.askPass=",
	"credential.helper=!",
	"diff.external=",
	"sequence.editor=",
	"--upload-pack=",
	"--receive-pack=",
	"--to-command",
};

KNOWN(options)
{
	for (size_t i = 1; i < w->n; i++)
		for (size_t k = 0; k < sizeof(code_options) / sizeof(code_options[0]); k++) {
			const char *found = strstr(val_text(&w->list[i]), code_options[k]);
			scoped(val_finish) struct val code = { 0 };

			if (!found)
				continue;
			val_add(s, &code, found + strlen(code_options[k]),
				strlen(found + strlen(code_options[k])));
			shell_code(s, at, &code, in, out);
		}
	return false;
}

/* git config KEY VALUE, git -c KEY=VALUE: some of its settings are programs. */
KNOWN(git)
{
	for (size_t i = 1; i < w->n; i++) {
		const char *text = val_text(&w->list[i]),
			   *value = i + 1 < w->n ? val_text(&w->list[i + 1]) : "";
		scoped(val_finish) struct val code = { 0 };
		char key[64];

		if (!strncmp(text, "alias.", 6) && strchr(text, '!'))
			value = strchr(text, '!');
		if (!strncmp(text, "alias.", 6) && *value == '!')
			val_add(s, &code, value + 1, strlen(value + 1));
		snprintf(key, sizeof(key), "%.60s=", text);
		for (size_t k = 0; k < sizeof(code_options) / sizeof(code_options[0]); k++)
			if (!strcmp(key, code_options[k]))
				val_add(s, &code, value, strlen(value));
		if (code.len)
			shell_code(s, at, &code, NULL, NULL);
	}
	return known_options(s, at, w, in, out);
}

/* npm pkg set scripts.postinstall=CODE */
KNOWN(npm)
{
	(void)in, (void)out;
	for (size_t i = 1; i < w->n; i++) {
		const char *text = val_text(&w->list[i]), *equal = strchr(text, '=');
		scoped(val_finish) struct val code = { 0 };

		if (strncmp(text, "scripts.", 8) != 0 || !equal)
			continue;
		val_add(s, &code, equal + 1, strlen(equal + 1));
		shell_code(s, at, &code, NULL, NULL);
	}
	return false;
}
