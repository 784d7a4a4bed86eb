//! Counts the instructions of loops. All loops run in one process under callgrind, which writes the
//! counts since the last dump whenever [`boundary`] is called.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The environment variable that marks a child process.
const CHILD: &str = "MESHPEEK_BENCH_CALLGRIND";
/// The setting of the C library that disables copies with `rep movsb`.
const COPIES: &str = "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000";
/// The number of parts that callgrind writes for a loop: the work before it, one run, and a run
/// over twice the number of items.
const PARTS: usize = 3;

/// A loop over some items.
pub struct Kernel {
    pub name: &'static str,
    /// The number of items in the shorter of two runs.
    pub items: usize,
    /// The maximum number of instructions per item, independent of the table.
    pub limit: f64,
    /// Runs the loop over the given number of items.
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

/// The counts.
pub struct Found {
    pub counts: Vec<Count>,
    /// The instruction set that valgrind reports to programs. It determines which kernels run.
    pub level: String,
}

/// The number of instructions per item of a loop, and its maximum.
pub struct Count {
    pub name: String,
    pub found: f64,
    pub limit: f64,
}

/// Prevents the compiler from removing the computation of an unused value.
pub fn keep<T>(answer: T) {
    black_box(answer);
}

/// Returns a reference that stays valid until the program ends.
pub fn lend<T>(owned: T) -> &'static T {
    Box::leak(Box::new(owned))
}

pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Returns the reason why this build cannot be counted, or `None` if it can.
pub fn hindrance() -> Option<&'static str> {
    if cfg!(debug_assertions) {
        Some("this build is not optimised")
    } else if cfg!(target_feature = "avx") {
        Some("this build requires a processor with AVX")
    } else {
        None
    }
}

/// Creates the loops, and runs each of them three times: first to build everything that is built
/// once, and then twice to be counted. Prints the data that the parent process needs.
///
/// The loops run on a new thread, whose stack starts at a page boundary. The stack of the first
/// thread starts at an address that depends on the environment variables, and the cost of a copy to
/// the stack depends on that address.
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

/// Marks the point at which callgrind writes its counts and starts again. This is a separate
/// function with an observable effect, because it must keep its name.
#[inline(never)]
fn boundary() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    CALLS.fetch_add(1, Ordering::SeqCst);
}

/// Returns the instruction set for which kernels are chosen.
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

/// Runs this program under valgrind, and reads the counts. Returns `None` if valgrind is not
/// installed.
///
/// Large copies use the same instructions on every processor. Otherwise, an instruction that copies
/// any number of bytes would be counted once per byte.
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
    // The last part is the work after the last loop.
    assert_eq!(parts.len(), PARTS * kernels.lines().count() + 1, "callgrind wrote another number of parts");
    let counts = kernels.lines().zip(parts.chunks_exact(PARTS)).map(|(kernel, parts)| {
        let mut words = kernel.splitn(3, ' ');
        let [items, limit] = [(); 2].map(|()| words.next().unwrap().parse::<f64>().unwrap());
        Count { name: words.next().unwrap().into(), found: (parts[2] - parts[1]) / items, limit }
    });
    Some(Found { counts: counts.collect(), level: level.into() })
}
