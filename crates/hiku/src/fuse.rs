//! Score fusion.
