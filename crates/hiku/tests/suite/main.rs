//! Integration tests of the library, one binary.
