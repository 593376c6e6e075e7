/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that are known to be read-only: which options they may have, and which of their words are
 * files. Commands that are not in this table are not known. An option is listed if it only affects output;
 * options that name a file to write, a program to start or a list of files to read are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "guard/syntax_tree.h"

enum {
	FILES = 1,     /* its operands are files it shows */
	NAMES = 2,     /* its operands are files of which it tells names and numbers */
	FIRST = 4,     /* but the first operand is none */
	ANY = 8,       /* its words do nothing, whatever they are */
	NONE = 16,     /* it takes no operands */
	ONE = 32,      /* at most one: a second one would be written */
	BELOW = 64,    /* it goes down directories */
	BUILTIN = 128, /* of the shell */
};

struct known {
	const char *name;
	unsigned int how;
	struct guard_options options;
	guard_check *check; /* does it all instead */
};

static guard_check check_cd, check_set, check_exit, check_date, check_ps, check_tar, check_unzip, check_less,
	check_man, check_ip, check_grep, check_rg, check_diff, check_printenv, check_version, check_type,
	check_xxd, check_rust, check_go, check_java, check_hostname, check_self;

#define GREP_OPTIONS                                                                                       \
	"inlLvcwxoqshHEFGPrIaboUzTyZ", "eABCm",                                                            \
		"--ignore-case --invert-match --count --color? --colour? --files-with-matches "            \
		"--files-without-match --max-count= "                                                      \
		"--only-matching --quiet --no-messages --line-number --no-filename --with-filename "       \
		"--after-context= --before-context= "                                                      \
		"--context= --include= --exclude= --exclude-dir= --recursive --word-regexp --line-regexp " \
		"--extended-regexp "                                                                       \
		"--fixed-strings --perl-regexp --regexp= --text --null --byte-offset",                     \
		true, false

