//! The side of the child: it becomes `bwrap`, holds what that has made, or looks whether it holds.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::iter::once;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use crate::process::become_program;
use crate::verify::sandbox::BOUND;
use crate::verify::sandbox::handed::close_files;
use crate::verify::sandbox::holder::{READY, enter};
use crate::verify::sandbox::mounts;

/// Becomes `bwrap`, which starts `program`, that is this one again, where the project is read-only; comes back only if it cannot
/// (verify.md 7.4, B).
///
/// It tells on its output who that is, and waits on its input until the users are mapped.
pub fn bind(bwrap: &Path, program: &Path, project: &Path, copy: &Path) -> io::Result<Infallible> {
    let aliases = mounts::aliases(&mounts::all()?, project);
    close_files()?;
    // The streams themselves it keeps for what it starts.
    let (mapped, info) = (rustix::io::dup(io::stdin())?, rustix::io::dup(io::stdout())?);
    let number = |stream: &dyn AsRawFd| OsString::from(stream.as_raw_fd().to_string());
    let mut args: Vec<OsString> = vec![
        "--unshare-user".into(),
        "--userns-block-fd".into(),
        number(&mapped),
        "--info-fd".into(),
        number(&info),
        "--die-with-parent".into(),
        "--dev-bind".into(),
        "/".into(),
        "/".into(),
    ];
    for place in once(project).chain(aliases.iter().map(|alias| alias.place.as_path())) {
        args.extend(["--ro-bind".into(), place.into(), place.into()]);
    }
    args.extend(["--chdir".into(), copy.into(), "--".into()]);
    args.extend([program.into(), BOUND.into(), project.into()]);
    Err(become_program(bwrap.as_ref(), &args))
}

/// Keeps the namespaces that this process is in until the input ends (verify.md 7.4, B).
pub fn hold_bound(input: &mut dyn Read, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{READY}")?;
    out.flush()?;
    // Where `bwrap` has not read all that it was told, the rest comes first.
    io::copy(input, &mut io::sink())?;
    Ok(())
}

/// Enters the namespaces as a command does, and looks whether the copy can be written and the project cannot, wherever it
/// can be reached (verify.md 7.4, B).
pub fn probe_bound(holder: u32, project: &Path, copy: &Path) -> io::Result<()> {
    enter(holder, copy)?;
    tempfile::tempfile_in(copy)?;
    let mounts = mounts::all()?;
    let aliases = mounts::aliases(&mounts, project);
    let ways: Vec<PathBuf> = once(project.to_owned())
        .chain(aliases.into_iter().map(|alias| alias.place))
        .collect();
    let within = ways.iter().flat_map(|way| mounts::below(&mounts, way));
    for place in ways.iter().map(PathBuf::as_path).chain(within) {
        if !is_read_only(place) {
            let place = place.display();
            return Err(io::Error::other(format!("`{place}` is not protected")));
        }
    }
    Ok(())
}

/// Whether the system itself refuses to write, whoever asks: who may not write by the mode of a folder may change it.
fn is_read_only(place: &Path) -> bool {
    let tried = match place.is_dir() {
        true => tempfile::tempfile_in(place).map(drop),
        false => File::options().write(true).open(place).map(drop),
    };
    // Where another mount is above one, its place may not be there any more.
    tried.is_err_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::NotFound
        )
    })
}
