//! The file's version, and the steps to the newest.

use rusqlite::{Connection, TransactionBehavior};

use super::failure::Failure;

/// Marks a file as a ledger: `TELG` in ASCII.
const APPLICATION_ID: i64 = 0x5445_4c47;

/// Step by step from an empty file; the number of steps that were taken is the file's `user_version`. A step that has
/// been released is never changed.
pub(super) const STEPS: &[&str] = &[
    "
    CREATE TABLE effects (
        place INTEGER PRIMARY KEY AUTOINCREMENT,
        tool_name TEXT NOT NULL,
        key TEXT NOT NULL,
        run_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        request_hash TEXT NOT NULL,
        replay TEXT NOT NULL,
        status TEXT NOT NULL,
        claim INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        answer TEXT,
        started_at INTEGER NOT NULL DEFAULT (unixepoch()),
        settled_at INTEGER,
        UNIQUE (tool_name, key)
    ) STRICT;
    CREATE INDEX effects_of_call ON effects (run_id, call_id);
",
    "
    CREATE TABLE paused_runs (
        version INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL UNIQUE,
        run TEXT NOT NULL,
        saved_at INTEGER NOT NULL DEFAULT (unixepoch())
    ) STRICT;
",
];

/// Refuses a database that is somebody else's, before anything is written to it.
pub(super) fn check_identity(connection: &Connection) -> Result<(), Failure> {
    // In this order: whoever makes the tables at this moment marks the file in the same transaction.
    let count = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection.query_row(count, [], |row| row.get(0))?;
    let id = pragma(connection, "application_id")?;
    if id == APPLICATION_ID || (id == 0 && tables == 0) {
        return Ok(());
    }
    Err(Failure::NotALedger)
}

/// Takes the steps that are missing, all or none.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), Failure> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if pragma(connection, "user_version")? == known {
        return Ok(());
    }
    // Looked at again under the lock: another process may be doing the same.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = pragma(&transaction, "user_version")?;
    if found > known || found < 0 {
        return Err(Failure::Newer { found, known });
    }
    let taken = usize::try_from(found).unwrap_or_default();
    for step in &steps[taken..] {
        transaction.execute_batch(step)?;
    }
    let mark = format!("PRAGMA user_version = {known}; PRAGMA application_id = {APPLICATION_ID};");
    transaction.execute_batch(&mark)?;
    transaction.commit()?;
    Ok(())
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::sqlite::operation::{Operation, Outcome};
    use crate::effects::sqlite::statements;
    use crate::model::ToolMessage;

    const FIRST: &str = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);";
    const SECOND: &str = "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7;";

    fn version(connection: &Connection) -> i64 {
        pragma(connection, "user_version").unwrap()
    }

    #[test]
    fn an_older_file_gets_the_steps_it_lacks_and_keeps_its_rows() {
        let mut connection = Connection::open_in_memory().unwrap();
        for (steps, known) in [
            (&[FIRST][..], 1),
            (&[FIRST, SECOND], 2),
            (&[FIRST, SECOND], 2),
        ] {
            assert!(migrate(&mut connection, steps).is_ok());
            assert_eq!(version(&connection), known);
        }
        let row = connection.query_row("SELECT x, y FROM a", [], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
        });
        assert_eq!(row.unwrap(), (1, 7));
    }

    #[test]
    fn every_released_version_becomes_the_newest_and_keeps_its_effects() {
        for taken in 1..=STEPS.len() {
            let mut connection = Connection::open_in_memory().unwrap();
            assert!(migrate(&mut connection, &STEPS[..taken]).is_ok());
            // As that version wrote it: of an answer it kept the row alone.
            connection
                .execute_batch(
                    r#"INSERT INTO effects VALUES (7, 't', 'k', 'r', 'c', 'h', 'never', 'completed', 1, 1,
                       '{"call_id":"c","tool_name":"t","content":"paid","is_error":false}', 0, 0)"#,
                )
                .unwrap();
            assert!(migrate(&mut connection, STEPS).is_ok());
            let of_call = Operation::OfCall {
                run_id: "r".to_owned(),
                call_id: "c".to_owned(),
            };
            let Ok(Outcome::Rows(rows)) = statements::run(&connection, &of_call) else {
                panic!("the row can't be read");
            };
            let answer = ToolMessage::new("c", "t", "paid");
            assert_eq!(rows[0].answer, Some(answer.into()));
            let count = "SELECT (SELECT count(*) FROM effects), (SELECT count(*) FROM paused_runs)";
            let counts = connection.query_row(count, [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            });
            assert_eq!(counts.unwrap(), (1, 0));
        }
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert!(migrate(&mut connection, &[FIRST]).is_ok());
        let steps = &[FIRST, SECOND, "CREATE TABLE a (z INTEGER)"];
        assert!(matches!(
            migrate(&mut connection, steps),
            Err(Failure::Sqlite(_))
        ));
        assert_eq!(version(&connection), 1);
        assert!(connection.prepare("SELECT y FROM a").is_err());
    }

    #[test]
    fn a_newer_file_is_refused_and_not_changed() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert!(migrate(&mut connection, &[FIRST, SECOND]).is_ok());
        let refused = migrate(&mut connection, &[FIRST]);
        assert!(matches!(
            refused,
            Err(Failure::Newer { found: 2, known: 1 })
        ));
        assert_eq!(version(&connection), 2);
    }

    #[test]
    fn another_applications_database_is_refused() {
        let connection = Connection::open_in_memory().unwrap();
        assert!(check_identity(&connection).is_ok());
        connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
        assert!(matches!(
            check_identity(&connection),
            Err(Failure::NotALedger)
        ));
        let mut ours = Connection::open_in_memory().unwrap();
        assert!(migrate(&mut ours, STEPS).is_ok());
        assert!(check_identity(&ours).is_ok());
    }
}
