/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's libmicrohttpd can do TLS by GnuTLS; this server never does (a proxy in front is for that), and its parts would be
 * copied with every call, which is a fork: 1.5 ms each. In a static build these stand in its place; all but the start fail.
 */
#include <stddef.h>
#include <stdlib.h>

#define NO_TLS_CALLS(X)                                                                                                        \
	X(alpn_set_protocols) X(bye) X(certificate_allocate_credentials) X(certificate_free_credentials)                       \
	X(certificate_server_set_request) X(certificate_set_dh_params) X(certificate_set_retrieve_function2)                   \
	X(certificate_set_retrieve_function3) X(certificate_set_x509_key_mem) X(certificate_set_x509_key_mem2)                 \
	X(certificate_set_x509_trust_mem) X(cipher_get) X(credentials_set) X(deinit) X(dh_params_deinit)                       \
	X(dh_params_import_pkcs3) X(dh_params_init) X(handshake) X(init) X(priority_deinit) X(priority_init) X(priority_set)   \
	X(protocol_get_version) X(psk_allocate_server_credentials) X(psk_free_server_credentials)                              \
	X(psk_set_server_credentials_function) X(record_check_pending) X(record_get_direction) X(record_recv) X(record_send)   \
	X(session_get_ptr) X(session_set_ptr) X(strerror) X(transport_set_int2)

#define UNUSABLE(name)                                                                                                         \
	long gnutls_##name(void);                                                                                              \
	long gnutls_##name(void)                                                                                               \
	{                                                                                                                      \
		return -1;                                                                                                     \
	}
NO_TLS_CALLS(UNUSABLE)

extern void *(*gnutls_malloc)(size_t);
void *(*gnutls_malloc)(size_t) = malloc;

int gnutls_global_init(void);
int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void);
void gnutls_global_deinit(void)
{
}
