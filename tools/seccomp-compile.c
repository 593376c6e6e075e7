// SPDX-License-Identifier: Apache-2.0
/*
 * Turns policies/seccomp/default.rules, and the presets that choose among its calls, into a header with the
 * finished filters and a table of the rules, at build time, so that starting a box compiles nothing. So it
 * does with look.rules, which stands for itself. libseccomp knows the names and compiles the comparisons of
 * arguments; the choice by number is a tree over ranges made here, because a filter's size is paid at every
 * start: libseccomp's own tree has one comparison per call and takes the kernel twice as long to load.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_RULES = 1024,
	MAX_NR = 1024,
	MAX_CONDS = 6,
	MAX_PRESETS = 16, /* bits in a field of the table */
	MAX_DEPTH = 4,    /* of files that include each other */
	X32_BIT = 0x40000000,
};

enum verdict { ALLOW, REFUSE, ABSENT, UNSUPPORTED, TELL, OWN, WATCH, VERDICTS };

static const char *const verdict_words[VERDICTS] = { "allow", "refuse", "absent", "unsupported",
						     "tell",  "own",    "watch" };
static const char *const verdict_enums[VERDICTS] = { "SYSCALL_ALLOW",  "SYSCALL_REFUSE",
						     "SYSCALL_ABSENT", "SYSCALL_UNSUPPORTED",
						     "SYSCALL_TELL",   "SYSCALL_OWN",
						     "SYSCALL_WATCH" };
static const uint32_t verdict_actions[VERDICTS] = { SCMP_ACT_ALLOW,
						    SCMP_ACT_NOTIFY,
						    SCMP_ACT_ERRNO(ENOSYS),
						    SCMP_ACT_ERRNO(EPROTONOSUPPORT),
						    SCMP_ACT_NOTIFY,
						    SCMP_ACT_NOTIFY,
						    SCMP_ACT_LOG };

struct rule {
	int nr;
	int line;
	char name[32];
	enum verdict verdict;
	unsigned int conds;
	struct scmp_arg_cmp cond[MAX_CONDS];
	char *reason; /* owned, lives as long as the program */
};

/* Where the tree over the numbers may lead. The first three are the plain verdicts. */
enum target {
	TO_ALLOW = ALLOW,
	TO_REFUSE = REFUSE,
	TO_ABSENT = ABSENT,
	TO_KILL,
	TO_WATCH,
	TO_ALLOWED_EXCEPT, /* the comparisons of allowed calls that have exceptions */
	TO_REFUSED_EXCEPT, /* the same of those that are refused, told, or for one's own */
	TARGETS,
	HERE = -1, /* the jump is already complete */
};

struct range {
	uint32_t first;
	enum target to;
};

struct program {
	struct sock_filter code[BPF_MAXINSNS];
	int jt[BPF_MAXINSNS], jf[BPF_MAXINSNS]; /* targets to be filled in, or HERE */
	unsigned int count;
};

/* What a preset says of a call. Nothing: as default.rules, but refused where that allows it. */
enum choice { CHOOSE_NOTHING, CHOOSE_ALLOW, CHOOSE_ABSENT };

struct preset {
	char name[32];
	enum choice choice[MAX_NR];
	struct program program;
	unsigned int ranges;
};

/* Of a filter with nobody who watches: what is watched is allowed, which makes it smaller. */
static bool is_quiet;

static const char *rules_path;
static struct rule rules[MAX_RULES];
static unsigned int rule_count;

/* The first is default.rules itself. */
static struct preset presets[MAX_PRESETS];
static unsigned int preset_count;

/* The one line without a condition, and the first with one, for each number. */
static const struct rule *plain[MAX_NR], *except[MAX_NR];

