//! Work in the widest registers that the processor has, chosen at run time. The operations and their order stay
//! the same, and so does every result, to the last bit.

/// Runs what is compiled into `work`: functions that are `#[inline(always)]`.
#[inline(always)]
pub fn widely<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}