static const struct known table[] = {
	{ "[", BUILTIN, { 0 }, guard_test },
	{ "[[", BUILTIN, { 0 }, guard_test },
	{ "aisbx", 0, { 0 }, check_self },
	{ "arch", NONE, { "", "", "", false, false }, NULL },
	{ "awk", 0, { 0 }, guard_awk },
	{ "basename", ANY, { "az", "s", "--suffix= --multiple", false, false }, NULL },
	{ "cal", ANY, { "3ymwj", "", "", true, false }, NULL },
	{ "cargo", 0, { 0 }, check_rust },
	{ "cat",
	  FILES,
	  { "nbAETsvetu", "", "--number --show-all --show-ends --show-tabs --number-nonblank --squeeze-blank",
	    false, false },
	  NULL },
	{ "cd", BUILTIN, { 0 }, check_cd },
	{ "clang", 0, { 0 }, check_version },
	{ "clear", NONE, { "", "", "", false, false }, NULL },
	{ "cmake", 0, { 0 }, check_version },
	{ "cmp", FILES, { "bls", "n", "--silent --quiet --verbose --bytes=", false, false }, NULL },
	{ "column", FILES, { "tx", "sco", "--table --separator=", false, false }, NULL },
	{ "comm", FILES, { "123iz", "", "--check-order --nocheck-order --total", false, false }, NULL },
	{ "command", BUILTIN, { 0 }, guard_command_word },
	{ "cut",
	  FILES,
	  { "nsz", "bcdf",
	    "--bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=",
	    false, false },
	  NULL },
	{ "date", 0, { 0 }, check_date },
	{ "df",
	  NAMES,
	  { "ahHTilPk", "tx",
	    "--human-readable --all --si --total --type= --print-type --inodes --local --output?", false,
	    false },
	  NULL },
	{ "diff", 0, { 0 }, check_diff },
	{ "dirname", ANY, { "z", "", "--zero", false, false }, NULL },
	{ "du",
	  NAMES,
	  { "shackmbxlSHDL0", "dt",
	    "--summarize --human-readable --all --total --max-depth= --apparent-size --bytes --si --exclude= "
	    "--threshold= --time?",
	    true, false },
	  NULL },
	{ "echo", BUILTIN, { 0 }, guard_echo },
	{ "egrep", 0, { 0 }, check_grep },
	{ "env", 0, { 0 }, guard_env_command },
	{ "exit", BUILTIN, { 0 }, check_exit },
	{ "expr", ANY, { "", "", "", true, false }, NULL },
	{ "false", BUILTIN | ANY, { "", "", "", false, false }, NULL },
	{ "fgrep", 0, { 0 }, check_grep },
	{ "file",
	  FILES,
	  { "biLhkNr0", "F", "--brief --mime --mime-type --mime-encoding --dereference --no-dereference",
	    false, false },
	  NULL },
	{ "find", 0, { 0 }, guard_find },
	{ "fold", FILES, { "bs", "w", "--width= --spaces --bytes", true, false }, NULL },
	{ "free",
	  NONE,
	  { "bkmghtlw", "", "--human --mega --giga --total --wide --bytes --kilo", false, false },
	  NULL },
	{ "g++", 0, { 0 }, check_version },
	{ "gcc", 0, { 0 }, check_version },
	{ "getconf", ANY, { "", "", "", false, false }, NULL },
	{ "git", 0, { 0 }, guard_git },
	{ "go", 0, { 0 }, check_go },
	{ "grep", 0, { 0 }, check_grep },
	{ "groups", ANY, { "", "", "", false, false }, NULL },
	{ "head", FILES, { "qvz", "nc", "--lines= --bytes= --quiet --verbose", true, false }, NULL },
	{ "hexdump", FILES, { "bcCdovx", "ns", "--canonical --length= --skip=", false, false }, NULL },
	{ "hostname", 0, { 0 }, check_hostname },
	{ "id", ANY, { "gGnruz", "", "--user --group --groups --name --real", false, false }, NULL },
	{ "ip", 0, { 0 }, check_ip },
	{ "java", 0, { 0 }, check_java },
	{ "javac", 0, { 0 }, check_java },
	{ "join", FILES, { "i", "12ajtvoe", "--check-order --nocheck-order --header", false, false }, NULL },
	{ "jq", 0, { 0 }, guard_jq },
	{ "less", 0, { 0 }, check_less },
	{ "ls",
	  NAMES,
	  { "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "ITw",
	    "--all --almost-all --human-readable --color? --recursive --reverse --sort= --time= "
	    "--time-style= --full-time "
	    "--directory --classify? --inode --size --group-directories-first --si --format= --hide= "
	    "--ignore= --no-group --numeric-uid-gid --file-type --block-size= --width= --zero",
	    true, false },
	  NULL },
	{ "lsb_release",
	  NONE,
	  { "aidcrs", "", "--all --description --release --codename --id --short", false, false },
	  NULL },
	{ "lsblk", NONE, { "afmnpl", "o", "--all --fs --output=", false, false }, NULL },
	{ "lscpu", NONE, { "", "", "", false, false }, NULL },
	{ "make", 0, { 0 }, check_version },
	{ "man", 0, { 0 }, check_man },
	{ "md5sum", FILES, { "bt", "", "--binary --text --tag", false, false }, NULL },
	{ "more", 0, { 0 }, check_less },
	{ "nice", 0, { 0 }, guard_nice },
	{ "ninja", 0, { 0 }, check_version },
	{ "nl",
	  FILES,
	  { "p", "bdfhilnsvw", "--body-numbering= --number-width= --number-format=", false, false },
	  NULL },
	{ "node", 0, { 0 }, check_version },
	{ "npm", 0, { 0 }, check_version },
	{ "nproc", NONE, { "", "", "--all --ignore=", false, false }, NULL },
	{ "od",
	  FILES,
	  { "abcdfilosxv", "AjNt", "--address-radix= --format= --read-bytes= --skip-bytes=", false, false },
	  NULL },
	{ "paste", FILES, { "sz", "d", "--delimiters= --serial", false, false }, NULL },
	{ "perl", 0, { 0 }, check_version },
	{ "pgrep",
	  ANY,
	  { "laAcfinovx", "uUgGPtsd",
	    "--list-name --list-full --full --newest --oldest --exact --count --euid= --parent=", false,
	    false },
	  NULL },
	{ "pip", 0, { 0 }, check_version },
	{ "pip3", 0, { 0 }, check_version },
	{ "printenv", 0, { 0 }, check_printenv },
	{ "printf", BUILTIN, { 0 }, guard_printf },
	{ "ps", 0, { 0 }, check_ps },
	{ "pwd", BUILTIN | NONE, { "LP", "", "", false, false }, NULL },
	{ "python", 0, { 0 }, check_version },
	{ "python3", 0, { 0 }, check_version },
	{ "readlink",
	  NAMES,
	  { "femnqsz", "", "--canonicalize --canonicalize-existing --no-newline", false, false },
	  NULL },
	{ "realpath",
	  NAMES,
	  { "emLPqsz", "",
	    "--canonicalize-existing --canonicalize-missing --no-symlinks --relative-to= --relative-base=",
	    false, false },
	  NULL },
	{ "rev", FILES, { "", "", "", false, false }, NULL },
	{ "rg", 0, { 0 }, check_rg },
	{ "ruby", 0, { 0 }, check_version },
	{ "rustc", 0, { 0 }, check_rust },
	{ "sed", 0, { 0 }, guard_sed },
	{ "seq", ANY, { "w", "fs", "--equal-width --separator= --format=", true, false }, NULL },
	{ "set", BUILTIN, { 0 }, check_set },
	{ "sha1sum", FILES, { "bt", "", "--binary --text --tag", false, false }, NULL },
	{ "sha256sum", FILES, { "bt", "", "--binary --text --tag", false, false }, NULL },
	{ "sha512sum", FILES, { "bt", "", "--binary --text --tag", false, false }, NULL },
	{ "sleep", ANY, { "", "", "", false, false }, NULL },
	{ "sort",
	  FILES,
	  { "bcCdfghiMnRrsuVzm", "kt",
	    "--numeric-sort --reverse --unique --key= --field-separator= --human-numeric-sort --version-sort "
	    "--stable --ignore-case --check? --zero-terminated --general-numeric-sort",
	    false, false },
	  NULL },
	{ "ss",
	  NONE,
	  { "tuxlnapes46H", "", "--tcp --udp --listening --numeric --processes --all --summary", false,
	    false },
	  NULL },
	{ "stat",
	  NAMES,
	  { "Lft", "c", "--format= --printf= --dereference --file-system --terse", false, false },
	  NULL },
	{ "strings", FILES, { "afo", "net", "--all --bytes= --radix= --encoding=", true, false }, NULL },
	{ "tac", FILES, { "b", "s", "--before --separator=", false, false }, NULL },
	{ "tail",
	  FILES,
	  { "fFqvrz", "ncs", "--lines= --bytes= --follow? --quiet --verbose --retry --sleep-interval=", true,
	    true },
	  NULL },
	{ "tar", 0, { 0 }, check_tar },
	{ "test", BUILTIN, { 0 }, guard_test },
	{ "time", BUILTIN, { 0 }, guard_time },
	{ "timeout", 0, { 0 }, guard_timeout },
	{ "tr",
	  ANY,
	  { "cCdst", "", "--complement --delete --squeeze-repeats --truncate-set1", false, false },
	  NULL },
	{ "tree",
	  NAMES,
	  { "adfhilnpqrstuvCDFNSUx", "LIP",
	    "--dirsfirst --noreport --prune --du --gitignore --filelimit= --charset= --ignore-case --si "
	    "--sort=",
	    false, false },
	  NULL },
	{ "true", BUILTIN | ANY, { "", "", "", false, false }, NULL },
	{ "tty", NONE, { "s", "", "", false, false }, NULL },
	{ "type", BUILTIN, { 0 }, check_type },
	{ "uname",
	  NONE,
	  { "asnrvmpio", "", "--all --kernel-name --kernel-release --machine --operating-system", false,
	    false },
	  NULL },
	{ "uniq",
	  FILES | ONE,
	  { "cdDiuz", "fsw", "--count --repeated --unique --ignore-case --skip-fields= --skip-chars=", false,
	    false },
	  NULL },
	{ "unzip", 0, { 0 }, check_unzip },
	{ "uptime", NONE, { "ps", "", "--pretty --since", false, false }, NULL },
	{ "vmstat", ANY, { "asSwd", "", "", false, false }, NULL },
	{ "w", NONE, { "hsf", "", "", false, false }, NULL },
	{ "wc",
	  FILES,
	  { "clmwL", "", "--bytes --chars --lines --words --max-line-length", false, false },
	  NULL },
	{ "which", ANY, { "a", "", "", false, false }, NULL },
	{ "who", NONE, { "abdHlmpqrstTu", "", "--all --boot --count --heading", false, false }, NULL },
	{ "whoami", NONE, { "", "", "", false, false }, NULL },
	{ "xargs", 0, { 0 }, guard_xargs },
	{ "xxd", 0, { 0 }, check_xxd },
	{ "zcat", FILES, { "", "", "", false, false }, NULL },
};

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct known *)row)->name);
}