__attribute__((noreturn, format(printf, 2, 3))) static void die(int line, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: ", rules_path, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static uint64_t parse_number(const char *text, char **ret_end, int line)
{
	uint64_t value;

	errno = 0;
	value = strtoull(text, ret_end, 0);
	if (!isdigit((unsigned char)*text) || errno)
		die(line, "'%s' is not a number", text);
	return value;
}

/* argN==VALUE or argN&MASK==VALUE */
static void parse_condition(struct rule *r, const char *word)
{
	struct scmp_arg_cmp *c = &r->cond[r->conds];
	char *end;

	if (r->conds == MAX_CONDS || strncmp(word, "arg", 3) || word[3] < '0' || word[3] > '5')
		die(r->line, "'%s' is not a condition on arg0 to arg5", word);
	c->arg = (unsigned int)(word[3] - '0');
	c->op = SCMP_CMP_EQ;
	end = (char *)word + 4;
	if (*end == '&') {
		c->op = SCMP_CMP_MASKED_EQ;
		c->datum_a = parse_number(end + 1, &end, r->line);
	}
	if (strncmp(end, "==", 2))
		die(r->line, "'%s' lacks ==", word);
	if (c->op == SCMP_CMP_MASKED_EQ)
		c->datum_b = parse_number(end + 2, &end, r->line);
	else
		c->datum_a = parse_number(end + 2, &end, r->line);
	if (*end)
		die(r->line, "'%s' has something after its number", word);
	if (c->op == SCMP_CMP_MASKED_EQ && (c->datum_b & ~c->datum_a))
		die(r->line, "'%s' can never hold: the value lies outside the mask", word);
	r->conds++;
}

/* NAME, or NAME=NUMBER for a call that libseccomp may not know. */
static void parse_call(struct rule *r, char *word)
{
	char *number = strchr(word, '='), *end;
	int given = -1;

	if (number) {
		*number++ = '\0';
		given = (int)parse_number(number, &end, r->line);
		if (*end)
			die(r->line, "'%s' is not a number", number);
	}
	r->nr = seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64, word);
	if (r->nr < 0 && !number)
		die(r->line, "'%s' is not a system call of x86_64", word);
	if (r->nr >= 0 && number && r->nr != given)
		die(r->line, "'%s' has the number %d", word, r->nr);
	if (r->nr < 0)
		r->nr = given;
	if (r->nr < 0 || r->nr >= MAX_NR || strlen(word) >= sizeof(r->name))
		die(r->line, "'%s' is out of range", word);
	strcpy(r->name, word);
}

/* Cuts the reason off a line. NULL: none. */
static char *cut_reason(char *text, int line)
{
	char *reason = strchr(text, '#');

	if (!reason)
		return NULL;
	*reason++ = '\0';
	reason[strcspn(reason, "\n")] = '\0';
	if (strpbrk(reason, "\"\\") && text[strspn(text, " \t")])
		die(line, "a reason may hold neither quotes nor backslashes");
	reason += strspn(reason, " \t");
	return *reason ? reason : NULL;
}

/* Of a file that another one includes: the lines of calls that this one has settled do not count. */
static const char *included;
static unsigned int own_rules;

static bool is_settled(const struct rule *r)
{
	for (unsigned int i = 0; i < own_rules; i++)
		if (rules[i].nr == r->nr)
			return true;
	return false;
}

static void parse_rule(char *text, int line)
{
	struct rule *r = &rules[rule_count];
	char *reason = cut_reason(text, line), *word, *rest;
	int v;

	word = strtok_r(text, " \t\n", &rest);
	if (!word)
		return; /* empty, or a comment on its own */
	if (!strcmp(word, "include")) {
		word = strtok_r(NULL, " \t\n", &rest);
		if (!word || included)
			die(line, "includes one file, and once");
		included = strdup(word);
		return;
	}
	if (rule_count++ == MAX_RULES)
		die(line, "more than %d rules", MAX_RULES);
	r->line = line;

	for (v = 0; v < VERDICTS && strcmp(word, verdict_words[v]); v++)
		;
	if (v == VERDICTS)
		die(line, "'%s' is not allow, refuse, tell, own, watch, absent or unsupported", word);
	r->verdict = (enum verdict)v;

	word = strtok_r(NULL, " \t\n", &rest);
	if (!word)
		die(line, "names no system call");
	parse_call(r, word);
	while ((word = strtok_r(NULL, " \t\n", &rest)))
		parse_condition(r, word);

	if (!reason)
		die(line, "'%s' has no reason beside it", r->name);
	r->reason = strdup(reason);
	if (!r->reason)
		die(line, "out of memory");
	if (is_settled(r)) {
		free(r->reason);
		*r = (struct rule){ 0 };
		rule_count--;
	}
}

