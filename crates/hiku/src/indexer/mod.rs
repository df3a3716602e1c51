//! Brings the store to the vault's state and reports what was done and what was skipped: compare,
//! prepare, embed, publish batch by batch, tidy up. Decides what is rebuilt when something that the
//! index depends on has changed.

mod batch;
mod budget;
mod dates;
mod derive;
mod dry_run;
mod identity;
mod maintain;
mod notes;
mod origin;
mod plan;
mod prepare;
mod report;
mod tokens;
mod vectors;

pub(crate) use dates::{day_text, parse_day};
pub(crate) use derive::{Derived, Deriver, TermSums, add_sums};
pub(crate) use maintain::{epoch_weights, stored_bodies, stored_note};
pub(crate) use notes::{has_hash, update_notes};
pub(crate) use origin::confirm_vault;
pub(crate) use plan::same;
pub(crate) use prepare::{content_hash, link_key, title_of};
pub use report::{
    Change, Mend, Progress, SilentProgress, Stale, StaleReason, UpdateOptions, UpdateReport,
};

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::embed::TokenWeights;
use crate::error::{Error, Result};
use crate::scrub::Scrubber;
use crate::settings::Settings;
use crate::store::{NoteRow, Store, Writer, WriterLock, set_aside};
use crate::vault::{Scan, ScanEntry, Source};

use batch::{Placing, PreparedBatch, prepare_all, write};
use budget::{BUDGET_NOTES, Budget};
use identity::Rebuild;
use plan::{Guard, Plan, Rules, plan};
use prepare::Preparer;
use vectors::count_tokens;

/// Notes in the first batch of a new index, at most: its token counts begin the weights epoch, so
/// it is large, and of a larger vault it is a random sample.
const FIRST_BATCH_NOTES: usize = 16_384;
/// Notes in each further batch, at most.
const BATCH_NOTES: usize = 4_096;
/// Bytes of notes in the first batch, at most; about five times that is held in memory.
const FIRST_BATCH_BYTES: u64 = 36 << 20;
/// Bytes of notes in each further batch, at most. It is prepared while the one before is written.
const BATCH_BYTES: u64 = 20 << 20;
/// How long a writer waits for another to end before it gives up.
const LOCK_WAIT: Duration = Duration::ZERO;
/// The fact that holds how many notes there were when a loss that is kept was first seen.
const GUARDED: &str = "guarded_notes";

/// One run's fixed circumstances.
struct Run<'r> {
    source: &'r dyn Source,
    settings: &'r Settings,
    scrubber: Scrubber,
    progress: &'r dyn Progress,
    stop: &'r AtomicBool,
    threads: usize,
    budget: Budget,
}

/// Brings the index at `path` to the state of `source`.
///
/// # Errors
/// See [`crate::Index::update`].
pub(crate) fn update(
    source: &dyn Source,
    path: &Path,
    settings: &Settings,
    options: UpdateOptions,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<UpdateReport> {
    let budget = Budget::begin(options.budget);
    let scan = match options.budget {
        Some(time) if !options.dry_run => source.scan_within(time, BUDGET_NOTES)?,
        _ => source.scan()?,
    };
    if options.dry_run {
        return dry_run::dry_run(source, path, settings, options, &scan);
    }
    let lock = WriterLock::acquire(path, LOCK_WAIT)?;
    let budget = budget.of_vault(scan.entries.len());
    let run = Run::new(source, settings, progress, stop, budget);
    let attempt = || run.attempt(path, &lock, options, &scan);
    let result = match attempt() {
        Err(cause) if mends(options.mend, &cause) => set_aside(path, &lock).and_then(|kept| {
            progress.mended(&cause, &kept);
            attempt()
        }),
        result => result,
    };
    progress.finish();
    result
}

/// Whether an index that cannot be used for this cause is to be made anew.
fn mends(mend: Mend, cause: &Error) -> bool {
    match cause {
        Error::IndexDamaged { .. } => mend != Mend::Never,
        // An older format is ours and out of date; a newer one is another program's, which may
        // still use it.
        Error::IndexFormat { found, supported, .. } if found < supported => mend != Mend::Never,
        Error::IndexForeign { .. } | Error::IndexFormat { .. } => mend == Mend::Anything,
        _ => false,
    }
}

fn new_report(scan: &Scan) -> UpdateReport {
    UpdateReport {
        notes: scan.entries.len(),
        skipped: scan.skipped.clone(),
        ..UpdateReport::default()
    }
}

/// How many notes there were when a loss that is still kept was first seen.
fn guarded_notes(store: &Store) -> Result<Option<usize>> {
    let stored = store.meta_number(GUARDED)?.filter(|notes| *notes > 0);
    Ok(stored.and_then(|notes| usize::try_from(notes).ok()))
}

impl<'r> Run<'r> {
    fn new(
        source: &'r dyn Source,
        settings: &'r Settings,
        progress: &'r dyn Progress,
        stop: &'r AtomicBool,
        budget: Budget,
    ) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let scrubber = Scrubber::new(&settings.scrub);
        Run { source, settings, scrubber, progress, stop, threads, budget }
    }
}