static const struct known *find(const char *name)
{
	return bsearch(name, table, sizeof(table) / sizeof(*table), sizeof(*table), by_name);
}

/* NAME in LIST, "--a --b? --c=": '-' it takes nothing, '?' an attached value, '=' any; 0: not there. */
static char find_long(const char *list, const char *name, size_t len)
{
	for (const char *at = list; (at = strstr(at, "--")) != NULL; at += 2) {
		size_t n = strcspn(at, " ?=");

		if ((at == list || at[-1] == ' ') && n == len && !memcmp(at, name, n))
			return at[n] == '?' || at[n] == '=' ? at[n] : '-';
	}
	return 0;
}

bool guard_has_long(const struct guard_command *c, size_t first, const char *name)
{
	for (size_t i = first + 1; i < c->n; i++)
		if (!strcmp(c->words[i].text, name))
			return true;
	return false;
}

static bool refuse_option(struct guard *g, const struct guard_word *w)
{
	return guard_say_word(g, "option", w, "'%.80s' is not known to be harmless", w->text);
}

/* 0: not known; 1: it stands for itself; 2: its value is the next word. */
static int take_short(const char *word, const struct guard_options *o, char *seen, size_t cap)
{
	if (o->numbers && word[1] >= '0' && word[1] <= '9')
		return word[1 + strspn(word + 1, "0123456789")] == '\0';
	for (const char *at = word + 1; *at; at++) {
		size_t n = strlen(seen);

		if (n + 1 < cap) {
			seen[n] = *at;
			seen[n + 1] = '\0';
		}
		if (o->stuck && strchr(o->stuck, *at))
			return at[1] ? 1 : 0;
		if (o->values && strchr(o->values, *at))
			return at[1] ? 1 : 2;
		if (!o->flags || !strchr(o->flags, *at))
			return 0;
	}
	return 1;
}