typedef void parse_fn(char *text, int line);

static void read_file(const char *path, parse_fn *parse)
{
	const char *outer = rules_path;
	FILE *in;
	char text[512];
	int line = 0;

	rules_path = path;
	in = fopen(path, "re");
	if (!in)
		die(0, "%s", strerror(errno));
	while (fgets(text, sizeof(text), in)) {
		if (!strchr(text, '\n'))
			die(line + 1, "too long, or without an end");
		parse(text, ++line);
	}
	if (ferror(in))
		die(line, "cannot be read");
	fclose(in);
	rules_path = outer ? outer : path;
}

static parse_fn parse_choice;

/* NAME of a file beside the one that is being read, without its ending. */
static void include_file(const char *name, parse_fn *parse, int line)
{
	static int depth;
	const char *slash = strrchr(rules_path, '/');
	char path[4096];

	if (snprintf(path, sizeof(path), "%.*s%s.rules", slash ? (int)(slash - rules_path + 1) : 0,
		     rules_path, name) >= (int)sizeof(path))
		die(line, "'%s' is too long a name", name);
	if (depth++ == MAX_DEPTH)
		die(line, "files include each other more than %d deep", MAX_DEPTH);
	read_file(path, parse);
	depth--;
}

/* A line of a preset: it can only choose among the calls that default.rules lets a program make. */
static void parse_choice(char *text, int line)
{
	struct preset *set = &presets[preset_count];
	struct rule call = { .line = line };
	char *reason = cut_reason(text, line), *word, *name, *rest;
	enum choice choice;

	word = strtok_r(text, " \t\n", &rest);
	if (!word)
		return;
	name = strtok_r(NULL, " \t\n", &rest);
	if (!name || strtok_r(NULL, " \t\n", &rest))
		die(line, "not a word and one name; conditions stand in default.rules only");
	if (!strcmp(word, "include")) {
		include_file(name, parse_choice, line);
		return;
	}
	if (strcmp(word, "allow") && strcmp(word, "spare") && strcmp(word, "absent"))
		die(line, "'%s' is not include, allow, spare or absent", word);
	choice = strcmp(word, "absent") ? CHOOSE_ALLOW : CHOOSE_ABSENT;
	parse_call(&call, name);
	if (!reason)
		die(line, "'%s' has no reason beside it", name);
	if (!plain[call.nr] || (plain[call.nr]->verdict != ALLOW && plain[call.nr]->verdict != TELL &&
				plain[call.nr]->verdict != OWN && !except[call.nr]))
		die(line, "default.rules does not allow '%s', and a preset can only be smaller", name);
	if (set->choice[call.nr])
		die(line, "'%s' was chosen before", name);
	set->choice[call.nr] = choice;
}

