/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this build uses AddressSanitizer: it reserves terabytes of addresses, so no limit on them can work
 * then.
 */
#ifndef BASE_ASAN_H
#define BASE_ASAN_H

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifndef WITH_ASAN
#define WITH_ASAN 0
#endif

#endif
