//! Small indexes for the tests of this module's parts.

use std::sync::atomic::AtomicBool;

use testkit::TestVault;

use crate::indexer::{SilentProgress, UpdateOptions, update};
use crate::settings::Settings;
use crate::vault::Folder;

/// A vault with an index beside it.
pub(crate) fn indexed(files: &str) -> TestVault {
    let vault = TestVault::new(files);
    refresh(&vault);
    vault
}

/// Brings a vault's index up to date with the default settings.
pub(crate) fn refresh(vault: &TestVault) {
    refresh_with(vault, &Settings::default());
}

/// Brings a vault's index up to date.
pub(crate) fn refresh_with(vault: &TestVault, settings: &Settings) {
    let folder = Folder::open(&vault.root(), &settings.vault).expect("the vault opens");
    let options = UpdateOptions::default();
    let stop = AtomicBool::new(false);
    update(&folder, &vault.index(), settings, options, &SilentProgress, &stop)
        .expect("the index is made");
}