/* A call without a plain line, or with two, would mean something its reader does not expect. */
static void check_rules(void)
{
	for (unsigned int i = 0; i < rule_count; i++) {
		const struct rule *r = &rules[i];

		if (plain[r->nr])
			die(r->line, "'%s' was settled in line %d", r->name, plain[r->nr]->line);
		if (!r->conds)
			plain[r->nr] = r;
		else if (!except[r->nr])
			except[r->nr] = r;
	}
	for (unsigned int i = 0; i < rule_count; i++) {
		const struct rule *r = &rules[i], *p = plain[r->nr];

		if (!p)
			die(r->line, "'%s' has no line without a condition", r->name);
		if (p->verdict == UNSUPPORTED)
			die(p->line, "'unsupported' is for exceptions");
		if (r != p && p->verdict == WATCH)
			die(r->line, "'%s' is watched as a whole, or in some cases of an allowed call",
			    r->name);
		/* who is told sees the number only: it must mean one thing */
		if (r->conds && (r->verdict == TELL || r->verdict == OWN))
			die(r->line, "'%s' is no word for an exception", verdict_words[r->verdict]);
		if (r->conds && (p->verdict == TELL || p->verdict == OWN) && r->verdict == REFUSE)
			die(r->line, "'%s' is told as a whole or refused", r->name);
		if (strcmp(r->name, p->name))
			die(r->line, "'%s' and '%s' are the same number", r->name, p->name);
		if (r->conds && r->verdict == WATCH && p->verdict != ALLOW)
			die(r->line, "'%s' is watched as a whole, or in some cases of an allowed call",
			    r->name);
		if (r->conds && (p->verdict == ABSENT || p->verdict == r->verdict))
			die(r->line, "'%s' cannot be an exception to '%s'", verdict_words[r->verdict],
			    verdict_words[p->verdict]);
	}
	/* Not an error: a newer libseccomp must not stop a build. The matrix test insists. */
	for (int nr = 0; nr < MAX_NR; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, nr);

		if (name && !plain[nr] && nr != 335 &&
		    nr != 336) /* uretprobe and uprobe pass by every filter */
			fprintf(stderr, "%s: warning: no rule for '%s' (%d)\n", rules_path, name, nr);
		free(name);
	}
}

static void emit(struct program *p, struct sock_filter insn, int jt, int jf)
{
	if (p->count == BPF_MAXINSNS)
		die(0, "the filter is too long");
	p->code[p->count] = insn;
	p->jt[p->count] = jt;
	p->jf[p->count++] = jf;
}

/* For the kernel all are a notification; who gets it makes the difference. */
static bool notifies(enum verdict v)
{
	return v == REFUSE || v == TELL || v == OWN;
}

static bool has_exceptions(int nr)
{
	return except[nr] && !(is_quiet && except[nr]->verdict == WATCH);
}

static enum target target_of(const struct preset *set, int nr)
{
	if (!plain[nr] || set->choice[nr] == CHOOSE_ABSENT)
		return TO_ABSENT;
	if (set->choice[nr] == CHOOSE_NOTHING)
		return plain[nr]->verdict == ABSENT ? TO_ABSENT : TO_REFUSE;
	if (plain[nr]->verdict == WATCH)
		return is_quiet ? TO_ALLOW : TO_WATCH;
	if (!has_exceptions(nr))
		return notifies(plain[nr]->verdict) ? TO_REFUSE : (enum target)plain[nr]->verdict;
	return plain[nr]->verdict == ALLOW ? TO_ALLOWED_EXCEPT : TO_REFUSED_EXCEPT;
}

/*
 * All 2^32 numbers, in ranges of one target each. -1 is what a tracer leaves behind to skip a call and no
 * x32 number, so it does not kill.
 */
static unsigned int make_ranges(const struct preset *set, struct range *ranges)
{
	unsigned int count = 0;

	for (int nr = 0; nr < MAX_NR; nr++)
		if (!count || ranges[count - 1].to != target_of(set, nr))
			ranges[count++] = (struct range){ (uint32_t)nr, target_of(set, nr) };
	ranges[count++] = (struct range){ X32_BIT, TO_KILL };
	ranges[count++] = (struct range){ UINT32_MAX, TO_ABSENT };
	return count;
}

