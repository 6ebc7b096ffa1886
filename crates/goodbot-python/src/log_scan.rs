//! Access logs, for Python: blocks of bytes in, tables of requests out.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{
    ArrayRef, DictionaryArray, Int16Array, Int32Array, Int64Array, RecordBatch, RecordBatchOptions,
    StringArray, TimestampMicrosecondArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{Field, Schema};
use goodbot_core::log as core;
use pyo3::prelude::*;

use crate::arrow_table::ArrowTable;
use crate::errors::WrongValueError;
use crate::user_agents::UserAgentNames;

/// The sums of one sender: requests, bytes, statuses by class, requests for /robots.txt, and the first and
/// the last time.
type Sums = (u64, u64, (u64, u64, u64, u64, u64, u64), u64, Option<(i64, i64)>);

/// Reads access logs block by block (`goodbot.site.logs`).
#[pyclass(frozen, module = "goodbot._core")]
pub(crate) struct LogScan {
    scan: Mutex<core::Scan>,
}

impl LogScan {
    fn scan(&self) -> MutexGuard<'_, core::Scan> {
        self.scan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl LogScan {
    /// `robots` are the names of the robots that `names` finds, in that order; `sites` are pairs of
    /// scheme and authority; `ports` are those at which the server listens behind a proxy.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the options of a reader")]
    #[pyo3(signature = (names, robots, sites, *, rows, unknown, robots_txt, proxies, threads, ports = Vec::new()))]
    fn new(
        names: PyRef<'_, UserAgentNames>,
        robots: Vec<String>,
        sites: Vec<(String, String)>,
        rows: bool,
        unknown: bool,
        robots_txt: bool,
        proxies: usize,
        threads: usize,
        ports: Vec<String>,
    ) -> LogScan {
        let site = |(scheme, authority)| core::Site { scheme, authority };
        let wanted = core::Wanted {
            rows,
            unknown,
            robots_txt,
            proxies,
            sites: sites.into_iter().map(site).collect(),
            ports,
            robots: shared(robots),
        };
        LogScan { scan: Mutex::new(core::Scan::new(&names.names, wanted, threads)) }
    }

    /// Begin another file. Lines cannot be read before `set_format`.
    fn begin(&self) {
        self.scan().begin();
    }

    /// Set the format of the lines that follow: a name, a `log_format` of nginx, a `LogFormat` of Apache,
    /// or pairs of a path in JSON and what stands there.
    ///
    /// Raises:
    ///     WrongValueError: It is not a format.
    #[pyo3(signature = (kind, text = "", pairs = Vec::new()))]
    fn set_format(&self, kind: &str, text: &str, pairs: Vec<(String, String)>) -> PyResult<()> {
        let format = format_of(kind, text, &pairs).map_err(WrongValueError::new_err)?;
        self.scan().set_format(Some(&format));
        Ok(())
    }

    /// Read a block of the present file, without the GIL. Return how many requests wait to be taken, and
    /// about how many bytes their texts have.
    ///
    /// Meanwhile, one of the threads calls `work`, such as to read the next block. What it raises is
    /// raised here, after the block was read.
    #[pyo3(signature = (block, work = None))]
    fn feed(
        &self,
        py: Python<'_>,
        block: &[u8],
        work: Option<Py<PyAny>>,
    ) -> PyResult<(usize, usize)> {
        let raised = Mutex::new(None);
        let work = || {
            let Some(work) = &work else { return };
            if let Err(error) = Python::attach(|py| work.call0(py)) {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        };
        let pending = py.detach(|| {
            let mut scan = self.scan();
            scan.feed_beside(block, &work);
            scan.pending()
        });
        match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(pending),
        }
    }

    /// Read the last line of the present file, if it has no end.
    fn finish(&self) {
        self.scan().finish();
    }

    /// Return the requests that were read, with the name of their file, and forget them.
    fn take(&self, source: &str) -> PyResult<ArrowTable> {
        let requests = self.scan().take();
        let batch = batch(requests, source);
        Ok(ArrowTable {
            batch: batch.map_err(|error| WrongValueError::new_err(error.to_string()))?,
        })
    }

    /// How many lines and bytes were read, of all files.
    fn read(&self) -> (i64, u64) {
        self.scan().read()
    }

    /// What was counted: the lines without a request, those that could not be read by reason, the first
    /// of these (number, reason, and how it begins), the requests with what proxies report, those whose
    /// times state no zone, and those that were given out without an address.
    fn counts(
        &self,
    ) -> (u64, Vec<(&'static str, u64)>, Vec<(i64, &'static str, Vec<u8>)>, [u64; 3]) {
        let counts = self.scan().counts();
        let reasons = core::Refused::ALL.iter().map(|one| one.slug());
        let shown = counts.shown.into_iter();
        let shown = shown.map(|unread| (unread.line, unread.refused.slug(), unread.begin));
        let further = [counts.forwarded, counts.zoneless, counts.addressless];
        (counts.silent, reasons.zip(counts.refused).collect(), shown.collect(), further)
    }

    /// How many lines were too long to be read, by the place of the name of the robot in them.
    fn too_long(&self) -> Vec<(usize, u64)> {
        self.scan().counts().too_long.into_iter().collect()
    }

    /// How many lines were read in ways that may be doubted, by `goodbot_core::log::Reading`.
    fn readings(&self) -> Vec<(&'static str, u64)> {
        let names = core::Reading::ALL.iter().map(|one| one.slug());
        names.zip(self.scan().counts().readings).collect()
    }

    /// How many requests each day has, and its first and last time: days since 1970 in UTC, the earliest
    /// first.
    fn days(&self) -> Vec<(i64, u64, i64, i64)> {
        let days = self.scan().days().into_iter();
        days.map(|(number, day)| (number, day.requests, day.first, day.last)).collect()
    }

    /// The sums of each User-Agent, and of all that are not remembered: the User-Agent or `None`, the
    /// place of the robot's name, -1 for an unknown robot or -2 for anyone else, and the sums.
    fn agents(&self) -> Vec<(Option<String>, i64, Sums)> {
        let agents = self.scan().agents().into_iter();
        let row = |(text, sender, tally): (Option<Arc<str>>, _, _)| {
            (text.map(|text| text.to_string()), number(sender), sums(&tally))
        };
        agents.map(row).collect()
    }
}

fn shared(texts: Vec<String>) -> Vec<Arc<str>> {
    let mut known = std::collections::HashMap::<String, Arc<str>>::new();
    let share = |text: String| Arc::clone(known.entry(text.clone()).or_insert_with(|| text.into()));
    texts.into_iter().map(share).collect()
}

fn number(sender: core::Sender) -> i64 {
    match sender {
        core::Sender::Robot(place) => i64::try_from(place).unwrap_or(i64::MAX),
        core::Sender::Unknown => -1,
        core::Sender::Person => -2,
    }
}

fn sums(tally: &core::Tally) -> Sums {
    let [other, s1, s2, s3, s4, s5] = tally.statuses;
    (tally.requests, tally.bytes, (other, s1, s2, s3, s4, s5), tally.robots_txt, tally.times)
}

fn format_of(
    kind: &str,
    text: &str,
    pairs: &[(String, String)],
) -> Result<core::Format, &'static str> {
    let made = match kind {
        "nginx" => core::Format::nginx(text, core::Escapes::Backslash),
        "nginx-escape-json" => core::Format::nginx(text, core::Escapes::Json),
        "nginx-escape-none" => core::Format::nginx(text, core::Escapes::None),
        "apache" => core::Format::apache(text),
        "w3c" => core::Format::w3c_of(text),
        "json" => {
            let slot = |name: &str| core::Slot::ALL.iter().copied().find(|one| one.slug() == name);
            let pair =
                |(path, name): &'_ (String, String)| slot(name).map(|slot| (path.clone(), slot));
            let pairs: Option<Vec<_>> = pairs.iter().map(pair).collect();
            let pairs = pairs.ok_or("a field that does not exist")?;
            let pairs: Vec<_> = pairs.iter().map(|(path, slot)| (path.as_str(), *slot)).collect();
            core::Format::json(&pairs)
        }
        _ => return core::known(text).and_then(core::Known::format).ok_or("an unknown name"),
    };
    made.map_err(|fault| match fault {
        core::Malformed::Adjacent => "two fields with nothing between them",
        core::Malformed::Directive(_) => "a directive that is not complete",
        core::Malformed::PartOfTime => "only a part of a time",
        core::Malformed::NoTime => "no field for the time",
        core::Malformed::NoTarget => "no field for the target of the request",
        core::Malformed::Many => "too many fields",
    })
}

