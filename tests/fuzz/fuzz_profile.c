/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes profile_parse and profile_fold. Whatever is accepted keeps the promises of policy/profile.h, alone
 * and on top of every shipped profile; whatever is not is told with its place.
 */
#include <linux/capability.h>
#include <string.h>

#include "policy/yaml_doc.h"
#include "policy/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* What no profile may give, whatever it says. */
static const uint64_t never = 1ULL << CAP_SYS_ADMIN | 1ULL << CAP_SYS_PTRACE | 1ULL << CAP_SYS_MODULE |
			      1ULL << CAP_NET_ADMIN | 1ULL << CAP_NET_RAW | 1ULL << CAP_MKNOD |
			      1ULL << CAP_SYS_CHROOT | 1ULL << CAP_SETPCAP | 1ULL << CAP_BPF |
			      1ULL << CAP_DAC_READ_SEARCH | 1ULL << CAP_SETFCAP;

static void must_fold(const struct profile_layer *const *layers, size_t n)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct profile_rules r = { 0 };
	const struct profile *p = &r.profile;
	size_t at = 0;

	must(profile_fold(layers, n, NULL, &r, &e) == 0);
	must(!(p->root_caps & never) && p->memory_share <= 100 && p->net <= NET_ALLOW_ASK &&
	     p->env <= ENV_ALL_BUT_SECRETS);
	for (size_t i = 0; i < n_profile_limits; i++) {
		uint64_t value = p->limits[profile_limits[i].limit];

		must(!value || value >= profile_limits[i].least);
		/* On top of a shipped one nothing is without the limit that it must have. */
		must(n == 1 || value || profile_limits[i].can_be_none || p->memory_share);
	}
	if (profile_egress_check(&r, &e) < 0)
		must(!net_mode_has_rules(p->net) && strstr(e.text, "fuzz.yaml:"));
	for (size_t i = 0; i < r.n_values; i++) { /* in the order of the table */
		must(r.values[i].setting->key >= &profile_keys[at]);
		at = (size_t)(r.values[i].setting->key - profile_keys);
		must(r.values[i].setting->line > 0 && r.values[i].layer);
	}
	profile_rules_finish(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct profile_layer *strict = profile_shipped_by_name(PROFILE_ROOT),
				   *dev = profile_shipped_by_name("dev");
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct profile_layer l = { 0 };
	size_t total = 0;
	int r = profile_parse((const char *)data, len, "fuzz.yaml", &l, &e);

	if (r < 0) {
		must(!l.settings && !l.n_settings && !l.file && e.code == r &&
		     !strncmp(e.text, "fuzz.yaml:", 10));
		return 0;
	}
	must(!strcmp(l.file, "fuzz.yaml") && (!l.name || profile_is_name(l.name)));
	must(!l.extends || strchr(l.extends, '/') || profile_is_name(l.extends));
	for (size_t i = 0; i < l.n_settings; i++) {
		const struct profile_setting *s = &l.settings[i];

		must((s->key->shape == SHAPE_MAP || s->key->shape == SHAPE_SECRETS ||
		      s->key->shape == SHAPE_MOUNTS) == (s->name != NULL) ||
		     !s->value);
		must(s->value || s->key->shape != SHAPE_VALUE);
		total += s->value ? strlen(s->value) : 0;
	}
	must(total <= 2 * DOC_MAX_EXPANDED);
	must_fold((const struct profile_layer *const[]){ &l }, 1);
	must_fold((const struct profile_layer *const[]){ &l, strict }, 2);
	must_fold((const struct profile_layer *const[]){ &l, dev, strict }, 3);
	profile_layer_finish(&l);
	return 0;
}