static int take_long(const char *word, const struct guard_options *o)
{
	size_t n = strcspn(word, "=");
	char kind = find_long(o->longs ? o->longs : "", word, n);

	if (!kind || (word[n] == '=' && kind == '-'))
		return 0;
	return kind == '=' && !word[n] ? 2 : 1;
}

/* The word W, which is the value of an option, is one word. */
static bool is_one_value(struct guard *g, const struct guard_word *w)
{
	if (w->split)
		return refuse_option(g, w);
	if (guard_may_match(g, w) && w->text[0] != '.' && w->text[0] != '/')
		return guard_say_word(g, "option", w,
				      "the words that a shell puts here are not known; quote it");
	return true;
}

/* How many words the option W is; 0: it is not in the row. */
static int take_option(const char *word, const struct guard_options *o, struct guard_operands *ret)
{
	if (word[0] == '+')
		return 1;
	return word[1] == '-' ? take_long(word, o) : take_short(word, o, ret->seen, sizeof(ret->seen));
}

bool guard_take_options(struct guard *g, const struct guard_command *c, size_t first,
			const struct guard_options *o, struct guard_operands *ret)
{
	ret->n = 0;
	ret->seen[0] = '\0';
	ret->dashes = false;
	for (size_t i = first + 1; i < c->n; i++) {
		const struct guard_word *w = &c->words[i];
		bool is_option = !ret->dashes && w->text[0] == '-' && w->text[1];
		int took;

		if (is_option && !guard_is_told(g, w)) /* "-*" */
			return refuse_option(g, w);
		if (is_option && !strcmp(w->text, "--")) {
			ret->dashes = true;
			continue;
		}
		if (!is_option && !(o->plus && w->text[0] == '+')) {
			ret->at[ret->n++] = i;
			continue;
		}
		took = take_option(w->text, o, ret);
		if (!took)
			return refuse_option(g, w);
		if (took == 2 && ++i < c->n && !is_one_value(g, &c->words[i]))
			return false;
	}
	return true;
}

