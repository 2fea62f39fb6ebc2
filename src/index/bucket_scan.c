/* bucket_scan.c - the searches of bucket_scan.h as functions, and which of them a processor takes.
 */
#include "index/bucket_scan.h"

static void scan_scalar(const struct buckets *buckets, const struct bucket_window *window,
                        const struct ring_search *search, struct hits *hits, struct hits *inside) {
    if (search->by_radius)
        scan_plainly(buckets, true, window, search, hits, inside);
    else
        scan_plainly(buckets, false, window, search, hits, inside);
}

#ifdef HAVE_VECTORS
FOR_AVX2 static void scan_avx2(const struct buckets *buckets, const struct bucket_window *window,
                               const struct ring_search *search, struct hits *hits,
                               struct hits *inside) {
    if (search->by_radius)
        scan_eights(buckets, true, window, search, hits, inside);
    else
        scan_eights(buckets, false, window, search, hits, inside);
}
#endif

bucket_scanner bucket_scanner_for_processor(void) {
#ifdef HAVE_VECTORS
    if (has_avx2())
        return scan_avx2;
#endif
    return scan_scalar;
}
