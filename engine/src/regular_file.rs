//! The one way to open a file that an option names: a regular file, and of bounded size where it is read whole.
//!
//! An option may name anything. A pipe would wait for a writer, a device has no end, and some have effects when they
//! are opened. So the kind is looked at before opening, and again afterwards on what was opened.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a file of text that an option names. The weights take about 60,000.
pub const MOST_TEXT: u64 = 4 << 20;

/// Opens a regular file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    check_kind(&std::fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // Something else may have taken its place since; and some files of /proc are called regular and wait for ever.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    check_kind(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of text, of at most [`MOST_TEXT`] bytes.
pub fn read_text(path: &Path) -> io::Result<String> {
    let file = open(path)?;
    let refuse = |cause: String| Err(io::Error::new(io::ErrorKind::InvalidData, cause));
    let mut bytes = Vec::new();
    // The size it claims may be wrong, or change while it is read.
    file.take(MOST_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_TEXT {
        return refuse(format!("it has more than {MOST_TEXT} bytes, which no such file has"));
    }
    String::from_utf8(bytes).or_else(|error| {
        refuse(format!("it is not text (byte {} is no UTF-8)", error.utf8_error().valid_up_to() + 1))
    })
}

fn check_kind(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let kind = if metadata.is_dir() { "it is a folder" } else { "it is a pipe, a device or a socket" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{kind}, not a file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &Path) -> String {
        read_text(path).expect_err("no file of text").to_string()
    }

    #[test]
    fn folders_devices_and_endless_files_are_refused() {
        assert!(refused(&std::env::temp_dir()).contains("a folder, not a file"));
        #[cfg(unix)]
        assert!(refused(Path::new("/dev/zero")).contains("a device or a socket, not a file"));
    }

    #[test]
    fn the_size_is_bounded_and_the_first_byte_that_is_no_text_is_named() {
        let path = std::env::temp_dir().join(format!("tabula regular file {}", std::process::id()));
        std::fs::write(&path, vec![b'x'; MOST_TEXT as usize]).unwrap();
        assert_eq!(read_text(&path).unwrap().len() as u64, MOST_TEXT);
        std::fs::write(&path, vec![b'x'; MOST_TEXT as usize + 1]).unwrap();
        assert!(refused(&path).contains("more than 4194304 bytes"));
        std::fs::write(&path, b"abc\xFFdef").unwrap();
        assert!(refused(&path).contains("byte 4 is no UTF-8"));
        std::fs::remove_file(&path).unwrap();
    }
}