/* Decides among ranges[low..high), at least two. The lower half follows its node at once. */
static void emit_tree(struct program *p, const struct range *ranges, unsigned int low, unsigned int high)
{
	unsigned int mid = low + (high - low) / 2, node = p->count;
	size_t away;

	/* one number between two ranges of the same target needs one comparison, not two */
	if (high - low == 3 && ranges[low].to == ranges[low + 2].to &&
	    ranges[low + 2].first - ranges[low + 1].first == 1) {
		emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ranges[low + 1].first, 0, 0),
		     (int)ranges[low + 1].to, (int)ranges[low].to);
		return;
	}
	emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[mid].first, 0, 0), HERE, HERE);
	if (mid - low == 1)
		p->jf[node] = (int)ranges[low].to;
	else
		emit_tree(p, ranges, low, mid);
	if (high - mid == 1) {
		p->jt[node] = (int)ranges[mid].to;
		return;
	}
	away = p->count - node - 1;
	if (away > UINT8_MAX)
		die(0, "the tree over the numbers is too large for its jumps");
	p->code[node].jt = (uint8_t)away;
	emit_tree(p, ranges, mid, high);
}

/*
 * Appends libseccomp's filter for the calls whose plain verdict is `otherwise` and that have exceptions.
 * It checks architecture and number again, so it stands by itself.
 */
static void emit_exceptions(struct preset *set, enum verdict otherwise)
{
	scmp_filter_ctx ctx = seccomp_init(verdict_actions[otherwise]);
	FILE *out = tmpfile();
	struct sock_filter insn;

	if (!ctx || !out || seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) ||
	    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0))
		die(0, "libseccomp refuses to start");
	for (unsigned int i = 0; i < rule_count; i++) {
		const struct rule *r = &rules[i];
		int err;

		if (is_quiet && r->verdict == WATCH)
			continue;
		if (!r->conds || notifies(plain[r->nr]->verdict) != notifies(otherwise) ||
		    set->choice[r->nr] != CHOOSE_ALLOW)
			continue;
		err = seccomp_rule_add_exact_array(ctx, verdict_actions[r->verdict], r->nr, r->conds,
						   r->cond);
		if (err)
			die(r->line, "libseccomp: %s", strerror(-err));
	}
	if (seccomp_export_bpf(ctx, fileno(out)))
		die(0, "libseccomp cannot write the filter");
	rewind(out);
	while (fread(&insn, sizeof(insn), 1, out) == 1)
		emit(&set->program, insn, HERE, HERE);
	fclose(out);
	seccomp_release(ctx);
}

static uint8_t distance(const unsigned int *place, int to, unsigned int from)
{
	if (place[to] - from - 1 > UINT8_MAX)
		die(0, "the tree over the numbers is too large for its jumps");
	return (uint8_t)(place[to] - from - 1);
}

static bool has_watched(void)
{
	for (unsigned int i = 0; i < rule_count; i++)
		if (rules[i].verdict == WATCH)
			return true;
	return false;
}

static void make_program(struct preset *set)
{
	static struct range ranges[MAX_NR + 2];
	static const uint32_t returns[] = {
		[TO_ALLOW] = SECCOMP_RET_ALLOW,
		[TO_REFUSE] = SECCOMP_RET_USER_NOTIF,
		[TO_ABSENT] = SECCOMP_RET_ERRNO | ENOSYS,
		[TO_KILL] = SECCOMP_RET_KILL_PROCESS,
		[TO_WATCH] = SECCOMP_RET_LOG,
	};
	unsigned int place[TARGETS], tree_end, count = make_ranges(set, ranges);
	struct program *p = &set->program;

	emit(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	     HERE, HERE);
	emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 0), HERE,
	     TO_KILL);
	emit(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	     HERE, HERE);
	emit_tree(p, ranges, 0, count);
	tree_end = p->count;

	for (int to = 0; to <= TO_WATCH; to++) {
		if (to == TO_WATCH && (is_quiet || !has_watched()))
			continue;
		place[to] = p->count;
		emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, returns[to]), HERE, HERE);
	}
	/* The first part could lie out of a conditional jump's reach of the second, hence one long jump. */
	place[TO_REFUSED_EXCEPT] = p->count;
	emit(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 0), HERE, HERE);
	place[TO_ALLOWED_EXCEPT] = p->count;
	emit_exceptions(set, ALLOW);
	p->code[place[TO_REFUSED_EXCEPT]].k = p->count - place[TO_REFUSED_EXCEPT] - 1;
	emit_exceptions(set, REFUSE);

	for (unsigned int i = 0; i < tree_end; i++) {
		if (p->jt[i] != HERE)
			p->code[i].jt = distance(place, p->jt[i], i);
		if (p->jf[i] != HERE)
			p->code[i].jf = distance(place, p->jf[i], i);
	}
	set->ranges = count;
}