impl Run<'_> {
    /// One update of the file that is there now, or of a new one.
    fn attempt(
        &self,
        path: &Path,
        lock: &WriterLock,
        options: UpdateOptions,
        scan: &Scan,
    ) -> Result<UpdateReport> {
        let writer = Writer::open(path, lock)?;
        match options.mend {
            // A full rebuild reads no old record.
            _ if options.full => {}
            Mend::Suspected => writer.store().verify(false)?,
            Mend::Anything => writer.store().verify(true)?,
            Mend::Never | Mend::Damaged => {}
        }
        let options = self.confirm_vault(&writer, options)?;
        let result = self.update(&writer, options, scan);
        if result.is_err() {
            writer.discard();
        }
        result
    }

    /// Refuses an index of another vault. A full rebuild makes it this vault's: whatever is gone
    /// then is meant to be.
    fn confirm_vault(&self, writer: &Writer, options: UpdateOptions) -> Result<UpdateOptions> {
        let Some(root) = self.source.folder() else { return Ok(options) };
        match confirm_vault(writer.store(), root) {
            Err(Error::OtherVault { .. }) if options.full => {
                Ok(UpdateOptions { prune: true, ..options })
            }
            result => result.map(|()| options),
        }
    }

    fn update(&self, writer: &Writer, options: UpdateOptions, scan: &Scan) -> Result<UpdateReport> {
        let store = writer.store();
        let rebuild = match identity::needed(store, self.settings)? {
            _ if options.full => Rebuild::Everything("a full rebuild was asked for"),
            needed => needed,
        };
        identity::guard_vectors(store, self.settings, rebuild)?;
        let rows = store.notes()?;
        let everything = matches!(rebuild, Rebuild::Everything(_));
        // What makes the index anew, or fills it first, needs the whole vault and its time.
        let whole = everything || rows.is_empty();
        if whole && scan.unfinished {
            return self.update(writer, options, &self.source.scan()?);
        }
        let mut report = new_report(scan);
        if let Rebuild::Vectors(reason) | Rebuild::Everything(reason) = rebuild
            && !rows.is_empty()
        {
            report.rebuilt = Some(reason);
        }
        let rules = Rules {
            everything,
            embed: rebuild == Rebuild::Nothing && self.settings.embedder.is_some(),
            prune: options.prune,
            left_out: &|path| dry_run::is_left_out(self.source, path),
            guarded: guarded_notes(store)?,
        };
        let mut plan = plan(scan, rows, &rules);
        (report.kept, report.hidden) = (plan.kept, plan.hidden);
        (report.unfinished, report.unseen) = (plan.partial, std::mem::take(&mut plan.unseen));
        if !everything {
            let budget = if whole { self.budget.clone().unlimited() } else { self.budget.clone() };
            self.refresh(writer, plan, rebuild, budget, &mut report)?;
            return self.conclude(writer, report);
        }
        self.keep_lost(&mut plan);
        report.kept = plan.kept;
        // A vault that is mostly gone is no ground to rebuild on.
        let rows = plan.kept + plan.gone.len() + plan.unchanged + plan.known();
        if plan.kept * 2 > rows {
            report.rebuilt = None;
            return self.conclude(writer, report);
        }
        self.rebuild(writer, plan, &mut report)?;
        self.conclude(writer, report)
    }

    /// Keeps what is lost by accident before everything is made anew. Reads the new notes where it
    /// depends on how many of the gone ones were moved.
    fn keep_lost(&self, plan: &mut Plan) {
        if !plan.guard.holds(plan.gone.len()) {
            return;
        }
        let new = plan.read.iter().filter(|(_, row)| row.is_none());
        let read = new.filter_map(|(entry, _)| self.source.read(&entry.path).ok());
        let hashes: FxHashSet<_> = read.map(|bytes| prepare::content_hash(&bytes)).collect();
        let (moved, gone) =
            std::mem::take(&mut plan.gone).into_iter().partition(|row| hashes.contains(&row.hash));
        let (gone, kept) = plan.guard.judge(gone, &|path| dry_run::is_left_out(self.source, path));
        plan.kept += kept.len();
        plan.gone = moved;
        plan.gone.extend(gone);
    }

    /// Makes the index from nothing. One publication where there was an index, which answers until
    /// then; else one a batch.
    fn rebuild(&self, writer: &Writer, plan: Plan, report: &mut UpdateReport) -> Result<()> {
        let at_once = plan.unchanged + plan.gone.len() + plan.kept > 0
            || plan.read.iter().any(|(_, row)| row.is_some());
        writer.begin()?;
        writer.clear()?;
        identity::record(writer, self.settings)?;
        origin::record_vault(writer, self.source.folder())?;
        let mut entries: Vec<ScanEntry> = plan.read.into_iter().map(|(entry, _)| entry).collect();
        if batch_end(&entries, true) < entries.len() {
            entries
                .sort_by_cached_key(|entry| prepare::content_hash(entry.path.as_str().as_bytes()));
        }
        (report.kept, report.hidden) = (0, 0);
        writer.set_number(GUARDED, 0)?;
        self.progress.begin("index", entries.len());
        let nothing = FxHashMap::default();
        let mut placed =
            Placed { known: &nothing, gone: FxHashMap::default(), weights: None, wrote: false };
        let (now, mut rest) = entries.split_at(batch_end(&entries, true));
        let mut ready = (!now.is_empty()).then(|| self.prepare(now, &nothing));
        while let Some(batch) = ready {
            let (now, later) = rest.split_at(batch_end(rest, false));
            // The next batch is prepared while this one is written.
            let (stored, next) = std::thread::scope(|scope| {
                let prepare = || self.prepare(now, &nothing);
                let next = (!now.is_empty()).then(|| scope.spawn(prepare));
                let stored = self.store(writer, batch, &mut placed, report);
                (stored, next.and_then(|next| next.join().ok()))
            });
            stored?;
            if self.stop.load(Ordering::Relaxed) {
                return stopped(writer, at_once, report);
            }
            if !at_once && next.is_some() {
                maintain::publish_part(writer)?;
                writer.begin()?;
            }
            (ready, rest) = (next, later);
        }
        if placed.weights.is_none() && self.settings.embedder.is_some() {
            self.begin_epoch(writer, &PreparedBatch::default())?;
        }
        writer.set_skipped(&skipped_rows(report))?;
        maintain::merge_segments(writer, None)?;
        writer.publish()
    }

    /// Brings an index up to date, as far as the budget lasts.
    fn refresh(
        &self,
        writer: &Writer,
        plan: Plan,
        rebuild: Rebuild,
        mut budget: Budget,
        report: &mut UpdateReport,
    ) -> Result<()> {
        let (partial, guard) = (plan.partial, plan.guard);
        if is_idle(writer, &plan, rebuild, report)? {
            return Ok(());
        }
        writer.begin()?;
        origin::record_vault(writer, self.source.folder())?;
        let (mut entries, mut known, mut gone) = plan.into_parts();
        // Other vectors first: a run that is stopped later must not leave two models' side by side.
        if matches!(rebuild, Rebuild::Vectors(_)) {
            self.embed_everything(writer, report)?;
            let rows = known.values_mut().chain(gone.values_mut().flatten());
            renew_vector_ids(writer, rows)?;
        }
        if budget.is_limited() {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.modified_ns));
        }
        let weights = maintain::epoch_weights(writer.store())?.map(TokenWeights::computed);
        let mut placed = Placed { known: &known, gone, weights, wrote: false };
        self.progress.begin("index", entries.len());
        let mut rest = entries.as_slice();
        while !rest.is_empty() && !self.stop.load(Ordering::Relaxed) {
            let (now, later) = rest.split_at(budget.slice(rest));
            if now.is_empty() {
                report.pending = rest.iter().map(|entry| entry.path.to_string()).collect();
                break;
            }
            let started = Instant::now();
            let batch = self.prepare(now, &known);
            self.store(writer, batch, &mut placed, report)?;
            budget.record(now, started.elapsed());
            rest = later;
        }
        let put_off = !report.pending.is_empty();
        report.interrupted = !put_off && (!rest.is_empty() || self.stop.load(Ordering::Relaxed));
        // What cannot be read is tried in each run, and that alone is no publication.
        let is_quiet = !placed.wrote && placed.gone.is_empty() && rebuild == Rebuild::Nothing;
        if is_quiet && (partial || is_known(writer.store(), report)?) {
            writer.discard();
            return Ok(());
        }
        let done = !put_off && !report.interrupted;
        if done && !partial {
            self.remove_gone(writer, guard, placed.gone, report)?;
            writer.set_skipped(&skipped_rows(report))?;
        }
        count_changes(writer, report)?;
        let renews = done && !partial && self.settings.missing_model.is_none();
        if renews && maintain::epoch_is_over(writer.store(), &budget)? {
            self.embed_everything(writer, report)?;
        }
        let most = (put_off || partial).then(|| entries.len() - rest.len());
        maintain::merge_segments(writer, most)?;
        writer.publish()
    }

    /// Removes the notes whose files are gone and were not moved, unless that looks like an accident.
    fn remove_gone(
        &self,
        writer: &Writer,
        guard: Guard,
        gone: FxHashMap<Vec<u8>, Vec<NoteRow>>,
        report: &mut UpdateReport,
    ) -> Result<()> {
        let left_out = |path: &str| dry_run::is_left_out(self.source, path);
        let (gone, kept) = guard.judge(gone.into_values().flatten().collect(), &left_out);
        report.kept += kept.len();
        let guards = report.kept > report.hidden;
        writer.set_number(GUARDED, if guards { guard.total as i64 } else { 0 })?;
        remove_rows(writer, gone, report)
    }

    /// Makes all vectors anew and records what they were made with.
    fn embed_everything(&self, writer: &Writer, report: &mut UpdateReport) -> Result<()> {
        identity::record(writer, self.settings)?;
        maintain::embed_everything(writer, self.settings, self.threads, self.progress, report)
    }

    /// Prepares a batch on all cores.
    fn prepare(
        &self,
        entries: &[ScanEntry],
        settled: &FxHashMap<String, NoteRow>,
    ) -> PreparedBatch {
        let preparer = Preparer {
            source: self.source,
            scrubber: &self.scrubber,
            chunk: &self.settings.chunk,
            embedder: self.settings.embedder.as_deref(),
            settled,
        };
        prepare_all(&preparer, entries, self.threads, self.progress, self.stop)
    }

    /// Embeds and writes a prepared batch, beginning an epoch if there is none.
    fn store(
        &self,
        writer: &Writer,
        batch: PreparedBatch,
        placed: &mut Placed<'_>,
        report: &mut UpdateReport,
    ) -> Result<()> {
        if placed.weights.is_none() && self.settings.embedder.is_some() {
            placed.weights = self.begin_epoch(writer, &batch)?;
        }
        for entry in &batch.touched {
            if let Some(row) = placed.known.get(entry.path.as_str()) {
                writer.touch(row.note_id, entry)?;
            }
        }
        placed.wrote |= !batch.touched.is_empty() || !batch.notes.is_empty();
        report.skipped.extend(batch.skipped.iter().cloned());
        let mut placing = Placing {
            known: placed.known,
            gone: &mut placed.gone,
            weights: placed.weights.as_ref(),
            settings: self.settings,
            threads: self.threads,
        };
        write(writer, batch, &mut placing, report)
    }

    /// Says what the index holds now.
    fn conclude(&self, writer: &Writer, mut report: UpdateReport) -> Result<UpdateReport> {
        let store = writer.store();
        let total = |key| store.meta_number(key).map(|n| n.unwrap_or(0) as usize);
        report.generation = store.generation()?;
        (report.notes, report.chunks) = (total("documents")?, total("chunks")?);
        if self.settings.missing_model.is_some() {
            report.unembedded = store.notes_without_vectors()?;
        }
        report.changes.sort_by(|a, b| a.1.cmp(&b.1));
        report.pending.sort();
        report.warnings.sort();
        report.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        if !report.changes.is_empty() || report.embedded > 0 {
            if !report.interrupted {
                writer.reclaim()?;
            }
            writer.checkpoint();
        }
        Ok(report)
    }

    fn begin_epoch(&self, writer: &Writer, batch: &PreparedBatch) -> Result<Option<TokenWeights>> {
        let Some(embedder) = &self.settings.embedder else { return Ok(None) };
        let tokens = batch.notes.iter().map(|note| &note.tokens);
        let weights = count_tokens(tokens, embedder.vocabulary_size());
        maintain::begin_epoch(writer, &weights)?;
        Ok(Some(weights))
    }
}

