//! Unicode work on plain strings: NFKC, width and kana folding, script runs, sentence boundaries, token estimate. Pure; knows nothing of notes or terms.
