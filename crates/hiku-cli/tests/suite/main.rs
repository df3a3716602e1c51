//! The real binary over throw-away vaults: its outputs, exit codes and promises.
