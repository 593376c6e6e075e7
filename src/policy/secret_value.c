/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a value looks like a secret. A wrong yes makes ordinary output unreadable, a wrong no leaves a
 * secret in it: so a value must be one that hardly occurs by chance.
 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "policy/secret.h"
#include "policy/secret_file.h"

#define SHORTEST 8u
#define LONGEST  8192u
/* Without a name that tells: so many letters and digits without a break. */
#define TOKEN 16u
/* Words of one kind of letter are words up to this length. */
#define WORD 16u

/* What a text is made of. */
struct letters {
	size_t lower, upper, digits, breaks, others, spaces, lines, distinct;
	size_t run;    /* the longest without a break or other sign */
	size_t mixed;  /* the same of one that has letters and digits */
	size_t turns;  /* from letter to digit or back */
	size_t cases;  /* from small to capital letter or back */
	bool hex, odd; /* only hexadecimal digits and dashes; has control characters */
};

static bool is_break(unsigned char c)
{
	return c == '-' || c == '_' || c == '.' || c == '/' || c == ':' || c == ',' || c == '@';
}

static struct letters count(const char *value, size_t len)
{
	struct letters l = { .hex = true };
	bool seen[256] = { false };
	size_t run = 0;
	int before = 0, kinds = 0;
	unsigned char last = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)value[i];
		int is = isdigit(c) ? 1 : isalpha(c) ? 2 : 0;

		l.distinct += !seen[c];
		seen[c] = true;
		l.lower += islower(c) != 0;
		l.upper += isupper(c) != 0;
		l.digits += isdigit(c) != 0;
		l.breaks += is_break(c);
		l.spaces += c == ' ' || c == '\t' || c == '\n' || c == '\r';
		l.lines += c == '\n';
		l.odd |= c < ' ' && c != '\t' && c != '\n' && c != '\r';
		l.hex &= isxdigit(c) || c == '-';
		l.turns += is && before && is != before;
		before = is;
		l.cases += isalpha(c) && isalpha(last) && !islower(c) != !islower(last);
		last = c;
		run = is || c == '+' || c == '=' ? run + 1 : 0;
		kinds = run ? kinds | is : 0;
		l.run = run > l.run ? run : l.run;
		l.mixed = kinds == 3 && run > l.mixed ? run : l.mixed;
	}
	l.others = len - l.lower - l.upper - l.digits - l.breaks - l.spaces;
	return l;
}