/// Return the name of the format in which most of the first lines of a block can be read; `None` if
/// none can.
#[pyfunction]
pub(crate) fn detect_log_format(py: Python<'_>, block: &[u8]) -> Option<&'static str> {
    py.detach(|| core::detect_in(block)).map(|known| known.name)
}

/// Return the names of the known formats, who writes each, and how it is written.
#[pyfunction]
pub(crate) fn log_formats() -> Vec<(&'static str, &'static str, String)> {
    core::KNOWN.iter().map(|known| (known.name, known.about, known.written())).collect()
}

fn texts(texts: core::Texts, is_absent: Option<fn(&str) -> bool>) -> ArrayRef {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(texts.offsets));
    let values = Buffer::from_vec(texts.text.into_bytes());
    let array = StringArray::new(offsets, values, None);
    let Some(is_absent) = is_absent else { return Arc::new(array) };
    let nulls: NullBuffer =
        array.iter().map(|text| text.is_some_and(|text| !is_absent(text))).collect();
    let (offsets, values, _) = array.into_parts();
    Arc::new(StringArray::new(offsets, values, Some(nulls)))
}

fn repeated(texts: core::Repeated) -> Result<ArrayRef, arrow_schema::ArrowError> {
    let values = StringArray::from_iter_values(&texts.values);
    let keys = Int32Array::from(texts.keys);
    Ok(Arc::new(DictionaryArray::try_new(keys, Arc::new(values))?))
}

fn batch(requests: core::Requests, source: &str) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let rows = requests.len();
    let source = DictionaryArray::try_new(
        Int32Array::from(vec![0; rows]),
        Arc::new(StringArray::from_iter_values([source])),
    )?;
    let times = TimestampMicrosecondArray::from(requests.times).with_timezone("UTC");
    let [retry_after, challenge, signature, signature_input, signature_agent] =
        requests.further.map(|field| texts(field, Some(str::is_empty)));
    let columns: [(&str, ArrayRef); 17] = [
        ("line", Arc::new(Int64Array::from(requests.lines))),
        ("source", Arc::new(source)),
        ("time", Arc::new(times)),
        ("address", texts(requests.addresses, None)),
        ("host", texts(requests.hosts, Some(str::is_empty))),
        ("scheme", texts(requests.schemes, Some(str::is_empty))),
        ("method", texts(requests.methods, None)),
        ("target", texts(requests.targets, None)),
        ("status", Arc::new(Int16Array::from(requests.statuses))),
        ("bytes", Arc::new(Int64Array::from(requests.bytes))),
        ("user_agent", repeated(requests.user_agents)?),
        ("robot", repeated(requests.robots)?),
        ("retry_after", retry_after),
        ("challenge", challenge),
        ("signature", signature),
        ("signature_input", signature_input),
        ("signature_agent", signature_agent),
    ];
    let field =
        |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options)
}
