//! The functions and records of Embree that this bench uses. The library is loaded at run time,
//! because one run measures two of its versions, and because it may be missing.
#![allow(unsafe_code, reason = "the signatures are those of the header")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;

use crate::questions::Ray;

/// `RTC_INVALID_GEOMETRY_ID`.
pub const INVALID: c_uint = c_uint::MAX;

/// A device, a scene or a geometry.
pub type Handle = *mut c_void;

/// `rtcIntersect1` or `rtcOccluded1`, whose arguments differ between the versions.
#[derive(Clone, Copy)]
pub enum Cast {
    Three(unsafe extern "C" fn(Handle, *mut IntersectContext, *mut RayHit)),
    Four(unsafe extern "C" fn(Handle, *mut RayHit, *mut c_void)),
}

/// Declares a struct with a pointer to each function, and the function that finds them.
macro_rules! functions {
    ($($field:ident = $name:literal: $kind:ty,)+) => {
        /// A library that stays loaded until the process ends.
        pub struct Library {
            $(pub $field: $kind,)+
            pub intersect: Cast,
            pub occluded: Cast,
        }

        impl Library {
            /// Loads a file that is Embree 3 or 4.
            pub fn load(file: &Path) -> Self {
                // SAFETY: the constructors of the library have no conditions. Each function has the
                // type that its header declares.
                unsafe {
                    let library = libloading::Library::new(file).unwrap_or_else(|error| panic!("{error}"));
                    let loaded = Self {
                        $($field: *library.get($name).unwrap(),)+
                        intersect: cast(&library, b"rtcIntersect1\0"),
                        occluded: cast(&library, b"rtcOccluded1\0"),
                    };
                    std::mem::forget(library);
                    loaded
                }
            }
        }
    };
}

functions! {
    new_device = b"rtcNewDevice\0": unsafe extern "C" fn(*const c_char) -> Handle,
    release_device = b"rtcReleaseDevice\0": unsafe extern "C" fn(Handle),
    device_property = b"rtcGetDeviceProperty\0": unsafe extern "C" fn(Handle, c_int) -> isize,
    device_error = b"rtcGetDeviceError\0": unsafe extern "C" fn(Handle) -> c_int,
    monitor_memory = b"rtcSetDeviceMemoryMonitorFunction\0": unsafe extern "C" fn(Handle, Count, *mut c_void),
    new_scene = b"rtcNewScene\0": unsafe extern "C" fn(Handle) -> Handle,
    release_scene = b"rtcReleaseScene\0": unsafe extern "C" fn(Handle),
    set_scene_flags = b"rtcSetSceneFlags\0": unsafe extern "C" fn(Handle, c_int),
    commit_scene = b"rtcCommitScene\0": unsafe extern "C" fn(Handle),
    new_geometry = b"rtcNewGeometry\0": unsafe extern "C" fn(Handle, c_int) -> Handle,
    release_geometry = b"rtcReleaseGeometry\0": unsafe extern "C" fn(Handle),
    commit_geometry = b"rtcCommitGeometry\0": unsafe extern "C" fn(Handle),
    attach_geometry = b"rtcAttachGeometry\0": unsafe extern "C" fn(Handle, Handle) -> c_uint,
    share_buffer = b"rtcSetSharedGeometryBuffer\0":
        unsafe extern "C" fn(Handle, c_int, c_uint, c_int, *const c_void, usize, usize, usize),
    point_query = b"rtcPointQuery\0":
        unsafe extern "C" fn(Handle, *mut PointQuery, *mut QueryContext, Approach, *mut c_void) -> bool,
}

/// Finds a function. Only version 4 has `rtcForwardIntersect1`.
///
/// # Safety
///
/// The name must be that of `rtcIntersect1` or `rtcOccluded1`.
unsafe fn cast(library: &libloading::Library, name: &[u8]) -> Cast {
    // SAFETY: the types are those in the headers of the two versions.
    unsafe {
        if library.get::<Approach>(b"rtcForwardIntersect1\0").is_ok() {
            Cast::Four(*library.get(name).unwrap())
        } else {
            Cast::Three(*library.get(name).unwrap())
        }
    }
}

pub type Approach = unsafe extern "C" fn(*mut QueryArguments) -> bool;
pub type Count = extern "C" fn(*mut c_void, isize, bool) -> bool;

/// `RTCRayHit`, which is both the input and the output. The last field is that of version 4.
#[derive(Default)]
#[repr(C, align(16))]
pub struct RayHit {
    origin: [f32; 3],
    near: f32,
    direction: [f32; 3],
    time: f32,
    pub far: f32,
    mask: c_uint,
    id: c_uint,
    flags: c_uint,
    normal: [f32; 3],
    barycentric: [f32; 2],
    primitive: c_uint,
    pub geometry: c_uint,
    instance: [c_uint; 2],
}

impl RayHit {
    pub fn new(&Ray { origin, direction }: &Ray) -> Self {
        Self { origin, direction, far: f32::INFINITY, mask: c_uint::MAX, geometry: INVALID, ..Self::default() }
    }
}

/// `RTCIntersectContext` of version 3.
#[repr(C)]
pub struct IntersectContext {
    pub flags: c_int,
    pub filter: *mut c_void,
    pub instance: c_uint,
}

#[repr(C, align(16))]
pub struct PointQuery {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub time: f32,
    pub radius: f32,
}

/// `RTCPointQueryContext`. Version 3 has only the first of the last two numbers.
#[repr(C, align(16))]
pub struct QueryContext {
    pub transforms: [[f32; 16]; 2],
    pub instance: c_uint,
    pub instances: [c_uint; 2],
}

#[repr(C, align(16))]
pub struct QueryArguments {
    pub query: *mut PointQuery,
    pub mesh: *mut c_void,
    pub primitive: c_uint,
    geometry: c_uint,
    context: *mut QueryContext,
    scale: f32,
}
