//! An NVIDIA card, by its driver: kernels compiled at run time and kept on disk.
//!
//! The libraries of driver and compiler are looked for when they are needed, so that a program with this module runs
//! anywhere. Calls into them are the only unsafe code of this crate.
#![allow(unsafe_code, reason = "a kernel launch and the compiler's C interface cannot be checked by Rust")]

use crate::card::{Card, CardError, Launch, Returned};
use crate::source::{Crew, LANES, Shape};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys as driver,
};
use cudarc::nvrtc::{Ptx, result as nvrtc, sys};
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// The first card of this machine.
#[derive(Debug)]
pub struct Nvidia {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// For what runs at the same time.
    beside: Arc<CudaStream>,
    name: String,
    /// What compiled kernels depend on beside their source.
    made_for: String,
    /// `sm_90` for compute capability 9.0.
    architecture: String,
    multiprocessors: usize,
    /// The kernels of the rounds, by shape. One may be compiled while another runs.
    kernels: Mutex<HashMap<Shape, Loaded>>,
}

type Kernels = Arc<[CudaFunction]>;

/// Kernels once they are loaded, or why they cannot be.
type Loaded = Arc<OnceLock<Result<Kernels, CardError>>>;

impl From<DriverError> for CardError {
    fn from(error: DriverError) -> Self {
        CardError::Driver(format!("{error:?}"))
    }
}

impl Nvidia {
    /// The first card, if there is one.
    pub fn open() -> Result<Self, CardError> {
        // SAFETY: loads the driver's library, whose initialisers are meant to be run by any program.
        if !unsafe { driver::is_culib_present() } {
            return Err(CardError::NoDriver);
        }
        let context = CudaContext::new(0).map_err(|error| CardError::NoCard(format!("{error:?}")))?;
        let (major, minor) = context.compute_capability()?;
        let name = context.name()?;
        let architecture = format!("sm_{major}{minor}");
        let made_for = format!("{name} {architecture} {}", env!("CARGO_PKG_VERSION"));
        // Order between streams is said where it is needed: kernels write parts of the same buffers at the same time.
        // SAFETY: buffers live longer than what is launched on them, because results are waited for.
        unsafe { context.disable_event_tracking() };
        let (stream, beside) = (context.new_stream()?, context.new_stream()?);
        let multiprocessors =
            context.attribute(driver::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok(Nvidia {
            context,
            stream,
            beside,
            name,
            made_for,
            architecture,
            multiprocessors: multiprocessors as usize,
            kernels: Mutex::default(),
        })
    }

    fn kernels(&self, shape: Shape) -> Result<Kernels, CardError> {
        let of_shape = self.kernels.lock().expect("nobody panics here").entry(shape).or_default().clone();
        of_shape.get_or_init(|| self.load(shape)).clone()
    }

    /// From disk, or else by the compiler.
    fn load(&self, shape: Shape) -> Result<Kernels, CardError> {
        let file = cache().map(|cache| cache.join(shape.fingerprint(&self.made_for)).with_extension("cubin"));
        let load = |image: Vec<u8>| -> Result<Kernels, CardError> {
            let module = self.context.load_module(Ptx::from_binary(image))?;
            let load = |name: &&str| module.load_function(name).map_err(CardError::from);
            shape.kernels().iter().map(load).collect()
        };
        // What is kept may be damaged: then it is made anew.
        let kept = file.as_ref().and_then(|file| std::fs::read(file).ok()).and_then(|image| load(image).ok());
        match kept {
            Some(loaded) => Ok(loaded),
            None => {
                let image = compile(shape, &self.architecture)?;
                if let Some(file) = &file {
                    keep(file, &image);
                }
                load(image)
            }
        }
    }
}

/// Where compiled kernels are kept; nowhere if the user has no such place.
fn cache() -> Option<PathBuf> {
    let of = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    Some(of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")))?.join("partita"))
}

/// Keeps a compiled kernel if that can be done: a file appears whole or not at all.
fn keep(file: &std::path::Path, image: &[u8]) {
    let Some(folder) = file.parent() else { return };
    let part = file.with_extension(format!("{}.part", std::process::id()));
    let kept = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&part, image))
        .and_then(|()| std::fs::rename(&part, file));
    if kept.is_err() {
        let _ = std::fs::remove_file(&part);
    }
}

/// Compiles the kernel for an architecture such as `sm_90`, to the card's own machine code.
pub fn compile(shape: Shape, architecture: &str) -> Result<Vec<u8>, CardError> {
    // SAFETY: loads the compiler's library, whose initialisers are meant to be run by any program.
    if !unsafe { sys::is_culib_present() } {
        return Err(CardError::NoCompiler);
    }
    let mut options = shape.definitions();
    // No multiplication is fused with an addition, as on the processors.
    options.extend([
        "--fmad=false".into(),
        "--std=c++17".into(),
        format!("--gpu-architecture={architecture}"),
    ]);
    let source = CString::new(shape.source()).expect("the source has no zero in it");
    let failed = |error: nvrtc::NvrtcError| CardError::Compile(error.to_string());
    let program = nvrtc::create_program(&source, Some(c"pairs.cu")).map_err(failed)?;
    // SAFETY: the program was just created and is destroyed below, after its last use; buffers have the sizes asked for.
    unsafe {
        let compiled = nvrtc::compile_program(program, &options).map_err(|error| {
            let log = nvrtc::get_program_log(program).unwrap_or_default();
            let log: Vec<u8> = log.iter().map(|&c| c as u8).collect();
            let log = CStr::from_bytes_until_nul(&log).map_or("".into(), CStr::to_string_lossy);
            CardError::Compile(format!("{error}\n{log}"))
        });
        let image = compiled.and_then(|()| {
            let mut size = 0;
            sys::nvrtcGetCUBINSize(program, &mut size).result().map_err(failed)?;
            let mut image = vec![0u8; size];
            sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result().map_err(failed)?;
            Ok(image)
        });
        nvrtc::destroy_program(program).map_err(failed)?;
        image
    }
}

