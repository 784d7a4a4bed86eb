//! Embree 3, the C++ library to which ray tracers are usually compared. Each ray is cast by one
//! call, on a device with one thread and a scene of the default quality. The scene stores its own
//! triangles; positions and indices are borrowed.
#![allow(
    unsafe_code,
    reason = "the library is called as its header requires; the mesh outlives the scene that borrows it"
)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicIsize, Ordering};

use crate::mesh::Mesh;
use crate::questions::Ray;
use crate::{Contestant, Tree, morton, triangle};

pub const EMBREE: Contestant =
    Contestant { name: "Embree", version, build: |mesh| Box::new(Scene::build(mesh, FAST, false)) };
pub const ROBUST: Contestant =
    Contestant { name: "Embree, robust", version, build: |mesh| Box::new(Scene::build(mesh, ROBUST_FLAG, false)) };
pub const SORTED: Contestant =
    Contestant { name: "Embree, rays sorted", version, build: |mesh| Box::new(Scene::build(mesh, FAST, true)) };

/// `RTC_SCENE_FLAG_NONE` and `RTC_SCENE_FLAG_ROBUST`.
const FAST: c_int = 0;
const ROBUST_FLAG: c_int = 1 << 2;
const THREADS: &CStr = c"threads=1";
/// `RTC_GEOMETRY_TYPE_TRIANGLE`.
const TRIANGLE: c_int = 0;
/// `RTC_BUFFER_TYPE_INDEX` with `RTC_FORMAT_UINT3`, and `RTC_BUFFER_TYPE_VERTEX` with
/// `RTC_FORMAT_FLOAT3`.
const INDICES: [c_int; 2] = [0, 0x5003];
const POSITIONS: [c_int; 2] = [1, 0x9003];
/// `RTC_INVALID_GEOMETRY_ID`.
const INVALID: c_uint = c_uint::MAX;

/// A scene, its device, and the number of bytes that the device has allocated.
struct Scene<'a> {
    device: *mut c_void,
    scene: *mut c_void,
    bytes: Box<AtomicIsize>,
    /// Whether rays are sorted before they are cast. If they are, no nearest points are queried.
    sorted: bool,
    mesh: &'a Mesh,
}

impl<'a> Scene<'a> {
    fn build(mesh: &'a Mesh, flags: c_int, sorted: bool) -> Self {
        assert!(mesh.positions.capacity() > mesh.positions.len(), "Embree reads 4 bytes after the last position");
        let bytes = Box::new(AtomicIsize::new(0));
        // SAFETY: the calls follow the header. The buffers hold the given number of items, and
        // outlive the scene.
        unsafe {
            let device = rtcNewDevice(THREADS.as_ptr());
            rtcSetDeviceMemoryMonitorFunction(device, count, from_ref(&*bytes).cast_mut().cast());
            let (scene, geometry) = (rtcNewScene(device), rtcNewGeometry(device, TRIANGLE));
            lend(geometry, POSITIONS, &mesh.positions);
            lend(geometry, INDICES, &mesh.triangles);
            rtcCommitGeometry(geometry);
            rtcAttachGeometry(scene, geometry);
            rtcReleaseGeometry(geometry);
            rtcSetSceneFlags(scene, flags);
            rtcCommitScene(scene);
            assert_eq!(rtcGetDeviceError(device), 0, "Embree could not build the scene");
            Self { device, scene, bytes, sorted, mesh }
        }
    }

    fn hit(&self, ray: &Ray) -> f32 {
        let mut context = IntersectContext { flags: 0, filter: null_mut(), instance: INVALID };
        let mut hit = RayHit::new(ray);
        // SAFETY: the scene is committed. The context and the ray have the layout in the header.
        unsafe { rtcIntersect1(self.scene, &mut context, &mut hit) };
        if hit.geometry == INVALID { f32::INFINITY } else { hit.far }
    }

    fn distance(&self, [x, y, z]: [f32; 3]) -> f32 {
        let mut query = PointQuery { x, y, z, time: 0.0, radius: f32::INFINITY };
        let mut context = QueryContext { transforms: [[0.0; 16]; 2], instance: INVALID, instances: 0 };
        // SAFETY: the scene is committed. The context and the query have the layout in the header.
        // `approach` expects a pointer to a mesh.
        unsafe {
            let mesh = from_ref(self.mesh).cast_mut().cast();
            rtcPointQuery(self.scene, &mut query, &mut context, approach, mesh);
        }
        query.radius
    }
}

impl Tree for Scene<'_> {
    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed).try_into().unwrap()
    }

    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) {
        if self.sorted {
            morton::order(rays).for_each(|number| hits[number] = self.hit(&rays[number]));
        } else {
            rays.iter().zip(hits).for_each(|(ray, hit)| *hit = self.hit(ray));
        }
    }

    fn nearest(&mut self, points: &[[f32; 3]], distances: &mut [f32]) -> bool {
        if !self.sorted {
            points.iter().zip(distances).for_each(|(point, distance)| *distance = self.distance(*point));
        }
        !self.sorted
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        // SAFETY: this scene owns both, and nothing uses them after this.
        unsafe {
            rtcReleaseScene(self.scene);
            rtcReleaseDevice(self.device);
        }
    }
}

