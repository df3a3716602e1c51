//! A judged set as a vault in memory: ids are paths to the letter, titles stand outside the text.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use hiku::vault::{Scan, ScanEntry, Source, VaultPath};
use hiku::{Index, Progress, Settings, UpdateOptions, UpdateReport};

use crate::error::Error;
use crate::set::{Document, JudgedSet};

impl JudgedSet {
    /// Makes an index of the corpus at `index`.
    ///
    /// # Errors
    /// What the library says.
    pub fn index(
        &self,
        index: &Path,
        settings: &Settings,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<UpdateReport, Error> {
        Ok(Index::update(self, index, settings, UpdateOptions::default(), progress, stop)?)
    }

    fn document(&self, path: &VaultPath) -> Option<&Document> {
        self.places.get(path.as_str()).map(|place| &self.documents[*place])
    }
}

impl Source for JudgedSet {
    fn scan(&self) -> hiku::Result<Scan> {
        let entry = |document: &Document| ScanEntry {
            path: VaultPath::verbatim(&document.id),
            modified_ns: 0,
            changed_ns: 0,
            size: document.text.len() as u64,
        };
        let mut entries: Vec<_> = self.documents.iter().map(entry).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Scan { entries, ..Scan::default() })
    }

    fn read(&self, path: &VaultPath) -> io::Result<Vec<u8>> {
        let document = self.document(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(document.text.clone().into_bytes())
    }

    fn given_title(&self, path: &VaultPath) -> Option<String> {
        self.document(path).map(|document| document.title.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::set;

    #[test]
    fn documents_are_notes_with_ids_as_paths() {
        let set = set(
            "{\"_id\": \"b/../x\", \"text\": \"body\", \"title\": \"T\"}\n{\"_id\": \"a\", \"text\": \"\"}",
            "",
        )
        .expect("a set");
        let scan = set.scan().expect("memory");
        let paths: Vec<_> = scan.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["a", "b/../x"]);
        let path = &scan.entries[1].path;
        assert_eq!(set.read(path).expect("the text"), b"body");
        assert_eq!(set.given_title(path).as_deref(), Some("T"));
        assert!(set.read(&VaultPath::verbatim("absent")).is_err());
    }
}
