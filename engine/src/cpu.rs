//! What the processor can do beyond the floor that everything is compiled for, and how to make use of it.

/// Something to do in the widest registers and with the fastest instructions that the processor has. Its `run` is to be
/// `#[inline(always)]`, and so is what it calls: only what is compiled into one function is compiled for the processor.
/// The operations and their order stay the same, and so does every result, to the last bit.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Does it. `WIDE` says nothing but makes two of it, so that closures inside belong to one of them and
    /// are compiled into it.
    fn run<const WIDE: bool>(self) -> Self::Output;
}

/// Does it with what the processor has, chosen at run time.
#[inline(always)]
pub fn widely<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        use std::is_x86_feature_detected as has;
        if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") {
            // SAFETY: the processor has these instructions.
            return unsafe { with_avx2(work) };
        }
    }
    work.run::<false>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run::<true>()
}

/// Whether it has BMI2, and with it PEXT.
pub(crate) fn has_bmi2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Whether PEXT is one instruction, and not a small program as on AMD before Zen 3.
pub(crate) fn has_fast_pext() -> bool {
    #[cfg(target_arch = "x86_64")]
    if has_bmi2() {
        use std::arch::x86_64::__cpuid;
        let vendor = __cpuid(0);
        let is_amd = (vendor.ebx, vendor.edx, vendor.ecx) == (0x6874_7541, 0x6974_6E65, 0x444D_4163);
        let version = __cpuid(1).eax;
        let family = ((version >> 8) & 0xF) + ((version >> 20) & 0xFF);
        // Family 17h (Zen 1 and 2) and older AMD run PEXT in microcode.
        return !is_amd || family >= 0x19;
    }
    false
}

/// Whether code compiled for x86-64-v3 runs here and runs fast: it uses PEXT without asking.
pub fn runs_x86_64_v3() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::is_x86_feature_detected as has;
        has!("avx2")
            && has!("bmi1")
            && has!("f16c")
            && has!("fma")
            && has!("lzcnt")
            && has!("movbe")
            && has_fast_pext()
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Asks for a cache line ahead of time.
#[inline(always)]
pub(crate) fn prefetch<T>(line: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching has no effect but speed, whatever the address.
        unsafe { _mm_prefetch(line.cast::<i8>(), _MM_HINT_T0) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}