/// Passes a buffer with items of 12 bytes to a geometry, which borrows it.
///
/// # Safety
///
/// The items must outlive the geometry, and must have the given format.
unsafe fn lend<T>(geometry: *mut c_void, [buffer, format]: [c_int; 2], items: &[[T; 3]]) {
    // SAFETY: the call follows the header.
    unsafe {
        rtcSetSharedGeometryBuffer(geometry, buffer, 0, format, items.as_ptr().cast(), 0, 12, items.len());
    }
}

/// Returns the version of the library that this program is linked to at run time.
fn version() -> String {
    // SAFETY: the calls follow the header; 0 is `RTC_DEVICE_PROPERTY_VERSION`.
    let version = unsafe {
        let device = rtcNewDevice(THREADS.as_ptr());
        let version = rtcGetDeviceProperty(device, 0);
        rtcReleaseDevice(device);
        version
    };
    format!("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)
}

/// Adds the bytes that the device allocates, and subtracts those that it frees.
extern "C" fn count(total: *mut c_void, bytes: isize, _: bool) -> bool {
    // SAFETY: `build` passes a pointer to an `AtomicIsize`, which the scene keeps alive as long as
    // its device.
    unsafe { &*total.cast::<AtomicIsize>() }.fetch_add(bytes, Ordering::Relaxed);
    true
}

/// Reduces the radius of the query if a triangle is nearer. Returns whether it is nearer.
unsafe extern "C" fn approach(arguments: *mut QueryArguments) -> bool {
    // SAFETY: the library calls this function with its own arguments, and with the mesh that
    // `distance` passed to it.
    let (query, mesh, number) = unsafe {
        let QueryArguments { query, mesh, primitive, .. } = &*arguments;
        (&mut **query, &*mesh.cast::<Mesh>(), *primitive)
    };
    let square = triangle::distance_squared([query.x, query.y, query.z], mesh.corners(number as usize));
    let nearer = square < query.radius * query.radius;
    if nearer {
        query.radius = square.sqrt();
    }
    nearer
}

/// `RTCRayHit`, which is both the input and the output.
#[derive(Default)]
#[repr(C, align(16))]
struct RayHit {
    origin: [f32; 3],
    near: f32,
    direction: [f32; 3],
    time: f32,
    far: f32,
    mask: c_uint,
    id: c_uint,
    flags: c_uint,
    normal: [f32; 3],
    barycentric: [f32; 2],
    primitive: c_uint,
    geometry: c_uint,
    instance: c_uint,
}

impl RayHit {
    fn new(&Ray { origin, direction }: &Ray) -> Self {
        Self { origin, direction, far: f32::INFINITY, mask: c_uint::MAX, geometry: INVALID, ..Self::default() }
    }
}

#[repr(C)]
struct IntersectContext {
    flags: c_int,
    filter: *mut c_void,
    instance: c_uint,
}

#[repr(C, align(16))]
struct PointQuery {
    x: f32,
    y: f32,
    z: f32,
    time: f32,
    radius: f32,
}

#[repr(C, align(16))]
struct QueryContext {
    transforms: [[f32; 16]; 2],
    instance: c_uint,
    instances: c_uint,
}

#[repr(C, align(16))]
struct QueryArguments {
    query: *mut PointQuery,
    mesh: *mut c_void,
    primitive: c_uint,
    geometry: c_uint,
    context: *mut QueryContext,
    scale: f32,
}

type Approach = unsafe extern "C" fn(*mut QueryArguments) -> bool;
type Count = extern "C" fn(*mut c_void, isize, bool) -> bool;

#[link(name = "embree3")]
unsafe extern "C" {
    fn rtcNewDevice(config: *const c_char) -> *mut c_void;
    fn rtcReleaseDevice(device: *mut c_void);
    fn rtcGetDeviceProperty(device: *mut c_void, property: c_int) -> isize;
    fn rtcGetDeviceError(device: *mut c_void) -> c_int;
    fn rtcSetDeviceMemoryMonitorFunction(device: *mut c_void, count: Count, total: *mut c_void);
    fn rtcNewScene(device: *mut c_void) -> *mut c_void;
    fn rtcReleaseScene(scene: *mut c_void);
    fn rtcSetSceneFlags(scene: *mut c_void, flags: c_int);
    fn rtcCommitScene(scene: *mut c_void);
    fn rtcNewGeometry(device: *mut c_void, kind: c_int) -> *mut c_void;
    fn rtcReleaseGeometry(geometry: *mut c_void);
    fn rtcCommitGeometry(geometry: *mut c_void);
    fn rtcAttachGeometry(scene: *mut c_void, geometry: *mut c_void) -> c_uint;
    #[rustfmt::skip]
    fn rtcSetSharedGeometryBuffer(
        geometry: *mut c_void,
        buffer: c_int,
        slot: c_uint,
        format: c_int,
        items: *const c_void,
        offset: usize,
        stride: usize,
        count: usize,
    );
    fn rtcIntersect1(scene: *mut c_void, context: *mut IntersectContext, hit: *mut RayHit);
    #[rustfmt::skip]
    fn rtcPointQuery(
        scene: *mut c_void,
        query: *mut PointQuery,
        context: *mut QueryContext,
        approach: Approach,
        mesh: *mut c_void,
    ) -> bool;
}
