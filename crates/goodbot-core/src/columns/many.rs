//! Decisions on many URLs at once.

use std::sync::{Mutex, PoisonError};

use crate::robots_txt::{ColumnDecider, Decision, Rules};
use crate::target::Scratch;
use crate::threads::in_threads;

/// URLs that can be accessed by index; `None` is a null, whose answer is null.
pub trait Urls: Sync {
    /// Returns how many URLs there are.
    fn length(&self) -> usize;
    /// Returns the URL at an index.
    fn url(&self, place: usize) -> Option<&[u8]>;
    /// Reads where the URL at an index is, but not the URL itself (`order::prefetch`).
    fn prefetch(&self, _place: usize) -> u64 {
        0
    }
}

/// The fewest URLs that are worth a thread.
const LEAST_FOR_A_THREAD: usize = 8_192;
/// Into how many parts the URLs are divided for each thread: at the end, none waits longer than for a part.
const PARTS_OF_A_THREAD: usize = 16;

/// Returns the decision on every URL, in the form that `answer` makes of it; nulls stay `null`.
///
/// The threads take parts of the URLs one by one, so that one that is held up decides fewer.
pub fn decide_many<T: Copy + Send + Sync>(
    rules: &Rules,
    urls: &impl Urls,
    threads: usize,
    null: T,
    answer: impl Fn(Decision) -> T + Sync,
) -> Vec<T> {
    decide_each(rules, urls, threads, null, |decider, url, scratch| {
        answer(decider.decide_next(url, scratch))
    })
}

/// Decides as [`decide_many`] does, but on each URL as it is sent and as it is written
/// ([`Rules::decide_spellings`]).
pub fn decide_many_as_sent<T: Copy + Send + Sync>(
    rules: &Rules,
    urls: &impl Urls,
    threads: usize,
    null: T,
    answer: impl Fn(Decision) -> T + Sync,
) -> Vec<T> {
    decide_each(rules, urls, threads, null, |decider, url, scratch| {
        answer(decider.decide_next_as_sent(url, scratch))
    })
}

fn decide_each<T: Copy + Send + Sync>(
    rules: &Rules,
    urls: &impl Urls,
    threads: usize,
    null: T,
    decide: impl Fn(&ColumnDecider<'_>, &[u8], &mut Scratch) -> T + Sync,
) -> Vec<T> {
    let length = urls.length();
    let mut answers = vec![null; length];
    let threads = threads.clamp(1, length / LEAST_FOR_A_THREAD + 1);
    let decider = rules.column_decider(length);
    let size = length.div_ceil(threads * PARTS_OF_A_THREAD).max(1);
    let waiting = Mutex::new(answers.chunks_mut(size).enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    in_threads(&mut vec![(); threads], |()| {
        // On the stack of its thread: side by side, two of them would share a line of the processor's
        // caches, which would have to be fetched again whenever the other thread writes.
        let scratch = &mut Scratch::default();
        while let Some((number, part)) = next() {
            for (slot, place) in part.iter_mut().zip(number * size..) {
                if let Some(url) = urls.url(place) {
                    *slot = decide(&decider, url, scratch);
                }
            }
        }
    });
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RobotsTxt, dialects};

    struct Texts(Vec<Option<String>>);

    impl Urls for Texts {
        fn length(&self) -> usize {
            self.0.len()
        }
        fn url(&self, place: usize) -> Option<&[u8]> {
            self.0[place].as_deref().map(str::as_bytes)
        }
    }

    /// The beginning of the previous URL must not change the answer for the next one.
    #[test]
    fn the_answers_are_those_of_each_url_alone() {
        let dialect = dialects::named("rfc9309").expect("the default");
        let text = b"User-agent: *\nDisallow: /private\nDisallow: /x\n";
        let rules = RobotsTxt::parse(text, dialect).rules_for("ExampleBot").expect("a name");
        let urls = [
            "https:/oops",
            "https://h/private",
            "https:///x",
            "https://x",
            "//h/x",
            "//:/x",
            "//://x/private",
            "h/x",
            "h/private",
            "/x",
            "http:",
            "http:/",
            "http://h/x",
            "http://h?/x",
            "a:/",
            "a://h/x",
            "?",
            "https://h/x#",
            "https://h/%78",
            "ht#tp://h/x",
            "",
            "/",
            "//",
            "///x",
            "x:/private",
            "x://private",
        ];
        let pairs = urls.iter().flat_map(|one| urls.iter().flat_map(|other| [*one, *other]));
        let column = Texts(pairs.map(|url| Some(url.to_owned())).collect());
        let answers = decide_many(&rules, &column, 1, 9, |decision| u8::from(decision.allowed));
        for (place, answer) in answers.into_iter().enumerate() {
            let url = column.url(place).expect("a URL");
            assert_eq!(answer, u8::from(rules.allows(url)), "{}", String::from_utf8_lossy(url));
        }
    }

    #[test]
    fn threads_change_nothing() {
        let dialect = dialects::named("rfc9309").expect("the default");
        let rules = RobotsTxt::parse(b"User-agent: *\nDisallow: /7\n", dialect)
            .rules_for("ExampleBot")
            .expect("a name");
        let url = |number: usize| {
            (!number.is_multiple_of(11)).then(|| format!("https://example.com/{number}"))
        };
        let urls = Texts((0..50_000).map(url).collect());
        let answer = |decision: Decision| u8::from(decision.allowed);
        let one = decide_many(&rules, &urls, 1, 9, answer);
        assert_eq!(one, decide_many(&rules, &urls, 5, 9, answer));
        for (place, answer) in one.iter().enumerate() {
            let expected = match urls.url(place) {
                None => 9,
                Some(url) => u8::from(rules.allows(url)),
            };
            assert_eq!(*answer, expected);
        }
    }
}