/* As many operands as HOW allows. */
static bool check_count(struct guard *g, const struct guard_command *c, const struct guard_operands *o,
			unsigned int how)
{
	if ((how & NONE && o->n) || (how & ONE && o->n > 1))
		return guard_say_word(g, "option", &c->words[o->at[how & ONE ? 1 : 0]],
				      "with this argument it is not known to be harmless");
	if (how & ONE && o->n && guard_may_match(g, &c->words[o->at[0]]))
		return guard_say_word(g, "option", &c->words[o->at[0]],
				      "if this matches two names, the second is written");
	return true;
}

static bool check_operands(struct guard *g, const struct guard_command *c, const struct guard_operands *o,
			   unsigned int how)
{
	enum guard_look look = how & BELOW ? LOOK_BELOW : how & FILES ? LOOK_CONTENT : LOOK_NAMES;

	if (!check_count(g, c, o, how))
		return false;
	for (size_t i = how & FIRST ? 1 : 0; how & (FILES | NAMES) && i < o->n; i++)
		if (!guard_path(g, &c->words[o->at[i]], look))
			return false;
	for (size_t i = 0; !(how & ANY) && i < o->n; i++) {
		const struct guard_word *w = &c->words[o->at[i]];

		if (w->unknown || (i == 0 && how & FIRST && guard_may_match(g, w)))
			return guard_say_word(g, "option", w,
					      "the value of this word is not known; quote it");
	}
	return true;
}

/* The row alone. */
static bool check_row(struct guard *g, const struct guard_command *c, size_t first, unsigned int how,
		      const struct guard_options *options)
{
	struct guard_operands o;

	return guard_take_options(g, c, first, options, &o) && check_operands(g, c, &o, how);
}

/* It reads "-ps" as one word, not as two letters. */
static bool check_xxd(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = { "abipuE", "clsgon", "", false, false, NULL };

	for (size_t i = first + 1; i < c->n; i++) {
		const char *word = c->words[i].text;

		if (word[0] == '-' && word[1] && word[2] && word[2 + strspn(word + 2, "0123456789")])
			return refuse_option(g, &c->words[i]);
	}
	return check_row(g, c, first, FILES | ONE, &o);
}

static bool check_cd(struct guard *g, const struct guard_command *c, size_t first)
{
	if (c->n == first + 1 && g->home) {
		struct guard_word home = c->words[first];

		home.text = (char *)g->home;
		return guard_cd(g, &home);
	}
	if (c->n == first + 2 && c->words[first + 1].text[0] != '-')
		return guard_cd(g, &c->words[first + 1]);
	return guard_say_word(g, "option", &c->words[first], "its destination is not known");
}

static bool only_words(struct guard *g, const struct guard_command *c, size_t first, const char *const *list)
{
	for (size_t i = first + 1; i < c->n; i++) {
		const char *const *at = list;

		while (*at && strcmp(*at, c->words[i].text) != 0)
			at++;
		if (!*at || c->words[i].unknown)
			return refuse_option(g, &c->words[i]);
	}
	return true;
}

static bool check_set(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const fine[] = { "-e",   "-u",    "-x",  "-eu", "-ex",      "-eux",
					    "-euo", "-euxo", "-eo", "-o",  "pipefail", NULL };

	if (c->n == first + 1) { /* it prints every variable */
		return guard_say_word(g, "environment", &c->words[first],
				      "it shows all variables, secrets among them");
	}
	return only_words(g, c, first, fine);
}

static bool check_exit(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const fine[] = { "0", "1", "2", NULL };

	return only_words(g, c, first, fine);
}

static bool check_date(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = {
		"uRI", "d", "--utc --universal --date= --iso-8601? --rfc-3339= --rfc-email", false, true
	};

	return check_row(g, c, first, NONE, &o);
}

static bool check_hostname(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = { "fiIsdA", "",
						"--fqdn --short --ip-address --all-ip-addresses --domain",
						false, false };

	return check_row(g, c, first, NONE, &o);
}

