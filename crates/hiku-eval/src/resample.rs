//! Chance: resampled intervals and permutation tests over per-query values. Pure; the same values
//! give the same figures each time.

/// Resamples and permutations. 10,000 put the Monte Carlo error of a p near 0.05 at 0.002.
const ROUNDS: usize = 10_000;
/// The generator's first state, fixed so that figures can be repeated.
const SEED: u64 = 0x6869_6b75;
/// Differences below this are rounding, not change.
pub(crate) const ROUNDING: f64 = 1e-12;

/// `SplitMix64` (Steele, Lea & Flood 2014): small, fast, and good enough to draw queries with.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, by the high half of a product (Lemire 2019); its bias is below
    /// `bound` / 2^64.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// The mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The 95 % interval of the mean by the percentile bootstrap (Efron & Tibshirani 1993, chapter 13)
/// over queries.
pub(crate) fn interval(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut generator = Generator(SEED);
    let mut draw = || {
        let sum: f64 = (0..values.len()).map(|_| values[generator.below(values.len())]).sum();
        sum / values.len() as f64
    };
    let mut means: Vec<f64> = (0..ROUNDS).map(|_| draw()).collect();
    means.sort_by(f64::total_cmp);
    (means[ROUNDS / 40], means[ROUNDS - 1 - ROUNDS / 40])
}

/// The two-sided p of the paired randomisation test (Smucker, Allan & Carterette 2007): how often
/// differences with signs by chance have a mean as far from 0 as theirs. The observed signs count
/// as one of the permutations, so p is never 0.
pub(crate) fn paired_p(differences: &[f64]) -> f64 {
    let observed = differences.iter().sum::<f64>().abs() - ROUNDING;
    // Ties change no sum, whatever their sign.
    let changed: Vec<f64> = differences.iter().copied().filter(|d| d.abs() > ROUNDING).collect();
    let mut generator = Generator(SEED);
    let mut permuted = || {
        let signed = changed.chunks(64).map(|chunk| {
            let signs = generator.next();
            let sign = |at: usize| if signs >> at & 1 == 1 { -1.0 } else { 1.0 };
            chunk.iter().enumerate().map(|(at, value)| sign(at) * value).sum::<f64>()
        });
        signed.sum::<f64>().abs()
    };
    let as_far = (0..ROUNDS).filter(|_| permuted() >= observed).count();
    (as_far + 1) as f64 / (ROUNDS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        let mut generator = Generator(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([generator.next(), generator.next()], first);
        assert!((0..1000).all(|_| generator.below(7) < 7));
    }

    #[test]
    fn an_interval_is_that_of_the_mean() {
        // 100 coins: the mean's standard error is 0.05, so the interval is 0.5 by 0.098.
        let coins: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
        let (low, high) = interval(&coins);
        assert!((low - 0.40).abs() <= 0.011 && (high - 0.60).abs() <= 0.011, "{low} {high}");
        assert_eq!(interval(&coins), (low, high));
        assert_eq!(interval(&[0.25, 0.25]), (0.25, 0.25));
        assert_eq!(interval(&[]), (0.0, 0.0));
    }

    #[test]
    fn the_test_agrees_with_all_permutations_counted() {
        let exact = |differences: &[f64]| {
            let observed = differences.iter().sum::<f64>().abs() - ROUNDING;
            let far = (0..1u32 << differences.len()).filter(|signs| {
                let sign = |at: usize| if signs >> at & 1 == 1 { -1.0 } else { 1.0 };
                let sum: f64 = differences.iter().enumerate().map(|(at, d)| sign(at) * d).sum();
                sum.abs() >= observed
            });
            far.count() as f64 / f64::from(1u32 << differences.len())
        };
        for differences in [
            &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6][..],
            &[0.5, -0.2, 0.0, 0.3, 0.1, -0.4, 0.6],
            &[-0.3, -0.3, -0.3, -0.3, -0.3, -0.3, 0.1, -0.3, 0.0, -0.2],
            &[0.25],
            &[],
        ] {
            let (found, exact) = (paired_p(differences), exact(differences));
            assert!((found - exact).abs() < 0.015, "{differences:?}: {found} for {exact}");
            assert!(found > 0.0 && found <= 1.0);
        }
    }
}
