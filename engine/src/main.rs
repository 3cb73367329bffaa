//! The UCI engine `tabula`. Everything it does is in the library.

fn main() -> std::process::ExitCode {
    engine::uci::main(std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()))
}