/* Of "ps" the letter e without a dash, and a column, show the environment of others. */
static bool check_ps(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = {
		"eAafFljHwxuLTMc", "puUgGsto",
		"--forest --sort= --no-headers --headers --pid= --user= --ppid= --cols= --width=", false,
		false
	};
	struct guard_operands found;

	for (size_t i = first + 1; i < c->n; i++)
		if (strstr(c->words[i].text, "env"))
			return refuse_option(g, &c->words[i]);
	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	for (size_t i = 0; i < found.n; i++) {
		const struct guard_word *w = &c->words[found.at[i]];

		if (w->unknown || w->text[strspn(w->text, "axufljwTrh0123456789")])
			return refuse_option(g, w);
	}
	return true;
}

/* "tvf" without a dash, for a list. */
static bool is_old_list(const struct guard_word *w)
{
	return !w->text[strspn(w->text, "tvzjJf")] && strchr(w->text, 't') && !w->unknown;
}

/* Only the list of what is in an archive. The first word may have no dash. */
static bool check_tar(struct guard *g, const struct guard_command *c, size_t first)
{
	struct guard_operands o;
	static const struct guard_options options = { "tvzjJ", "f",
						      "--list --verbose --gzip --bzip2 --xz --file=", false,
						      false };
	const char *word = c->n > first + 1 ? c->words[first + 1].text : "";
	bool old = word[0] && word[0] != '-';

	if (old && !is_old_list(&c->words[first + 1]))
		return refuse_option(g, &c->words[first + 1]);
	if (!guard_take_options(g, c, first, &options, &o))
		return false;
	if (!old && !strchr(o.seen, 't') && !guard_has_long(c, first, "--list"))
		return guard_say_word(g, "option", &c->words[first], "it does more than list");
	for (size_t i = first + 1; i < c->n; i++) { /* "host:file" is fetched */
		if (strchr(c->words[i].text, ':'))
			return refuse_option(g, &c->words[i]);
		if (c->words[i].text[0] != '-' && !(old && i == first + 1) &&
		    !guard_path(g, &c->words[i], LOOK_CONTENT))
			return false;
	}
	return true;
}

static bool check_unzip(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = { "lvZ1qt", "", "", false, false };
	struct guard_operands found;

	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	if (!strpbrk(found.seen, "lvZt"))
		return guard_say_word(g, "option", &c->words[first], "it does more than list");
	return check_operands(g, c, &found, FILES);
}

/* "+!rm" is a command to it. */
static bool check_less(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = { "NSRFXEeiInsM", "", "", false, false };
	struct guard_operands found;

	for (size_t i = first + 1; i < c->n; i++)
		if (c->words[i].text[0] == '+')
			return refuse_option(g, &c->words[i]);
	return guard_take_options(g, c, first, &o, &found) && check_operands(g, c, &found, FILES);
}

static bool is_plain_name(const char *text)
{
	return text[0] && text[0] != '-' && text[0] != '.' &&
	       !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-")];
}

static bool check_man(struct guard *g, const struct guard_command *c, size_t first)
{
	for (size_t i = first + 1; i < c->n; i++)
		if (!is_plain_name(c->words[i].text) || c->words[i].unknown)
			return refuse_option(g, &c->words[i]);
	return true;
}

static bool check_ip(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const fine[] = { "a",      "addr", "address", "r",     "route", "l",
					    "link",   "show", "-4",      "-6",    "-br",   "-c",
					    "-brief", "-s",   "-j",      "neigh", "n",     NULL };

	return only_words(g, c, first, fine);
}

static bool check_grep(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = { GREP_OPTIONS };
	struct guard_operands found;
	bool below, has_pattern = false;

	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	for (size_t i = first + 1; i < c->n; i++)
		has_pattern |= !strncmp(c->words[i].text, "--regexp", 8);
	has_pattern |= strchr(found.seen, 'e') != NULL;
	below = strchr(found.seen, 'r') || guard_has_long(c, first, "--recursive");
	if (below && found.n <= (has_pattern ? 0u : 1u) &&
	    !guard_path_text(g, &c->words[first], ".", LOOK_BELOW))
		return false;
	return check_operands(g, c, &found, (has_pattern ? 0 : FIRST) | (below ? BELOW : 0) | FILES);
}

