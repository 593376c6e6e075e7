/* SPDX-License-Identifier: Apache-2.0 */
/* Facts first, then the judgement. */
#include "scan/core/scan.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"

int scan_codes(const struct scan_text *texts, size_t n, const struct scan_policy *policy,
	       struct scan_report *reports, struct aisbx_error *e)
{
	struct facts *facts = calloc(n + 1, sizeof(*facts));
	size_t judged = 0;
	int r = 0;

	if (!facts)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "scan %zu programs", n);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (!scan_language_name(texts[i].lang))
			r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
					 "programs in '%s' cannot be scanned", texts[i].lang);
	if (r == 0)
		r = scan_facts(texts, n, facts, e);
	while (r == 0 && judged < n) {
		r = scan_judge(&texts[judged], &facts[judged], policy, &reports[judged], e);
		judged += r == 0;
	}
	for (size_t i = 0; r < 0 && i < judged; i++)
		scan_report_finish(&reports[i]);
	for (size_t i = 0; i < n; i++)
		facts_finish(&facts[i]);
	free(facts);
	return r;
}

int scan_code(const char *lang, const char *text, size_t len, const struct scan_policy *policy,
	      struct scan_report *ret, struct aisbx_error *e)
{
	return scan_codes(&(struct scan_text){ lang, text, len }, 1, policy, ret, e);
}