/* Why a call is refused: of an allowed one, the reasons of its exceptions, since only they are recorded. */
static void write_reason(FILE *out, int nr)
{
	const char *between = "";

	for (unsigned int i = 0; plain[nr]->verdict == ALLOW && i < rule_count; i++)
		if (rules[i].nr == nr && rules[i].conds && rules[i].verdict == REFUSE) {
			fprintf(out, "%s%s", between, rules[i].reason);
			between = "; or: ";
		}
	if (!*between)
		fputs(plain[nr]->reason, out);
}

/* The bits of the presets that make this choice. */
static unsigned int bits_of(int nr, enum choice choice)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < preset_count; i++)
		if (presets[i].choice[nr] == choice)
			bits |= 1U << i;
	return bits;
}

static void write_types(FILE *out)
{
	fputs("/* Made by seccomp-compile from policies/seccomp: change that instead. */\n"
	      "#ifndef SECCOMP_FILTERS_H\n#define SECCOMP_FILTERS_H\n\n"
	      "#include <linux/filter.h>\n#include <stdbool.h>\n\n"
	      "enum syscall_verdict {\n"
	      "\tSYSCALL_ALLOW,\n"
	      "\tSYSCALL_REFUSE, /* SECCOMP_RET_USER_NOTIF: recorded, then EPERM */\n"
	      "\tSYSCALL_ABSENT, /* ENOSYS, like every number not listed */\n"
	      "\tSYSCALL_UNSUPPORTED, /* EPROTONOSUPPORT; only for some arguments of a call */\n"
	      "\tSYSCALL_TELL, /* SECCOMP_RET_USER_NOTIF: recorded, then made */\n"
	      "\tSYSCALL_OWN, /* SECCOMP_RET_USER_NOTIF: made for a thread of the caller's own process, else "
	      "refused */\n"
	      "\tSYSCALL_WATCH, /* SECCOMP_RET_LOG, which who loads it makes SECCOMP_RET_ALLOW or "
	      "SECCOMP_RET_USER_NOTIF */\n"
	      "};\n\n"
	      "struct syscall_rule {\n"
	      "\tint nr;\n"
	      "\tconst char *name;\n"
	      "\tenum syscall_verdict verdict; /* of default.rules */\n"
	      "\tbool exceptions; /* some arguments get another verdict */\n"
	      "\tunsigned short chosen; /* bits of the presets that judge it as default.rules does */\n"
	      "\tunsigned short absent; /* bits of those that answer ENOSYS; the others refuse what is "
	      "allowed */\n"
	      "\tconst char *reason;\n"
	      "};\n\n"
	      "struct seccomp_preset {\n"
	      "\tconst char *name;\n"
	      "\tconst struct sock_filter *code;\n"
	      "\tunsigned short count;\n"
	      "};\n\n",
	      out);
}

