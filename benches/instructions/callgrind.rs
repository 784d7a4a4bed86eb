//! Loops of which instructions are counted, and how: all of them in one process under callgrind, which writes down what it
//! has counted so far wherever [`boundary`] is called.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tells a child process that it is one.
const CHILD: &str = "MESHPEEK_BENCH_CALLGRIND";
/// Tells the C library which sizes to copy with `rep movsb`: none.
const COPIES: &str = "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000";
/// Parts that callgrind writes for a loop: what was before, a run, and one over twice as many items.
const PARTS: usize = 3;

/// A loop over some items.
pub struct Kernel {
    pub name: &'static str,
    /// Items of the shorter of two runs.
    pub items: usize,
    /// What an item may cost whatever the table says.
    pub limit: f64,
    /// Goes through so many items.
    pub run: Box<dyn Fn(usize)>,
}

impl Kernel {
    pub fn new(name: &'static str, items: usize, run: impl Fn(usize) + 'static) -> Self {
        Self { name, items, limit: f64::INFINITY, run: Box::new(run) }
    }

    pub fn at_most(self, limit: f64) -> Self {
        Self { limit, ..self }
    }
}

/// What was counted.
pub struct Found {
    pub counts: Vec<Count>,
    /// What the processor can do, as valgrind shows it to programs: it chooses the kernels.
    pub level: String,
}

/// Instructions for each item of a loop, and at most how many there may be.
pub struct Count {
    pub name: String,
    pub found: f64,
    pub limit: f64,
}

/// Keeps the compiler from leaving out what nobody looks at.
pub fn keep<T>(answer: T) {
    black_box(answer);
}

/// Keeps something for as long as the program runs.
pub fn lend<T>(owned: T) -> &'static T {
    Box::leak(Box::new(owned))
}

pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Tells why this build cannot be counted.
pub fn hindrance() -> Option<&'static str> {
    if cfg!(debug_assertions) {
        Some("this build is not optimised")
    } else if cfg!(target_feature = "avx") {
        Some("this build is for a processor of its own, not for all")
    } else {
        None
    }
}

/// Makes the loops, and runs each three times: first to build what is built once, then to be counted. Prints what the parent
/// has to know.
///
/// That is on a thread of its own, whose stack starts at a page: where the first thread's starts depends on the variables of
/// the environment, and what it takes to copy to there on that.
pub fn run(kernels: fn() -> Vec<Kernel>) {
    let run = move || {
        println!("{}", level());
        for Kernel { name, items, limit, run } in kernels() {
            run(items);
            boundary();
            run(items);
            boundary();
            run(2 * items);
            boundary();
            println!("{items} {limit} {name}");
        }
    };
    std::thread::spawn(run).join().unwrap();
}

/// Where callgrind writes what it counted since the last time, and begins again. A function of its own, with an effect of
/// its own, so that it keeps its name.
#[inline(never)]
fn boundary() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    CALLS.fetch_add(1, Ordering::SeqCst);
}

/// Returns the level that kernels are chosen for.
fn level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! has {
            ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
        }
        if has!("avx512f") {
            return "AVX-512";
        } else if has!("avx2" "bmi2" "fma" "f16c") {
            return "AVX2";
        }
    }
    "every processor"
}

/// Runs this program under valgrind, and reads what it counted; `None` without valgrind.
///
/// Large copies are made with the same instructions everywhere: of one that copies any number of bytes, each byte would
/// count.
pub fn count() -> Option<Found> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counted");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--dump-before=*callgrind*boundary*", "--combine-dumps=yes"]);
    valgrind.arg(format!("--callgrind-out-file={}", path.display())).arg(std::env::current_exe().unwrap());
    let output = valgrind.env(CHILD, "").env("GLIBC_TUNABLES", COPIES).stdin(Stdio::null()).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = String::from_utf8(std::fs::read(path).unwrap()).unwrap();
    let totals = report.lines().filter_map(|line| line.strip_prefix("totals: "));
    let parts: Vec<f64> = totals.map(|total| total.parse().unwrap()).collect();
    let printed = String::from_utf8(output.stdout).unwrap();
    let (level, kernels) = printed.split_once('\n').unwrap();
    // The last part is what came after all.
    assert_eq!(parts.len(), PARTS * kernels.lines().count() + 1, "callgrind wrote another number of parts");
    let counts = kernels.lines().zip(parts.chunks_exact(PARTS)).map(|(kernel, parts)| {
        let mut words = kernel.splitn(3, ' ');
        let [items, limit] = [(); 2].map(|()| words.next().unwrap().parse::<f64>().unwrap());
        Count { name: words.next().unwrap().into(), found: (parts[2] - parts[1]) / items, limit }
    });
    Some(Found { counts: counts.collect(), level: level.into() })
}
