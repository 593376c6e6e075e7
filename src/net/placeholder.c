/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders for secrets: shape without worth. */
#include "net/placeholder.h"

#include <ctype.h>
#include <string.h>

/* Longest first where one begins with another. */
static const char *const prefixes[] = {
	"github_pat_", "ghp_",          "gho_",     "ghu_",     "ghs_",      "ghr_",   "glpat-",    "gldt-",
	"glrt-",       "sk-ant-api03-", "sk-ant-",  "sk-proj-", "sk-or-v1-", "sk-",    "xoxb-",     "xoxp-",
	"xoxa-",       "xapp-",         "AKIA",     "ASIA",     "AIza",      "ya29.",  "npm_",      "pypi-",
	"hf_",         "sk_live_",      "sk_test_", "rk_live_", "rk_test_",  "whsec_", "dop_v1_",   "shpat_",
	"SG.",         "hvs.",          "r8_",      "gsk_",     "lin_api_",  "figd_",  "dckr_pat_", "sntrys_",
	"nvapi-",      "pplx-",         "xai-",
};

static size_t prefix_len(const char *secret, size_t len)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (len > n && !memcmp(secret, prefixes[i], n))
			return n;
	}
	return 0;
}

/* "eyJ....eyJ....signature": up to behind the second dot; 0: it is none. */
static size_t token_len(const char *secret, size_t len)
{
	const char *first = len > 3 && !memcmp(secret, "eyJ", 3) ? memchr(secret, '.', len) : NULL;
	const char *second = first ? memchr(first + 1, '.', len - (size_t)(first + 1 - secret)) : NULL;

	if (!second || strncmp(first + 1, "eyJ", 3) != 0 ||
	    memchr(second + 1, '.', len - (size_t)(second + 1 - secret)))
		return 0;
	return (size_t)(second + 1 - secret);
}

static bool all_hex(const char *text, size_t len, const char *letters)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != '-' && !isdigit((unsigned char)text[i]) &&
		    !(text[i] && strchr(letters, text[i])))
			return false;
	return true;
}

/* The characters from which the one in place of C is taken; NULL: it stays. */
static const char *kind(char c, bool hex, bool key_id)
{
	if (isdigit((unsigned char)c))
		return key_id ? "234567" : "0123456789";
	if (isupper((unsigned char)c))
		return hex ? "ABCDEF" : "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	if (islower((unsigned char)c))
		return hex ? "abcdef" : "abcdefghijklmnopqrstuvwxyz";
	return NULL;
}

bool placeholder_make(const char *secret, size_t len, const uint8_t *random, char *ret)
{
	size_t kept = token_len(secret, len), chosen = 0;
	bool hex, key_id = len == 20 && (!memcmp(secret, "AKIA", 4) || !memcmp(secret, "ASIA", 4));

	kept = kept ? kept : prefix_len(secret, len);
	hex = all_hex(secret + kept, len - kept, "abcdef") || all_hex(secret + kept, len - kept, "ABCDEF");
	for (size_t i = 0; i < len; i++) {
		const char *from = i < kept ? NULL : kind(secret[i], hex, key_id);

		if (secret[i] < 0x20 || secret[i] == 0x7f)
			return false;
		chosen += from != NULL;
		ret[i] = from ? from[random[i] % strlen(from)] : secret[i];
	}
	ret[len] = '\0';
	return chosen >= PLACEHOLDER_MIN_RANDOM && memcmp(ret, secret, len) != 0;
}

bool placeholder_fits(const char *secret, const char *placeholder)
{
	size_t len = strlen(secret);

	if (strlen(placeholder) != len || !strcmp(secret, placeholder))
		return false;
	for (size_t i = 0; i < len; i++) {
		const char *from = kind(secret[i], false, false);

		if (from ? !strchr(from, placeholder[i]) : placeholder[i] != secret[i])
			return false;
	}
	return true;
}
