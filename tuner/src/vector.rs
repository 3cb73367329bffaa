//! Work in the widest registers and with the fastest instructions that the processor has, chosen at run time. The
//! operations and their order stay the same, and so does every result, to the last bit.

/// Something to do. Its `run` is to be `#[inline(always)]`, and so is what it calls: only what is compiled into
/// one function is compiled for the processor.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Does it. `WIDE` says nothing but makes two of it, so that closures inside belong to one of them and
    /// are compiled into it.
    fn run<const WIDE: bool>(self) -> Self::Output;
}

/// Does it with what the processor has.
#[inline(always)]
pub fn widely<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the processor has these instructions.
        return unsafe { with_avx2(work) };
    }
    work.run::<false>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run::<true>()
}
