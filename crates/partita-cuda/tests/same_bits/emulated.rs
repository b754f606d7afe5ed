//! A card that is none: the kernel's source compiled for this processor, so that its bits can be tested anywhere.
#![allow(unsafe_code, reason = "a kernel is called through its C interface")]

use partita_cuda::card::{Card, CardError, Launch, Returned};
use partita_cuda::source::Shape;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

type Kernel = unsafe extern "C" fn(
    *const u64,
    *const u32,
    *const f64,
    *const i64,
    *const u8,
    *const u64,
    *mut u64,
    *mut f64,
    *mut f64,
    *mut u8,
    *mut f64,
    *mut u32,
    *mut u8,
    *mut u64,
    *mut u32,
    u32,
);

/// The processor in place of a card.
pub struct Emulated {
    kernels: Mutex<HashMap<Shape, libloading::Library>>,
    folder: PathBuf,
}

impl Emulated {
    /// None where there is no compiler of C++, which is said.
    pub fn new() -> Option<Self> {
        if let Err(error) = Command::new(compiler()).arg("--version").output() {
            eprintln!("skipped: the compiler {} cannot be run: {error}", compiler());
            return None;
        }
        Some(Emulated { kernels: Mutex::default(), folder: env!("CARGO_TARGET_TMPDIR").into() })
    }

    /// The source of a shape, and more behind it, as a library.
    pub fn compile(&self, shape: Shape, more: &str) -> libloading::Library {
        // A library of its own for each: its shared memory is static, and tests run at once.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{number}", shape.fingerprint("emulated"), std::process::id());
        let (source, library) =
            (self.folder.join(&name).with_extension("cpp"), self.folder.join(&name).with_extension("so"));
        std::fs::write(&source, [include_str!("warp.h"), shape.source(), more].concat())
            .expect("the folder can be written");
        let output = Command::new(compiler())
            .args(["-O1", "-ffp-contract=off", "-shared", "-fPIC", "-std=c++17", "-w"])
            .args(shape.definitions())
            .args([Path::new("-o"), &library, &source])
            .output()
            .expect("the compiler can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // SAFETY: the library has no initialisers.
        let loaded = unsafe { libloading::Library::new(&library) }.expect("what was compiled can be loaded");
        let _ = (std::fs::remove_file(&source), std::fs::remove_file(&library));
        loaded
    }
}

fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".into())
}

impl Card for Emulated {
    fn name(&self) -> String {
        "no card".into()
    }

    /// Little, so that work comes in several batches.
    fn memory(&self) -> u64 {
        1 << 20
    }

    fn run(&self, launch: &Launch) -> Result<Returned, CardError> {
        let mut kernels = self.kernels.lock().expect("nobody panics");
        let library = kernels.entry(launch.shape).or_insert_with(|| self.compile(launch.shape, ""));
        let room = launch.room;
        let mut returned = Returned {
            outcomes: vec![0; room.outcomes],
            values: vec![f64::NAN; room.values],
            kept_weights: vec![f64::NAN; room.kept_weights],
            kept_labels: vec![0; room.kept_labels],
            seconds: 0.0,
        };
        // Whatever the kernel reads before it writes would be seen.
        let (mut real, mut whole, mut small) =
            (vec![f64::NAN; room.real + 2], vec![u32::MAX; room.whole + 4], vec![u8::MAX; room.small]);
        let aligned_real = real.as_ptr().align_offset(16);
        let aligned_whole = whole.as_ptr().align_offset(16);
        let (mut memory, mut list) = (vec![u64::MAX; room.memory], vec![0; room.list]);
        for (round, name) in launch.shape.kernels().iter().enumerate() {
            // SAFETY: the buffers have the lengths that the kernel's interface says.
            unsafe {
                let kernel: libloading::Symbol<Kernel> = library.get(name.as_bytes()).expect("the kernel");
                kernel(
                    launch.settings.as_ptr(),
                    launch.words.as_ptr(),
                    launch.tables.as_ptr(),
                    launch.gains.as_ptr(),
                    launch.start.as_ptr(),
                    launch.numbers.as_ptr(),
                    returned.outcomes.as_mut_ptr(),
                    returned.values.as_mut_ptr(),
                    returned.kept_weights.as_mut_ptr(),
                    returned.kept_labels.as_mut_ptr(),
                    real.as_mut_ptr().add(aligned_real),
                    whole.as_mut_ptr().add(aligned_whole),
                    small.as_mut_ptr(),
                    memory.as_mut_ptr(),
                    list.as_mut_ptr(),
                    round as u32,
                );
            }
        }
        Ok(returned)
    }
}

/// A card that is lost after so many launches.
pub struct Lost<C>(pub C, pub Mutex<u32>);

impl<C: Card> Card for Lost<C> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn memory(&self) -> u64 {
        self.0.memory()
    }

    fn run(&self, launch: &Launch) -> Result<Returned, CardError> {
        let mut left = self.1.lock().expect("nobody panics");
        if *left == 0 {
            return Err(CardError::Driver("it has fallen off the bus".into()));
        }
        *left -= 1;
        self.0.run(launch)
    }
}

/// A card that notes which kernels it is to get ready.
pub struct Noted<C> {
    pub card: C,
    pub prepared: Mutex<Vec<Shape>>,
}

impl<C: Card> Card for Noted<C> {
    fn name(&self) -> String {
        self.card.name()
    }

    fn memory(&self) -> u64 {
        self.card.memory()
    }

    fn prepare(&self, shape: Shape) {
        self.prepared.lock().expect("nobody panics").push(shape);
    }

    fn run(&self, launch: &Launch) -> Result<Returned, CardError> {
        self.card.run(launch)
    }
}
