//! The passage to show.