/* Also without the shell's or a template's braces: what is to be filled in is no secret. */
static bool is_placeholder(const char *value, size_t len)
{
	static const char *const patterns[] = {
		"YOUR*",   "*CHANGE*ME*", "*SECRET*HERE*", "*REPLACE*", "*EXAMPLE*", "*PLACEHOLDER*", "*${*",
		"$(*",     "{{*",         "<*>",           "%*%",       "XXX*",      "*XXXXXXXX*",    "*...*",
		"*DUMMY*", "INSERT*",     "TODO*",         "ENC[*",     NULL
	};
	char copy[128];

	if (len >= sizeof(copy))
		return value[0] == '$' && (value[1] == '{' || value[1] == '(');
	for (size_t i = 0; i < len; i++)
		copy[i] = (char)toupper((unsigned char)value[i]);
	copy[len] = '\0';
	for (size_t i = 0; patterns[i]; i++)
		if (str_matches(copy, patterns[i]))
			return true;
	return copy[0] == '$' && copy[1 + strspn(copy + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == '\0';
}

/* "/etc/keys/my.pem", "./x", "~/x", "C:\x": but a random text may begin with a slash, too. */
static bool is_path(const char *value, size_t len, const struct letters *l)
{
	bool rooted = value[0] == '/' || !strncmp(value, "./", 2) || !strncmp(value, "../", 3) ||
		      !strncmp(value, "~/", 2) || (len > 2 && value[1] == ':' && value[2] == '\\');

	return rooted && !(l->lower && l->upper && l->digits >= 2 && l->run >= 12);
}

/* 8-4-4-4-12: more often the number of something than a secret. */
static bool is_uuid(const char *value, size_t len, const struct letters *l)
{
	return len == 36 && l->hex && value[8] == '-' && value[13] == '-' && value[18] == '-' &&
	       value[23] == '-';
}

/* "sha256:0123...", "image@sha256:0123...": what something is, not what opens it. */
static bool is_digest(const char *value, size_t len)
{
	const char *colon = memrchr(value, ':', len);

	return (memmem(value, len, "sha256", 6) || memmem(value, len, "sha512", 6)) && colon;
}

static bool has_scheme(const char *value, size_t len)
{
	const char *at = memmem(value, len, "://", 3);

	return at && at != value && (size_t)(at - value) < 24;
}

/* Beginnings that services give to their credentials. */
static bool has_known_prefix(const char *value, size_t len)
{
	static const char *const prefixes[] = {
		"sk-",   "sk_live_",  "rk_live_", "sk_test_",    "whsec_", "ghp_",  "gho_",
		"ghu_",  "ghs_",      "ghr_",     "github_pat_", "glpat-", "xoxb-", "xoxp-",
		"xoxa-", "xapp-",     "AKIA",     "ASIA",        "AIza",   "npm_",  "pypi-",
		"SG.",   "eyJ",       "dop_v1_",  "hf_",         "shpat_", "ya29.", "AGE-SECRET-KEY-",
		"ATATT", "dckr_pat_", "sq0",      "EAA",         NULL
	};

	for (size_t i = 0; len >= TOKEN && prefixes[i]; i++)
		if (!strncmp(value, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Names that say so, in addition to those of variables. */
static bool tells(const char *name)
{
	static const char *const patterns[] = {
		"*PASS*",    "*PWD*",        "*_KEY",    "KEY",      "*SALT*",   "*PRIVATE*",
		"*WEBHOOK*", "*_DSN",        "*AUTH*",   "*_PW",     "*APIKEY*", "*ENCRYPT*",
		"*SIGNING*", "*MASTER*KEY*", "*COOKIE*", "*BEARER*", "*JWT*",    NULL
	};
	static const char *const not_these[] = { "*PUBLIC*", "*_ID",   "*_NAME",   "*_URL",         "*_FILE",
						 "*_PATH",   "*_DIR",  "*_HOST",   "*_USER",        "*EXPIR*",
						 "*_TTL",    "*_TYPE", "*_REGION", "*PUBLISHABLE*", NULL };
	char copy[64];
	size_t n = strlen(name);

	if (n >= sizeof(copy))
		return true;
	for (size_t i = 0; i <= n; i++)
		copy[i] = name[i] == '-' || name[i] == '.' ? '_' : (char)toupper((unsigned char)name[i]);
	for (size_t i = 0; not_these[i]; i++)
		if (str_matches(copy, not_these[i]))
			return false;
	for (size_t i = 0; patterns[i]; i++)
		if (str_matches(copy, patterns[i]))
			return true;
	return secret_env_name(copy, n);
}

/* With a name that tells: no word, no number, not all alike. */
static bool is_no_word(const struct letters *l, size_t len)
{
	size_t kinds = (l->lower > 0) + (l->upper > 0) + (l->digits > 0) + (l->others > 0);

	if (l->distinct < 5)
		return false;
	if (l->lines) /* a key counts above; each line of something else would be looked for */
		return false;
	if (l->spaces) /* a sentence of several words */
		return len >= 20 && l->distinct >= 8;
	if (kinds <= 1)
		return len >= WORD && l->run >= WORD && l->distinct >= 8;
	/* "db-server-1", "v1.2.3", "GoogleLogin": words and numbers with breaks between, and nothing else */
	return l->others || l->cases * 3 >= len || l->mixed >= SHORTEST || l->turns >= 3;
}

/* Without one: what only a machine writes. */
static bool is_token(const char *value, size_t len, const struct letters *l)
{
	if (has_known_prefix(value, len))
		return l->distinct >= 8 && !l->spaces;
	return !l->spaces && !l->hex && l->run >= TOKEN && l->distinct >= 10 && l->digits >= 2 &&
	       l->lower + l->upper >= 4 && l->turns >= 4 && (l->lower && l->upper ? true : l->digits >= 4);
}

bool secret_value_looks(const char *name, const char *value, size_t len)
{
	struct letters l;

	if (len < SHORTEST || len > LONGEST)
		return false;
	if (memmem(value, len, "PRIVATE KEY-----", 16))
		return true;
	l = count(value, len);
	if (l.odd || is_placeholder(value, len) || is_path(value, len, &l) || has_scheme(value, len))
		return false;
	if (tells(name) && is_no_word(&l, len))
		return true;
	return !is_uuid(value, len, &l) && !is_digest(value, len) && is_token(value, len, &l);
}

/* Of "scheme://user:PASSWORD@host"; NULL: it has none. */
static const char *password_of(const char *value, size_t len, size_t *ret_len)
{
	const char *end = value + len, *from = memmem(value, len, "://", 3), *at, *colon;

	if (!from)
		return NULL;
	from += 3;
	at = memchr(from, '/', (size_t)(end - from));
	at = memrchr(from, '@', (size_t)((at ? at : end) - from));
	colon = at ? memchr(from, ':', (size_t)(at - from)) : NULL;
	if (!colon)
		return NULL;
	*ret_len = (size_t)(at - colon) - 1;
	return colon + 1;
}

const char *secret_value_part(const char *name, const char *value, size_t len, size_t *ret_len)
{
	const char *password, *last;

	if (!has_scheme(value, len)) {
		*ret_len = len;
		return secret_value_looks(name, value, len) ? value : NULL;
	}
	password = password_of(value, len, ret_len);
	if (password)
		return secret_value_looks("PASSWORD", password, *ret_len) ? password : NULL;
	/* The token of a webhook is its last part, or the last value of its query. */
	for (last = value + len; last > value && !strchr("/=", last[-1]); last--)
		;
	*ret_len = (size_t)(value + len - last);
	return secret_value_looks("", last, *ret_len) ? last : NULL;
}