/* It goes down by itself, and reads a file of options if a variable says so, which is the person's. */
static bool check_rg(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = {
		"inlvcwxoqsSFNHIPU0ap", "eABCmgtTjMdr",
		"--ignore-case --invert-match --count --color= --files-with-matches --files-without-match "
		"--max-count= --only-matching --quiet "
		"--line-number --no-line-number --no-filename --with-filename --after-context= "
		"--before-context= --context= --glob= --iglob= --type= "
		"--type-not= --word-regexp --fixed-strings --pcre2 --multiline --hidden --no-ignore "
		"--no-ignore-vcs --files --heading --no-heading --json "
		"--stats --sort= --sortr= --max-depth= --max-columns= --column --smart-case --case-sensitive "
		"--regexp= --type-list --trim --vimgrep --pretty "
		"--count-matches --text --null --no-messages --version --threads= --replace= --passthru",
		false, false
	};
	struct guard_operands found;
	bool has_pattern;

	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	has_pattern = strchr(found.seen, 'e') || guard_has_long(c, first, "--files") ||
		      guard_has_long(c, first, "--type-list");
	for (size_t i = first + 1; i < c->n; i++)
		has_pattern |= !strncmp(c->words[i].text, "--regexp", 8);
	if (found.n <= (has_pattern ? 0u : 1u) && c->from == GUARD_NONE &&
	    !guard_path_text(g, &c->words[first], ".", LOOK_BELOW))
		return false;
	return check_operands(g, c, &found, (has_pattern ? 0 : FIRST) | BELOW | FILES);
}

static bool check_diff(struct guard *g, const struct guard_command *c, size_t first)
{
	static const struct guard_options o = {
		"uqrNiwbBysEZcaept", "UCIxW",
		"--unified? --brief --recursive --new-file --ignore-case --ignore-all-space "
		"--ignore-space-change --ignore-blank-lines "
		"--side-by-side --color? --exclude= --suppress-common-lines --report-identical-files "
		"--context? --width= --no-dereference",
		false, false
	};
	struct guard_operands found;

	if (!guard_take_options(g, c, first, &o, &found))
		return false;
	return check_operands(g, c, &found,
			      FILES | (strchr(found.seen, 'r') || guard_has_long(c, first, "--recursive")
					       ? BELOW
					       : 0));
}

static bool check_printenv(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const fine[] = { "PATH", "HOME", "USER",   "SHELL", "LANG",
					    "PWD",  "TERM", "EDITOR", NULL };

	if (c->n == first + 1)
		return guard_say_word(g, "environment", &c->words[first],
				      "it shows all variables, secrets among them");
	return only_words(g, c, first, fine);
}

/* What is an interpreter or builds things is only asked for its version. */
static bool check_version(struct guard *g, const struct guard_command *c, size_t first)
{
	const char *word = c->n == first + 2 ? c->words[first + 1].text : "";
	const char *name = strrchr(c->words[first].text, '/') ? strrchr(c->words[first].text, '/') + 1
							      : c->words[first].text;
	bool is_short = (!strcmp(word, "-V") && !strncmp(name, "python", 6)) ||
			(!strcmp(word, "-v") && str_is_one_of(name, "node|npm|perl"));

	if (!strcmp(word, "--version") || is_short)
		return true;
	return guard_say_word(g, "program", &c->words[first],
			      "'%.40s' runs programs; only its version is harmless", name);
}

/* A file here or above that makes a launcher start what it names. */
static bool has_above(struct guard *g, const struct guard_word *w, const char *const *names)
{
	for (size_t i = 0; i < g->n_cwds; i++) {
		size_t n = strlen(g->cwds[i]);

		for (;;) {
			for (size_t k = 0; names[k]; k++) {
				char path[4352];

				if ((size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)n, g->cwds[i],
						     names[k]) < sizeof(path) &&
				    access(path, F_OK) == 0) {
					guard_say_word(g, "program", w,
						       "'%.200s' decides which program this starts", path);
					return true;
				}
			}
			if (!n)
				break;
			while (n && g->cwds[i][--n] != '/')
				;
		}
	}
	return false;
}

