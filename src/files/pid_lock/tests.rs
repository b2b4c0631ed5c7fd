use super::*;

fn rule(path: PathBuf) -> PidLockRule {
    PidLockRule {
        wait: Duration::from_millis(30),
        pause: Duration::from_millis(5),
        ..PidLockRule::of_state(path)
    }
}

fn take(rule: &PidLockRule, alive: bool) -> Result<PidLock, PidLockError> {
    PidLock::acquire(rule, &|_| alive, &|| 7)
}

#[test]
fn one_holder_at_a_time() {
    let dir = tempfile::tempdir().expect("a folder");
    let rule = rule(dir.path().join("x.lock"));
    let lock = take(&rule, true).expect("free");
    assert_eq!(
        fs::read_to_string(&rule.path).expect("the lock"),
        std::process::id().to_string()
    );
    assert!(matches!(
        take(&rule, true),
        Err(PidLockError::Held { pid: Some(_), .. })
    ));
    drop(lock);
    assert!(!rule.path.exists());
    take(&rule, true).expect("free again");
}

#[test]
fn what_is_left_over_is_taken_away() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.lock");
    let write = |content: &str, age: u64| {
        fs::write(&path, content).expect("written");
        let then = std::time::SystemTime::now() - Duration::from_secs(age);
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(then))
            .expect("aged");
    };
    let rule = rule(path.clone());
    for (content, age, alive, free) in [
        ("4194000", 0, false, true),
        ("4194000", 59, true, false),
        ("4194000", 61, true, true),
        ("nobody", 0, true, false),
        ("nobody", 2, true, true),
        ("", 2, true, true),
    ] {
        write(content, age);
        assert_eq!(take(&rule, alive).is_ok(), free, "{content} {age}");
    }
    let left: Vec<_> = fs::read_dir(dir.path()).expect("listed").collect();
    assert!(left.len() <= 1, "{left:?}");
}

#[test]
fn the_lock_of_a_loop_is_judged_by_its_machine_and_its_time() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(".lock");
    let now = Timestamp::parse("2026-01-02T03:04:05Z").expect("an instant");
    let rule = PidLockRule {
        wait: Duration::ZERO,
        ..PidLockRule::of_loop(path.clone(), "here".to_owned(), now)
    };
    let young = "2026-01-02T03:00:00Z";
    for (host, at, alive, free) in [
        ("here", young, true, false),
        ("here", young, false, true),
        ("there", young, false, false),
        ("there", "2026-01-02T02:54:00Z", true, true),
        ("here", "2999-01-01T00:00:00Z", true, false),
    ] {
        fs::write(&path, format!(r#"{{"pid":4194000,"host":"{host}","at":"{at}"}}"#)).expect("written");
        assert_eq!(take(&rule, alive).is_ok(), free, "{host} {at} {alive}");
    }
    drop(fs::remove_file(&path));
    fs::create_dir(&path).expect("a folder");
    assert!(take(&rule, false).is_err(), "a folder is another program's");
    assert!(path.is_dir());
}

#[test]
fn a_lost_lock_writes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let rule = rule(dir.path().join("x.lock"));
    let target = dir.path().join("x");
    fs::write(&target, "old").expect("written");
    let lock = take(&rule, true).expect("free");
    lock.replace(&target, b"new").expect("written");
    // A file system likes to give the number of the file just removed to the next one.
    for other in 0..50 {
        fs::remove_file(&rule.path).expect("removed");
        fs::write(&rule.path, "1").expect("another");
        assert!(!lock.is_ours(), "{other}");
    }
    lock.replace(&target, b"late").expect_err("lost");
    lock.remove(&target).expect_err("lost");
    assert_eq!(fs::read(&target).expect("read"), b"new");
    drop(lock);
    assert!(rule.path.exists(), "another's lock stays");
    assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 2);
}

#[test]
fn what_dead_writers_left_is_cleared_away_and_nothing_else() {
    let dir = tempfile::tempdir().expect("a folder");
    let lock = take(&rule(dir.path().join("x.lock")), true).expect("free");
    let stay = [
        "x.tmp.7",
        "y.tmp.8",
        "x.tmp.8a",
        "x.tmp.",
        "tmp.8",
        "x.lock.stale.7",
        "x.stale.8",
    ];
    for name in stay.iter().chain(&["x.tmp.8", "x.lock.stale.8"]) {
        fs::write(dir.path().join(name), "").expect("written");
    }
    fs::create_dir(dir.path().join("x.tmp.9")).expect("made");
    lock.clear_left_over(&|name| name == "x", &|pid| pid == 7)
        .expect("cleared");
    let mut left: Vec<String> = fs::read_dir(dir.path())
        .expect("listed")
        .map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    let mut expected = [&stay[..], &["x.lock", "x.tmp.9"]].concat();
    expected.sort_unstable();
    assert_eq!(left, expected);
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_temporary_file_is_not_followed() {
    let dir = tempfile::tempdir().expect("a folder");
    let lock = take(&rule(dir.path().join("x.lock")), true).expect("free");
    let (target, other) = (dir.path().join("x"), dir.path().join("other"));
    fs::write(&other, "mine").expect("written");
    std::os::unix::fs::symlink(&other, temporary(&target, std::process::id())).expect("linked");
    lock.replace(&target, b"new").expect("written");
    assert_eq!(fs::read(&other).expect("read"), b"mine");
    assert!(fs::symlink_metadata(&target).expect("there").is_file());
}
