//! Measures texting_robots on the same files and URLs as the peers written in Python.
//!
//! `answers FILE ROBOT` prints an answer a URL, `speed FILE ROBOT` the CPU time of each job in
//! nanoseconds, `memory FILE ROBOT COPIES` the bytes of one kept object, `hostile FILE ROBOT` one
//! line a step, all as JSON. FILE holds, for each robots.txt, its length and bytes, the number of
//! its URLs, and the length and bytes of each; numbers are 32 bits, little endian.

use std::panic::catch_unwind;

use cpu_time::ProcessTime;
use serde_json::{Value, json};
use texting_robots::Robot;

struct Sample {
    content: Vec<u8>,
    urls: Vec<String>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, job, file, robot, rest @ ..] = arguments.as_slice() else {
        panic!("usage: goodbot-benchmark-peers answers|speed|memory|hostile FILE ROBOT [COPIES]");
    };
    let samples = read(&std::fs::read(file).expect("the file of samples can be read"));
    let copies = rest.first().and_then(|copies| copies.parse().ok()).unwrap_or(1);
    std::panic::set_hook(Box::new(|_| {}));
    match job.as_str() {
        "answers" => println!("{}", answers(&samples, robot)),
        "speed" => println!("{}", speed(&samples, robot)),
        "memory" => println!("{}", memory(&samples, robot, copies)),
        "hostile" => hostile(&samples[0], robot),
        other => panic!("no job is called {other}"),
    }
}

fn read(mut bytes: &[u8]) -> Vec<Sample> {
    let mut samples = Vec::new();
    while !bytes.is_empty() {
        let content = string(&mut bytes).to_vec();
        let urls = (0..number(&mut bytes))
            .map(|_| String::from_utf8(string(&mut bytes).to_vec()).expect("URLs are UTF-8"))
            .collect();
        samples.push(Sample { content, urls });
    }
    samples
}

fn number(bytes: &mut &[u8]) -> usize {
    let (number, rest) = bytes.split_first_chunk::<4>().expect("the file of samples is whole");
    *bytes = rest;
    u32::from_le_bytes(*number) as usize
}

fn string<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = number(bytes);
    let (string, rest) = bytes.split_at(length);
    *bytes = rest;
    string
}

/// For each file a string of 0 and 1, or null where the library gives up.
fn answers(samples: &[Sample], robot: &str) -> Value {
    let of = |sample: &Sample| -> Option<String> {
        catch_unwind(|| {
            let rules = Robot::new(robot, &sample.content).ok()?;
            Some(sample.urls.iter().map(|url| if rules.allowed(url) { '1' } else { '0' }).collect())
        })
        .ok()
        .flatten()
    };
    samples.iter().map(of).collect()
}

/// Nanoseconds of CPU time, after one pass that is not counted.
fn timed<T>(mut work: impl FnMut() -> T) -> u64 {
    std::hint::black_box(work());
    let start = ProcessTime::now();
    std::hint::black_box(work());
    u64::try_from(start.elapsed().as_nanos()).expect("the time is short")
}

fn speed(samples: &[Sample], robot: &str) -> Value {
    let parse = timed(|| {
        for sample in samples {
            std::hint::black_box(Robot::new(robot, &sample.content).is_ok());
        }
    });
    let kept: Vec<(Robot, &Sample)> = samples
        .iter()
        .filter_map(|sample| Some((Robot::new(robot, &sample.content).ok()?, sample)))
        .collect();
    let check = timed(|| {
        for (rules, sample) in &kept {
            for url in &sample.urls {
                std::hint::black_box(rules.allowed(url));
            }
        }
    });
    let whole = timed(|| {
        for sample in samples {
            let Ok(rules) = Robot::new(robot, &sample.content) else { continue };
            for url in &sample.urls {
                std::hint::black_box(rules.allowed(url));
            }
        }
    });
    json!({ "parse": parse, "check": check, "whole": whole })
}

fn keep(samples: &[Sample], robot: &str, copies: usize, kept: &mut Vec<Robot>) {
    for _ in 0..copies {
        kept.extend(samples.iter().filter_map(|sample| Robot::new(robot, &sample.content).ok()));
    }
}

/// Bytes of resident memory for each object; the first copy of all files is not counted.
fn memory(samples: &[Sample], robot: &str, copies: usize) -> Value {
    let mut kept = Vec::with_capacity(samples.len() * (copies + 1));
    keep(samples, robot, 1, &mut kept);
    let (before, first) = (status("VmRSS:"), kept.len());
    keep(samples, robot, copies, &mut kept);
    let objects = kept.len() - first;
    let bytes = (status("VmRSS:") - before) * 1024;
    json!({ "bytes": bytes as f64 / objects as f64 })
}

/// A number of kibibytes that the system states about this process.
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse().unwrap_or(0)
}

fn hostile(sample: &Sample, robot: &str) {
    // The peak counts from here.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = status("VmRSS:");
    let start = ProcessTime::now();
    let rules = Robot::new(robot, &sample.content);
    println!("{}", json!({ "step": "parse", "seconds": start.elapsed().as_secs_f64() }));
    match rules {
        Err(error) => println!("{}", json!({ "step": "error", "message": error.to_string() })),
        Ok(rules) => {
            for url in &sample.urls {
                let start = ProcessTime::now();
                let answer = rules.allowed(url);
                let seconds = start.elapsed().as_secs_f64();
                println!("{}", json!({ "step": "check", "seconds": seconds, "answer": answer }));
            }
        }
    }
    let peak = status("VmHWM:").saturating_sub(before) * 1024;
    println!("{}", json!({ "step": "peak", "bytes": peak }));
}