static bool check_rust(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const names[] = { "rust-toolchain.toml", "rust-toolchain", NULL };
	const char *word = c->n == first + 2 ? c->words[first + 1].text : "";

	if (str_is_one_of(word, "-V|--version"))
		return !has_above(g, &c->words[first], names);
	return check_version(g, c, first);
}

static bool check_go(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const names[] = { "go.mod", "go.work", NULL };

	if (c->n == first + 2 && !strcmp(c->words[first + 1].text, "version"))
		return !has_above(g, &c->words[first], names);
	return guard_say_word(g, "program", &c->words[first],
			      "'go' builds and runs; only its version is harmless");
}

static bool check_java(struct guard *g, const struct guard_command *c, size_t first)
{
	static const char *const fine[] = { "-version", "--version", NULL };

	return c->n == first + 2 ? only_words(g, c, first, fine) : check_version(g, c, first);
}

static bool check_type(struct guard *g, const struct guard_command *c, size_t first)
{
	for (size_t i = first + 1; i < c->n; i++)
		if (!str_is_one_of(c->words[i].text, "-a|-t") && !is_plain_name(c->words[i].text))
			return refuse_option(g, &c->words[i]);
	return true;
}

/* aisbx itself: looking is harmless, its guard judges what it is given, and the rest is a
 * person's to decide. */
static bool check_self(struct guard *g, const struct guard_command *c, size_t first)
{
	const char *verb = c->n > first + 1 ? c->words[first + 1].text : "";

	for (size_t i = first; i < c->n; i++)
		if (!guard_is_told(g, &c->words[i]))
			return guard_say_word(g, "option", &c->words[i],
					      "the value of this word is not known");
	if (str_is_one_of(verb, "ls|show|diff|tree|history|logs|ps|stats|doctor|intents|schema|--version|"
				"--help|help"))
		return g->is_self = g->has_self = true;
	if (str_is_one_of(verb, "guard|look") && c->n > first + 3 && !strcmp(c->words[first + 2].text, "--"))
		return g->is_self = g->has_self = true;
	return guard_say(g, GUARD_ASK, "program", c->words[first].offset, c->words[first].len,
			 "only a person may use aisbx outside of boxes");
}

/* "/usr/bin/git" is git; "./git" is not. */
static const char *program_name(const char *text)
{
	static const char *const dirs[] = { "/bin/", "/usr/bin/", NULL };

	for (size_t i = 0; dirs[i]; i++)
		if (!strncmp(text, dirs[i], strlen(dirs[i])) && !strchr(text + strlen(dirs[i]), '/'))
			return text + strlen(dirs[i]);
	return strchr(text, '/') ? NULL : text;
}

/* What is about to be started is named so that it can be found, and nobody took trouble to write it
 * otherwise. */
static const char *name_of(struct guard *g, const struct guard_word *w)
{
	const char *name = program_name(w->text);

	if (!guard_is_told(g, w)) {
		guard_say_word(g, "program", w, "the program is not known");
		return NULL;
	}
	if (g->world->self && !strcmp(w->text, g->world->self))
		return "aisbx";
	if (w->quoted) {
		guard_say_word(g, "program", w, "the name of the program '%.80s' is disguised by quotes",
			       w->text);
		return NULL;
	}
	if (!name)
		guard_say_word(g, "program", w, "'%.200s' is not a program of the system", w->text);
	return name;
}

bool guard_simple(struct guard *g, const struct guard_command *c, size_t first)
{
	const struct guard_word *w = &c->words[first];
	const char *name = name_of(g, w);
	const struct known *k = name ? find(name) : NULL;
	bool is_fine;

	if (!name)
		return false;
	if (guard_writes(c, first, name))
		return guard_say_box(g, "program", w, "'%.80s' is not known to be read-only", name);
	if (!k)
		return guard_say_word(g, "program", w, "'%.80s' is not known to be read-only", name);
	if (++g->depth > 4)
		return guard_say_word(g, "program", w, "it starts too many other commands");
	is_fine = ((k->how & BUILTIN) && !g->literal) || w->text[0] == '/' || guard_program(g, w, name);
	if (is_fine)
		is_fine = k->check ? k->check(g, c, first) : check_row(g, c, first, k->how, &k->options);
	g->depth--;
	return is_fine;
}
