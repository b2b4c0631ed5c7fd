//! The terminal of the user, whatever standard output and standard error are.

use std::io;

/// Writes a line to the terminal that controls this process; whether there is one.
pub fn tell_terminal(line: &str) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::fs::OpenOptions;
        use std::io::Write;
        let Ok(mut terminal) = OpenOptions::new().write(true).open("/dev/tty") else {
            return Ok(false);
        };
        writeln!(terminal, "{line}")?;
        Ok(true)
    }
    #[cfg(not(unix))]
    {
        let _unheard = line;
        Ok(false)
    }
}
