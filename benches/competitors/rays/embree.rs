//! Embree, the C++ library to which ray tracers are usually compared, in its versions 3 and 4. Each
//! ray is cast by one call, on a device with one thread and a scene of the default quality. The
//! scene stores its own triangles; positions and indices are borrowed.
#![allow(
    unsafe_code,
    reason = "the library is called as its header requires; the mesh outlives the scene that borrows it"
)]

use std::ffi::{CStr, c_int, c_void};
use std::path::PathBuf;
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicIsize, Ordering};

use crate::embree_library::INVALID;
use crate::embree_library::{
    Cast, Handle, IntersectContext, Library, PointQuery, QueryArguments, QueryContext, RayHit,
};
use crate::mesh::Mesh;
use crate::questions::Ray;
use crate::{Contestant, Tree, morton, triangle};

/// `RTC_SCENE_FLAG_NONE` and `RTC_SCENE_FLAG_ROBUST`.
const FAST: c_int = 0;
const ROBUST: c_int = 1 << 2;
const THREADS: &CStr = c"threads=1";
/// `RTC_GEOMETRY_TYPE_TRIANGLE`.
const TRIANGLE: c_int = 0;
/// `RTC_BUFFER_TYPE_INDEX` with `RTC_FORMAT_UINT3`, and `RTC_BUFFER_TYPE_VERTEX` with
/// `RTC_FORMAT_FLOAT3`.
const INDICES: [c_int; 2] = [0, 0x5003];
const POSITIONS: [c_int; 2] = [1, 0x9003];

/// Returns a contestant for each library, and two variants of the first.
pub fn contestants(files: &[PathBuf]) -> Vec<Contestant> {
    let libraries = files.iter().map(|file| &*Box::leak(Box::new(Library::load(file)))).collect::<Vec<_>>();
    let mut all = libraries.iter().map(|library| contestant("Embree", library, FAST, false)).collect::<Vec<_>>();
    if let Some(library) = libraries.first() {
        all.push(contestant("Embree, robust", library, ROBUST, false));
        all.push(contestant("Embree, rays sorted", library, FAST, true));
    }
    all
}

fn contestant(name: &'static str, library: &'static Library, flags: c_int, sorted: bool) -> Contestant {
    Contestant {
        name,
        version: version(library),
        tolerance: 1,
        build: Box::new(move |mesh| Box::new(Scene::build(library, mesh, flags, sorted))),
    }
}

/// A scene, its device, and the number of bytes that the device has allocated.
struct Scene<'a> {
    library: &'static Library,
    device: Handle,
    scene: Handle,
    bytes: Box<AtomicIsize>,
    /// Whether rays are sorted before they are cast. If they are, only first hits are found.
    sorted: bool,
    mesh: &'a Mesh,
}

impl<'a> Scene<'a> {
    fn build(library: &'static Library, mesh: &'a Mesh, flags: c_int, sorted: bool) -> Self {
        assert!(mesh.positions.capacity() > mesh.positions.len(), "Embree reads 4 bytes after the last position");
        let bytes = Box::new(AtomicIsize::new(0));
        // SAFETY: the calls follow the header. The buffers hold the given number of items, and
        // outlive the scene.
        unsafe {
            let device = (library.new_device)(THREADS.as_ptr());
            (library.monitor_memory)(device, count, from_ref(&*bytes).cast_mut().cast());
            let (scene, geometry) = ((library.new_scene)(device), (library.new_geometry)(device, TRIANGLE));
            lend(library, geometry, POSITIONS, &mesh.positions);
            lend(library, geometry, INDICES, &mesh.triangles);
            (library.commit_geometry)(geometry);
            (library.attach_geometry)(scene, geometry);
            (library.release_geometry)(geometry);
            (library.set_scene_flags)(scene, flags);
            (library.commit_scene)(scene);
            assert_eq!((library.device_error)(device), 0, "Embree could not build the scene");
            Self { library, device, scene, bytes, sorted, mesh }
        }
    }

    fn hit(&self, ray: &Ray) -> f32 {
        let mut hit = RayHit::new(ray);
        self.cast(self.library.intersect, &mut hit);
        if hit.geometry == INVALID { f32::INFINITY } else { hit.far }
    }

    /// Returns 1 if the ray hits anything, and otherwise 0.
    fn is_hit(&self, ray: &Ray) -> f32 {
        let mut hit = RayHit::new(ray);
        self.cast(self.library.occluded, &mut hit);
        f32::from(hit.far == f32::NEG_INFINITY)
    }

    fn cast(&self, cast: Cast, hit: &mut RayHit) {
        // SAFETY: the scene is committed. The context and the ray have the layout in the header.
        // `rtcOccluded1` uses only the fields of the ray, which come first. Version 4 uses its
        // default arguments if there are none.
        unsafe {
            match cast {
                Cast::Three(cast) => {
                    cast(self.scene, &mut IntersectContext { flags: 0, filter: null_mut(), instance: INVALID }, hit);
                }
                Cast::Four(cast) => cast(self.scene, hit, null_mut()),
            }
        }
    }

    fn distance(&self, [x, y, z]: [f32; 3]) -> f32 {
        let mut query = PointQuery { x, y, z, time: 0.0, radius: f32::INFINITY };
        let mut context = QueryContext { transforms: [[0.0; 16]; 2], instance: INVALID, instances: [0; 2] };
        // SAFETY: the scene is committed. The context and the query have the layout in the header.
        // `approach` expects a pointer to a mesh.
        unsafe {
            let mesh = from_ref(self.mesh).cast_mut().cast();
            (self.library.point_query)(self.scene, &mut query, &mut context, approach, mesh);
        }
        query.radius
    }
}

impl Tree for Scene<'_> {
    fn bytes(&self) -> Option<usize> {
        Some(self.bytes.load(Ordering::Relaxed).try_into().unwrap())
    }

    fn closest(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        if self.sorted {
            morton::order(rays).for_each(|number| hits[number] = self.hit(&rays[number]));
        } else {
            rays.iter().zip(hits).for_each(|(ray, hit)| *hit = self.hit(ray));
        }
        true
    }

    fn any(&mut self, rays: &[Ray], hits: &mut [f32]) -> bool {
        if !self.sorted {
            rays.iter().zip(hits).for_each(|(ray, hit)| *hit = self.is_hit(ray));
        }
        !self.sorted
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
            (self.library.release_scene)(self.scene);
            (self.library.release_device)(self.device);
        }
    }
}

/// Passes a buffer with items of 12 bytes to a geometry, which borrows it.
///
/// # Safety
///
/// The items must outlive the geometry, and must have the given format.
unsafe fn lend<T>(library: &Library, geometry: Handle, [buffer, format]: [c_int; 2], items: &[[T; 3]]) {
    // SAFETY: the call follows the header.
    unsafe {
        (library.share_buffer)(geometry, buffer, 0, format, items.as_ptr().cast(), 0, 12, items.len());
    }
}

fn version(library: &Library) -> String {
    // SAFETY: the calls follow the header; 0 is `RTC_DEVICE_PROPERTY_VERSION`.
    let version = unsafe {
        let device = (library.new_device)(THREADS.as_ptr());
        let version = (library.device_property)(device, 0);
        (library.release_device)(device);
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