static void write_filter(FILE *out, const struct preset *set)
{
	const struct program *p = &set->program;

	fprintf(out,
		"/* %s: %u instructions, for %u ranges of numbers and the comparisons of arguments. */\n",
		set->name, p->count, set->ranges);
	fprintf(out, "__attribute__((unused)) static const struct sock_filter seccomp_filter_%s[%u] = {\n",
		set->name, p->count);
	for (unsigned int i = 0; i < p->count; i++)
		fprintf(out, "\t{ 0x%02x, %u, %u, 0x%08x },\n", p->code[i].code, p->code[i].jt, p->code[i].jf,
			p->code[i].k);
	fputs("};\n\n", out);
}

static void write_tables(FILE *out)
{
	fprintf(out,
		"enum { SECCOMP_PRESETS = %u };\n\n"
		"__attribute__((unused)) static const struct seccomp_preset seccomp_presets[SECCOMP_PRESETS] "
		"= {\n",
		preset_count);
	for (unsigned int i = 0; i < preset_count; i++)
		fprintf(out, "\t{ \"%s\", seccomp_filter_%s, %u },\n", presets[i].name, presets[i].name,
			presets[i].program.count);
	fputs("};\n\n/* Sorted by number. */\n"
	      "__attribute__((unused)) static const struct syscall_rule seccomp_rules[] = {\n",
	      out);
	for (int nr = 0; nr < MAX_NR; nr++)
		if (plain[nr]) {
			fprintf(out, "\t{ %d, \"%s\", %s, %s, 0x%x, 0x%x, \"", nr, plain[nr]->name,
				verdict_enums[plain[nr]->verdict], except[nr] ? "true" : "false",
				bits_of(nr, CHOOSE_ALLOW), bits_of(nr, CHOOSE_ABSENT));
			write_reason(out, nr);
			fputs("\" },\n", out);
		}
	fputs("};\n\n#endif\n", out);
}

/* Reads the next preset. Its name is the file's: it stands in the header as part of a C name. */
static void add_preset(const char *path)
{
	struct preset *set = &presets[preset_count];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	rules_path = path;
	if (preset_count == MAX_PRESETS)
		die(0, "more than %d presets", MAX_PRESETS);
	if (!length || length + sizeof("_quiet") > sizeof(set->name) || strcmp(name + length, ".rules"))
		die(0, "the name of a preset has small letters only, and then .rules");
	memcpy(set->name, name, length);
	if (preset_count) {
		read_file(path, parse_choice);
	} else {
		read_file(path, parse_rule);
		own_rules = rule_count;
		if (included) {
			rules_path = path;
			include_file(included, parse_rule, 0);
		}
		check_rules();
		for (int nr = 0; nr < MAX_NR; nr++)
			set->choice[nr] = plain[nr] ? CHOOSE_ALLOW : CHOOSE_NOTHING;
	}
	make_program(set);
	preset_count++;
	if (has_watched()) {
		is_quiet = true;
		presets[preset_count] = *set;
		memcpy(presets[preset_count].name + length, "_quiet", sizeof("_quiet"));
		presets[preset_count].program = (struct program){ 0 };
		make_program(&presets[preset_count++]);
	}
}

int main(int argc, char **argv)
{
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: seccomp-compile OUT.h DEFAULT.rules [PRESET.rules...]\n");
		return 2;
	}
	rules_path = argv[2];
	/* The kernel that runs the build is not the one that loads the filter: do not let it be probed. */
	if (seccomp_arch_native() != SCMP_ARCH_X86_64 || seccomp_api_set(6))
		die(0, "needs an x86_64 libseccomp of at least 2.5");
	for (int i = 2; i < argc; i++)
		add_preset(argv[i]);

	out = fopen(argv[1], "we");
	if (!out)
		die(0, "%s: %s", argv[1], strerror(errno));
	write_types(out);
	for (unsigned int i = 0; i < preset_count; i++)
		write_filter(out, &presets[i]);
	write_tables(out);
	if (ferror(out) | fclose(out)) {
		unlink(argv[1]);
		die(0, "%s: cannot be written", argv[1]);
	}
	return 0;
}