/// Gives rows the identities of the vectors that they have by now.
fn renew_vector_ids<'r>(
    writer: &Writer,
    rows: impl Iterator<Item = &'r mut NoteRow>,
) -> Result<()> {
    for row in rows {
        row.vector_id = writer.store().note(row.note_id)?.and_then(|now| now.vector_id);
    }
    Ok(())
}

/// Ends a rebuild early: what replaces an older index is dropped, a new one is kept.
fn stopped(writer: &Writer, at_once: bool, report: &mut UpdateReport) -> Result<()> {
    report.interrupted = true;
    if at_once {
        writer.discard();
        return Ok(());
    }
    maintain::publish_part(writer)
}

fn count_changes(writer: &Writer, report: &UpdateReport) -> Result<()> {
    let before = writer.store().meta_number("epoch_changes")?.unwrap_or(0);
    let moved = report.count(Change::Moved);
    writer.set_number("epoch_changes", before + (report.changes.len() - moved) as i64)
}

/// Whether an update has nothing to write.
fn is_idle(writer: &Writer, plan: &Plan, rebuild: Rebuild, report: &UpdateReport) -> Result<bool> {
    if !plan.read.is_empty() || !plan.gone.is_empty() || rebuild != Rebuild::Nothing {
        return Ok(false);
    }
    Ok(plan.partial || is_known(writer.store(), report)?)
}

