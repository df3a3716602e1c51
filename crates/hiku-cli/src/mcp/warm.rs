//! The index that a server keeps open between requests: brought up to date before each, mended
//! where it is damaged, opened anew where another file has taken its place.

use std::fs;
use std::time::SystemTime;

use hiku::scrub::Scrubber;
use hiku::vault::Folder;
use hiku::{
    Error, Index, Mend, ReadNote, Selection, SilentProgress, Stale, UpdateOptions, read_note,
};

use crate::exit::{CommandError, Exit};
use crate::messages::Messages;
use crate::session::Session;
use crate::settings::Place;
use crate::{refresh, registry, render};

/// A vault, its index and what makes answers from it fast.
pub(super) struct Warm {
    /// Vault, index file and settings.
    pub(super) place: Place,
    /// The run of the program; warnings go to its stderr.
    pub(super) session: Session,
    /// What of the vault the last answer may lack.
    pub(super) stale: Option<Stale>,
    /// Made at the first use: it costs some milliseconds.
    scrubber: Option<Scrubber>,
    opened: Option<Opened>,
}

struct Opened {
    index: Index,
    /// When its file was made; `None` where the file system does not say.
    made: Option<SystemTime>,
    is_preloaded: bool,
}

impl Warm {
    /// Nothing is opened yet, so that a server that is never asked costs next to nothing.
    pub(super) fn new(place: Place, session: Session) -> Self {
        Warm { place, session, stale: None, scrubber: None, opened: None }
    }

    /// The messages in the user's language.
    pub(super) fn messages(&self) -> Messages {
        self.session.messages()
    }

    /// Brings the index up to date and asks it; `question` gets the vault too, to hold hits against
    /// it. Where the question meets damage, the index is mended and asked once more.
    ///
    /// # Errors
    /// Exit codes 1, 2, 3 and 10.
    pub(super) fn ask<T>(
        &mut self,
        question: impl Fn(&Index, &Folder) -> hiku::Result<T>,
    ) -> Result<T, CommandError> {
        self.stale = self.bring_up_to_date()?;
        let folder = self.place.folder()?;
        match question(self.index()?, &folder) {
            Err(damage @ Error::IndexDamaged { .. }) => {
                self.close();
                self.stale = refresh::quietly(&self.place, Mend::Suspected, &self.session)?;
                let again = question(self.index()?, &folder);
                again.map_err(|_| self.place.failed(damage))
            }
            result => result.map_err(|error| self.place.failed(error)),
        }
    }

    /// Reads a part of a note from the vault; no index takes part.
    ///
    /// # Errors
    /// Exit codes 1 and 2.
    pub(super) fn read(&mut self, name: &str, part: &Selection) -> Result<ReadNote, CommandError> {
        let place = &self.place;
        let folder = place.folder()?;
        let options = &place.settings.scrub;
        let scrubber = self.scrubber.get_or_insert_with(|| Scrubber::new(options));
        read_note(&folder, name, part, scrubber).map_err(|error| place.failed(error))
    }

    /// Loads what makes later answers fast, once an index is open.
    pub(super) fn preload(&mut self) {
        let Some(opened) = self.opened.as_mut().filter(|opened| !opened.is_preloaded) else {
            return;
        };
        opened.is_preloaded = true;
        if let Err(error) = opened.index.preload() {
            self.session.complain(&self.place.failed(error));
        }
    }

    /// What of the vault the last answer may lack, as a line; empty where nothing.
    pub(super) fn stale_remark(&self) -> String {
        let remark = |stale| render::stale(stale, &self.place, self.messages()) + "\n";
        self.stale.as_ref().map(remark).unwrap_or_default()
    }

    /// Forgets the open index.
    pub(super) fn close(&mut self) {
        self.opened = None;
    }

    fn bring_up_to_date(&mut self) -> Result<Option<Stale>, CommandError> {
        if self.place.index.exists() {
            return refresh::quietly(&self.place, Mend::Damaged, &self.session);
        }
        self.close();
        let messages = self.session.messages();
        self.place.guard_vault(messages)?;
        self.session.say(&messages.building(self.place.vault.display()));
        let options = UpdateOptions::default();
        let report = refresh::build(&self.place, options, &SilentProgress, &self.session)?;
        if report.interrupted {
            let text = messages.interrupted(report.notes);
            return Err(CommandError::new(Exit::Interrupted, text));
        }
        registry::record(&self.session.environment, &self.place.vault, &self.place.index)?;
        Ok(None)
    }

    /// The open index, opened anew where another file stands in its place: it was mended, or
    /// removed and built again.
    fn index(&mut self) -> Result<&Index, CommandError> {
        let metadata = fs::metadata(&self.place.index).ok();
        let made = metadata.and_then(|metadata| metadata.created().ok());
        let opened = match self.opened.take().filter(|opened| opened.made == made) {
            Some(opened) => opened,
            None => Opened { index: self.place.open_index()?, made, is_preloaded: false },
        };
        Ok(&self.opened.insert(opened).index)
    }
}
