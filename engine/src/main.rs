//! The UCI engine `tabula`. Everything it does is in the library.
//!
//! The shipped binary has the library twice (`scripts/build-tabula`): compiled for every x86-64 processor of the
//! last fifteen years, and as `engine_v3` for those of the last ten or so, which is what most run and is faster.
//! `TABULA_PORTABLE=1` in the environment chooses the first one anyway.

fn main() -> std::process::ExitCode {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    #[cfg(with_v3)]
    if engine::cpu::runs_x86_64_v3() && std::env::var_os("TABULA_PORTABLE").is_none() {
        return engine_v3::uci::main(arguments);
    }
    engine::uci::main(arguments)
}
