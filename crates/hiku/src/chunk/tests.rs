//! How notes are cut, case by case.
