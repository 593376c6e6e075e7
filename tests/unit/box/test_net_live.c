/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that can be published, as people write them. */
#include "support/test.h"

#include "box/net_live.h"

static void ports_to_publish(void **state)
{
	static const struct {
		const char *text;
		uint16_t host, box;
	} good[] = {
		{ "8080", 8080, 8080 }, { "8080:80", 8080, 80 },   { "0:80", 0, 80 },
		{ "1:1", 1, 1 },        { "65535", 65535, 65535 }, { "65535:65535", 65535, 65535 },
	};
	static const char *const bad[] = {
		"",      "0",   ":",   "8080:",    ":80",    "65536", "1:65536", "1:0",       "-1",
		"+1:80", "80 ", " 80", "80:80:80", "80/udp", "http",  "0x50",    "8080:80\n", "000000000080"
	};
	struct net_port p;
	struct aisbx_error e;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(net_publish_read(good[i].text, &p, &e), 0);
		assert_int_equal(p.host, good[i].host);
		assert_int_equal(p.box, good[i].box);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		if (net_publish_read(bad[i], &p, &e) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(strstr(e.text, "8080:80"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ports_to_publish) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
