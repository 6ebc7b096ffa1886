//! The same work in several threads, each of which remembers something of its own.

use std::thread;

/// Does the same work with each worker, at the same time; returns what each returned, in their order.
///
/// This thread works as well, for the first of them: to wake another one takes as long as much work.
pub(crate) fn in_threads<W: Send, T: Send>(
    workers: &mut [W],
    work: impl Fn(&mut W) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    let Some((own, others)) = workers.split_first_mut() else { return Vec::new() };
    thread::scope(|scope| {
        let running = others.iter_mut().map(|worker| scope.spawn(move || work(worker)));
        let running: Vec<_> = running.collect();
        let own = work(own);
        let others = running.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(others).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_worker_works_and_answers_in_its_place() {
        let mut workers: Vec<usize> = (0..5).collect();
        let done = in_threads(&mut workers, |worker| {
            *worker += 10;
            *worker
        });
        assert_eq!(done, [10, 11, 12, 13, 14]);
        assert_eq!(workers, done);
        assert!(in_threads(&mut [(); 0], |()| ()).is_empty());
    }
}