/// Whether the index knows what was skipped, and whether a loss is kept.
fn is_known(store: &Store, report: &UpdateReport) -> Result<bool> {
    let guards = report.kept > report.hidden;
    Ok(guards == guarded_notes(store)?.is_some() && store.skipped()? == skipped_rows(report))
}

/// What successive batches share.
struct Placed<'p> {
    known: &'p FxHashMap<String, NoteRow>,
    gone: FxHashMap<Vec<u8>, Vec<NoteRow>>,
    weights: Option<TokenWeights>,
    /// True once a note was written or touched.
    wrote: bool,
}

/// Removes notes from the index.
fn remove_rows(writer: &Writer, rows: Vec<NoteRow>, report: &mut UpdateReport) -> Result<()> {
    let mut dead: FxHashMap<i64, Vec<u32>> = FxHashMap::default();
    let mut vectors = Vec::new();
    for row in rows {
        writer.remove_note(row.note_id)?;
        dead.entry(row.segment_id).or_default().push(row.ordinal);
        vectors.extend(row.vector_id);
        report.changes.push((Change::Removed, row.path));
    }
    for (segment_id, ordinals) in dead {
        writer.mark_dead(segment_id, &ordinals)?;
    }
    writer.drop_unused_vectors(&vectors)
}

/// How many of the entries make the next batch.
fn batch_end(entries: &[ScanEntry], first: bool) -> usize {
    let (limit, most) =
        if first { (FIRST_BATCH_NOTES, FIRST_BATCH_BYTES) } else { (BATCH_NOTES, BATCH_BYTES) };
    let mut bytes = 0u64;
    let fits = entries.iter().take(limit).take_while(|entry| {
        bytes += entry.size;
        bytes <= most
    });
    fits.count().max(1).min(entries.len())
}

fn skipped_rows(report: &UpdateReport) -> Vec<(String, String)> {
    let mut rows: Vec<_> =
        report.skipped.iter().map(|skip| (skip.path.clone(), skip.reason.describe())).collect();
    rows.sort();
    rows
}