impl Card for Nvidia {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// Four fifths of what is free: others may want some, too.
    fn memory(&self) -> u64 {
        self.context.mem_get_info().map_or(0, |(free, _)| free as u64 / 5 * 4)
    }

    /// What goes wrong here is said when the kernel is run.
    fn prepare(&self, shape: Shape) {
        let _ = self.kernels(shape);
    }

    fn run(&self, launch: &Launch) -> Result<Returned, CardError> {
        let (kernels, stream) = (self.kernels(launch.shape)?, &self.stream);
        let settings = stream.clone_htod(&launch.settings)?;
        let words = stream.clone_htod(&launch.words)?;
        let tables = stream.clone_htod(&launch.tables)?;
        let gains = stream.clone_htod(&launch.gains)?;
        let start = stream.clone_htod(&launch.start)?;
        let numbers = stream.clone_htod(&launch.numbers)?;
        let room = launch.room;
        let mut outcomes = stream.alloc_zeros::<u64>(room.outcomes)?;
        let mut values = stream.alloc_zeros::<f64>(room.values)?;
        let mut kept_weights = stream.alloc_zeros::<f64>(room.kept_weights)?;
        let mut kept_labels = stream.alloc_zeros::<u8>(room.kept_labels)?;
        // SAFETY: the kernel writes what it reads of these.
        let (mut real, mut whole, mut small) = unsafe {
            (
                stream.alloc::<f64>(room.real)?,
                stream.alloc::<u32>(room.whole)?,
                stream.alloc::<u8>(room.small)?,
            )
        };
        let mut memory = stream.alloc_zeros::<u64>(room.memory)?;
        let mut list = stream.alloc_zeros::<u32>(room.list)?;
        let count = launch.numbers.len();
        let config = |blocks: usize| LaunchConfig {
            grid_dim: (blocks as u32, 1, 1),
            block_dim: (LANES as u32, 1, 1),
            shared_mem_bytes: 0,
        };
        // Groups take one replicate after the other, two of them a pair: no more warps are needed than fit.
        let resident = |kernel: &CudaFunction| -> Result<usize, CardError> {
            let resident = kernel.occupancy_max_active_blocks_per_multiprocessor(LANES as u32, 0, None)?;
            Ok(resident as usize * self.multiprocessors)
        };
        let blocks = |round: usize| -> Result<usize, CardError> {
            let group = launch.shape.group;
            Ok(match launch.shape.crew() {
                Crew::Threads => count.div_ceil(LANES),
                Crew::Groups => (count * 2 * group).div_ceil(LANES).min(resident(&kernels[round])?),
                Crew::Teams => (count * group).div_ceil(LANES).min(resident(&kernels[round])?),
            })
        };
        let timing = Some(driver::CUevent_flags::CU_EVENT_DEFAULT);
        let begin = stream.record_event(timing)?;
        let mut round = |round: usize, stream: &CudaStream| -> Result<(), CardError> {
            let config = config(blocks(round)?);
            let mut arguments = stream.launch_builder(&kernels[round]);
            arguments.arg(&settings).arg(&words).arg(&tables).arg(&gains).arg(&start).arg(&numbers);
            arguments.arg(&mut outcomes).arg(&mut values).arg(&mut kept_weights).arg(&mut kept_labels);
            arguments.arg(&mut real).arg(&mut whole).arg(&mut small).arg(&mut memory).arg(&mut list);
            let round = round as u32;
            arguments.arg(&round);
            // SAFETY: the arguments are those of the kernel, in its order, and of the lengths that `Room` says.
            unsafe { arguments.launch(config)? };
            Ok(())
        };
        match launch.shape.crew() {
            Crew::Teams => round(0, stream)?,
            // Single chains begin where warps with pairs end; a last round does what the one beside has left.
            Crew::Groups => {
                self.beside.join(stream)?;
                round(0, stream)?;
                round(1, &self.beside)?;
                stream.join(&self.beside)?;
                round(2, stream)?;
            }
            // Those still apart begin first, because they take longest; beside them go those that are together.
            Crew::Threads => {
                round(0, stream)?;
                self.beside.join(stream)?;
                round(1, &self.beside)?;
                round(2, stream)?;
                stream.join(&self.beside)?;
            }
        }
        let end = stream.record_event(timing)?;
        Ok(Returned {
            outcomes: stream.clone_dtoh(&outcomes)?,
            values: stream.clone_dtoh(&values)?,
            kept_weights: stream.clone_dtoh(&kept_weights)?,
            kept_labels: stream.clone_dtoh(&kept_labels)?,
            seconds: f64::from(begin.elapsed_ms(&end)?) / 1e3,
        })
    }
}
