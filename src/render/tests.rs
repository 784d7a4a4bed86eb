//! Tests of overlays and styles: draws small meshes, and looks at the pixels.

use super::overlay::stroke::StrokeInk;
use super::srgb::{MAX, encode};
use super::{Background, Camera, MeshPicture, Overlay, PictureOptions, SceneInput, Shading, draw};
use crate::scene::ColorUse;
use crate::simd::at_each_level;
use crate::{ErrorKind, Model};

const WHITE: [u8; 4] = [255; 4];

fn data(name: &str) -> String {
    std::fs::read_to_string(format!("data/{name}")).unwrap()
}

fn options(size: u32) -> PictureOptions {
    PictureOptions::default()
        .with_size([size; 2])
        .with_camera(Camera::FRONT)
        .with_background(Background::Color([255; 3]))
}

fn drawn(bytes: &[u8], options: &PictureOptions) -> crate::Result<MeshPicture> {
    let model = Model::open(bytes.to_vec())?;
    draw(&SceneInput::new(&model), options)
}

/// Draws a sample.
fn sample(name: &str, options: &PictureOptions) -> MeshPicture {
    drawn(&std::fs::read(format!("data/{name}")).unwrap(), options).unwrap()
}

/// Returns the number of pixels of a colour.
fn count(drawn: &MeshPicture, color: [u8; 4]) -> usize {
    drawn.picture.pixels().iter().filter(|pixel| **pixel == color).count()
}

fn pixel(drawn: &MeshPicture, [x, y]: [usize; 2]) -> [u8; 4] {
    let [width, _] = drawn.picture.size();
    drawn.picture.pixels()[y * usize::try_from(width).unwrap() + x]
}

/// Returns the pixel that an ink covers whole.
fn ink(ink: StrokeInk) -> [u8; 4] {
    let [r, g, b] = ink.color().map(|part| {
        #[allow(
            clippy::as_conversions,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 65,532"
        )]
        let linear = (part * f32::from(MAX)) as u16;
        encode(linear)
    });
    [r, g, b, 255]
}

/// Returns the number of pixels whose colour is that of an ink, or nearly.
fn inked(drawn: &MeshPicture, color: StrokeInk) -> usize {
    let expected = ink(color);
    let is_near = |pixel: &&[u8; 4]| pixel.iter().zip(expected).all(|(one, other)| one.abs_diff(other) <= 2);
    drawn.picture.pixels().iter().filter(is_near).count()
}

#[test]
fn a_wireframe_is_lines_on_the_background() {
    let drawn = sample("ezmesh/crate.ezm", &options(64).with_shading(Shading::Wireframe));
    let dark = drawn.picture.pixels().iter().filter(|[r, ..]| *r < 200).count();
    assert!(dark > 100 && count(&drawn, WHITE) > 64 * 64 * 3 / 4, "{dark} {}", count(&drawn, WHITE));
    // The corners of the front are visible, and the corners of the back are not.
    assert_eq!(pixel(&drawn, [42, 26]), WHITE);
    let clear = options(64).with_shading(Shading::Wireframe).with_background(Background::Transparent);
    let clear = sample("ezmesh/crate.ezm", &clear);
    assert_eq!(pixel(&clear, [42, 26]), [0; 4]);
    assert!(clear.picture.pixels().iter().any(|[.., alpha]| *alpha > 0 && *alpha < 255));
}

#[test]
fn a_wireframe_overlay_darkens_edges_only() {
    let plain = sample("ezmesh/crate.ezm", &options(64));
    let lines = sample("ezmesh/crate.ezm", &options(64).with_overlays(vec![Overlay::Wireframe]));
    assert_eq!(pixel(&plain, [42, 26]), pixel(&lines, [42, 26]));
    let darker = plain.picture.pixels().iter().zip(lines.picture.pixels());
    let darker = darker.filter(|([one, ..], [other, ..])| other < one).count();
    assert!(darker > 100 && darker < 64 * 64 / 4, "{darker}");
}

#[test]
fn bounds_normals_and_hulls_have_their_inks() {
    let large = |overlay| options(256).with_camera(Camera::ISO).with_overlays(vec![overlay]);
    assert!(inked(&sample("ezmesh/flag.ezm", &large(Overlay::Bounds)), StrokeInk::Bounds) > 100);
    assert!(inked(&sample("ezmesh/crate.ezm", &large(Overlay::Normals)), StrokeInk::Normals) > 10);
    assert!(inked(&sample("secondlife/rock.llmesh", &large(Overlay::Hulls)), StrokeInk::Hulls) > 50);
    let plain = sample("ezmesh/crate.ezm", &options(256).with_camera(Camera::ISO));
    assert_eq!(sample("ezmesh/crate.ezm", &large(Overlay::Hulls)), plain);
}

#[test]
fn bones_are_in_front_of_the_mesh() {
    let skeleton = options(256).with_overlays(vec![Overlay::Skeleton]);
    let drawn = sample("ezmesh/flag.ezm", &skeleton);
    assert_eq!((drawn.bones, drawn.triangles), (3, 16));
    assert!(inked(&drawn, StrokeInk::Bones) > 100);
    let back = sample("ezmesh/flag.ezm", &skeleton.clone().with_camera(Camera::BACK));
    assert!(inked(&back, StrokeInk::Bones) > 100);
    let moved = sample("ezmesh/flag.ezm", &skeleton.clone().with_camera(Camera::TOP).with_frame(Some(1.0)));
    let first = sample("ezmesh/flag.ezm", &skeleton.with_camera(Camera::TOP).with_frame(Some(0.0)));
    assert!(inked(&moved, StrokeInk::Bones) > 50 && moved.picture != first.picture);
}

#[test]
fn a_file_of_bones_shows_them() {
    let iso = options(256).with_camera(Camera::ISO);
    let drawn = sample("unigine/bend_an10.anim", &iso);
    assert!(drawn.bones > 1 && drawn.triangles == 0 && inked(&drawn, StrokeInk::Bones) > 50, "{}", drawn.bones);
    let error = drawn_error("unigine/bend_an10.anim", &iso.with_frame(Some(1e6)));
    assert_eq!(error, ErrorKind::NoSuch);
}

fn drawn_error(name: &str, options: &PictureOptions) -> ErrorKind {
    drawn(&std::fs::read(format!("data/{name}")).unwrap(), options).unwrap_err().kind()
}

#[test]
fn surfaces_have_colors_of_their_own() {
    let colors = |camera| {
        let drawn = sample("ezmesh/crate.ezm", &options(64).with_shading(Shading::Surfaces).with_camera(camera));
        pixel(&drawn, [32, 32])
    };
    let ([red, _, blue, _], [other_red, _, other_blue, _]) = (colors(Camera::FRONT), colors(Camera::TOP));
    assert!(blue > red && other_red > other_blue);
}

#[test]
fn strange_bones_are_left_out() {
    let flag = data("ezmesh/flag.ezm");
    let all = options(64).with_overlays(vec![Overlay::Skeleton, Overlay::Normals, Overlay::Bounds, Overlay::Hulls]);
    let lost = flag.replace("position=\"0.5 0 0\"", "position=\"nan 0 0\"");
    let lost = drawn(lost.as_bytes(), &all).unwrap();
    assert_eq!((lost.bones, lost.triangles), (1, 16));
    let far = flag.replace("position=\"0.375 0 0\"", "position=\"3e38 0 0\"");
    assert_eq!(drawn(far.as_bytes(), &all).unwrap().bones, 2);
    let cyclic = flag.replace("<Bone name=\"pole\"", "<Bone name=\"pole\" parent=\"cloth\"");
    assert_eq!(drawn(cyclic.as_bytes(), &all).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(drawn(cyclic.as_bytes(), &options(64)).unwrap().triangles, 16);
}

#[test]
fn strange_vertices_and_sizes_are_drawn() {
    let all = vec![Overlay::Wireframe, Overlay::Skeleton, Overlay::Normals, Overlay::Bounds, Overlay::Hulls];
    let broken = data("ezmesh/flag.ezm")
        .replace("1 1 0 0 0 1 FF7F4020", "inf 1 0 0 nan 1 FF7F4020")
        .replace("0.5 1.5 0 0 0 1", "3e38 -3e38 3e38 0 0 0");
    for shading in [Shading::Smooth, Shading::Wireframe, Shading::Surfaces, Shading::Uv] {
        for size in [[0, 0], [0, 9], [9, 0], [1, 1], [3, 70]] {
            let options = options(1).with_size(size).with_shading(shading).with_overlays(all.clone());
            assert_eq!(drawn(broken.as_bytes(), &options).unwrap().picture.size(), size);
        }
    }
    let close = Camera::look_at([0.5, 1.0, 0.3], [0.4, 1.0, 0.0]);
    let near = options(512).with_camera(close).with_overlays(all);
    assert!(inked(&drawn(data("ezmesh/flag.ezm").as_bytes(), &near).unwrap(), StrokeInk::Bones) > 0);
}

#[test]
fn a_uv_layout_is_the_unit_square() {
    let layout = options(100).with_shading(Shading::Uv);
    let crate_ = sample("ezmesh/crate.ezm", &layout);
    let (inside, outside) = (pixel(&crate_, [60, 40]), pixel(&crate_, [1, 50]));
    assert_eq!((crate_.triangles, outside), (12, WHITE));
    // Each of the six sides of the crate covers the whole square.
    let flag = sample("ezmesh/flag.ezm", &layout);
    let once = pixel(&flag, [40, 66]);
    let light = |[r, g, b, _]: [u8; 4]| u32::from(r) + u32::from(g) + u32::from(b);
    assert!(light(inside) < light(once) && light(once) < light(WHITE), "{inside:?} {once:?}");
    assert_eq!(drawn_error("ezmesh/crate.ezm", &layout.clone().with_uv_set(1)), ErrorKind::NoSuch);
    let far = data("ezmesh/crate.ezm").replace("0.5 0.5 0.5 1 0 0 0 0,", "0.5 0.5 0.5 1 0 0 nan 0,");
    let far =
        drawn(far.replace("0.5 -0.5 -0.5 0 0 -1 0 1", "0.5 -0.5 -0.5 0 0 -1 1e30 1").as_bytes(), &layout).unwrap();
    assert_eq!((far.triangles, far.left_out.not_finite), (10, 2));
}

#[test]
fn pictures_are_equal_at_each_level() {
    let all = vec![Overlay::Wireframe, Overlay::Skeleton, Overlay::Normals, Overlay::Bounds, Overlay::Hulls];
    for shading in [Shading::Smooth, Shading::Wireframe, Shading::Surfaces, Shading::Uv] {
        let options = options(64).with_camera(Camera::ISO).with_shading(shading).with_overlays(all.clone());
        for name in ["ezmesh/flag.ezm", "secondlife/rock.llmesh", "unigine/room_ms14.mesh"] {
            let mut first = None;
            at_each_level(|level| {
                let drawn = sample(name, &options);
                assert!(*first.get_or_insert_with(|| drawn.clone()) == drawn, "{name} {shading:?} {level:?}");
            });
        }
    }
}

#[test]
fn pictures_of_all_samples_are_equal_at_each_level() {
    let mut count = 0;
    for folder in ["unigine", "unreal", "ezmesh", "secondlife"] {
        for entry in std::fs::read_dir(format!("data/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            let Ok(model) = crate::open(&path) else { continue };
            let options = options(48).with_camera(Camera::ISO);
            let mut first = None;
            at_each_level(|level| {
                let drawn = draw(&SceneInput::new(&model), &options).unwrap();
                assert!(*first.get_or_insert_with(|| drawn.clone()) == drawn, "{} {level:?}", path.display());
            });
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn pictures_of_several_bands_have_no_seams() {
    let all = vec![Overlay::Wireframe, Overlay::Bounds, Overlay::Skeleton];
    for shading in [Shading::Smooth, Shading::Uv] {
        let camera = Camera::look_at([1.5, 2.0, 3.0], [0.5, 1.25, 0.0]);
        let options = options(1).with_shading(shading).with_overlays(all.clone()).with_camera(camera);
        // A picture of 2,100 columns is drawn in bands of 499 rows.
        let wide = sample("ezmesh/flag.ezm", &options.clone().with_size([2100, 520]));
        let narrow = sample("ezmesh/flag.ezm", &options.with_size([520, 520]));
        let middle = wide.picture.rows().flat_map(|row| &row[790..1310]);
        let is_far = |(one, other): &(&[u8; 4], &[u8; 4])| one.iter().zip(*other).any(|(a, b)| a.abs_diff(*b) > 16);
        let differing = middle.zip(narrow.picture.pixels()).filter(is_far).count();
        assert!(differing < 100, "{shading:?} {differing}");
    }
}

/// Returns a mesh with triangles that all cover the same part of the picture.
fn layers(count: usize) -> Vec<u8> {
    let corners = "-1 -1 0 0 0, 1 -1 0 1 0, 0 1 0 0 1";
    let (kinds, triangles) = ("ctype=\"fff ff\" semantic=\"position texcoord1\"", "0 1 2, ".repeat(count));
    format!(
        "<MeshSystem><Meshes count=\"1\"><Mesh name=\"m\" submesh_count=\"1\">\
         <vertexbuffer count=\"3\" {kinds}>{corners}</vertexbuffer><MeshSection material=\"m\" {kinds}>\
         <indexbuffer triangle_count=\"{count}\">{triangles}</indexbuffer></MeshSection></Mesh></Meshes></MeshSystem>"
    )
    .into_bytes()
}

#[test]
fn triangles_that_cover_the_picture_again_and_again_are_left_out() {
    // The layout of texture coordinates takes less for a pixel.
    let styles = [Shading::Smooth, Shading::Facets, Shading::Wireframe, Shading::Surfaces].map(|style| (style, 64));
    for (style, size) in styles.into_iter().chain([(Shading::Uv, 128)]) {
        let options = options(size).with_shading(style);
        let some = drawn(&layers(30), &options).unwrap();
        assert_eq!(some.left_out.too_deep, 0, "{style:?}");
        let many = drawn(&layers(3000), &options).unwrap();
        assert!(many.left_out.too_deep > 100, "{style:?}: {:?}", many.left_out);
        assert_eq!((many.triangles, many.picture == some.picture), (3000, true), "{style:?}");
    }
}

#[test]
fn overlays_are_drawn_over_too_many_triangles() {
    let all = options(64).with_overlays(vec![Overlay::Wireframe, Overlay::Bounds, Overlay::Normals, Overlay::Skeleton]);
    let drawn = drawn(&layers(1000), &all).unwrap();
    assert!(drawn.left_out_lines == 0 && inked(&drawn, StrokeInk::Bounds) > 50, "{}", drawn.left_out_lines);
}

/// Returns an EZ-Mesh of one roof of two slopes, with a colour and a normal for each vertex.
fn roof(colors: [u32; 4], normals: Option<[[f32; 3]; 4]>) -> Vec<u8> {
    let positions = ["-1 0 0", "1 0 0", "-1 1 -1", "1 1 1"];
    let vertices = positions.iter().zip(colors).enumerate().map(|(vertex, (position, color))| {
        let normal = normals.map(|normals| normals[vertex].map(|part| part.to_string()).join(" ")).unwrap_or_default();
        format!("{position} {normal} {color:08X}")
    });
    let vertices = vertices.collect::<Vec<_>>().join(", ");
    let kinds = if normals.is_some() {
        "ctype=\"fff fff x4\" semantic=\"position normal color\""
    } else {
        "ctype=\"fff x4\" semantic=\"position color\""
    };
    format!(
        "<MeshSystem><Meshes count=\"1\"><Mesh name=\"m\" submesh_count=\"1\">\
         <vertexbuffer count=\"4\" {kinds}>{vertices}</vertexbuffer><MeshSection material=\"m\" {kinds}>\
         <indexbuffer triangle_count=\"2\">0 1 2, 1 3 2</indexbuffer></MeshSection></Mesh></Meshes></MeshSystem>"
    )
    .into_bytes()
}

#[test]
fn colors_that_are_all_black_or_all_white_are_not_drawn() {
    let (black, white) = (0xFF00_0000, 0xFFFF_FFFF);
    let picture = |colors, used| drawn(&roof(colors, None), &options(64).with_colors(used)).unwrap().picture;
    let clay = picture([white; 4], ColorUse::Nothing);
    for (colors, is_drawn) in [
        ([black; 4], false),
        ([0xFF01_0101; 4], false),
        ([0xFF03_0201; 4], false),
        ([white; 4], false),
        ([0xFFFC_FDFE; 4], false),
        ([0xFF04_0000; 4], true),
        ([0xFFFB_FFFF; 4], true),
        ([black, white, black, white], true),
        ([0xFF01_0101, 0xFFFE_FEFE, 0xFF01_0101, black], true),
        ([0xFF80_8080; 4], true),
    ] {
        assert_eq!(picture(colors, ColorUse::Stored) != clay, is_drawn, "{colors:08X?}");
        assert_eq!(picture(colors, ColorUse::Data), clay);
        assert_ne!(picture(colors, ColorUse::Albedo), clay);
    }
}

#[test]
fn colors_of_unigine_are_data() {
    let lamp = options(64).with_surfaces(Some(vec![1]));
    let picture = |used| sample("unigine/room_ms11.mesh", &lamp.clone().with_colors(used)).picture;
    assert_eq!(picture(ColorUse::Stored), picture(ColorUse::Nothing));
    assert_ne!(picture(ColorUse::Stored), picture(ColorUse::Albedo));
}

#[test]
fn equal_normals_of_triangles_that_face_other_ways_are_computed() {
    let picture = |normals| drawn(&roof([0xFFFF_FFFF; 4], normals), &options(64)).unwrap().picture;
    let computed = picture(None);
    for normal in [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0; 3], [0.0, -0.999, 0.001]] {
        assert_eq!(picture(Some([normal; 4])), computed, "{normal:?}");
    }
    let rounded = [[0.0, 1.0, 0.0], [0.0, 0.999, 0.003], [0.003, 0.999, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(picture(Some(rounded)), computed);
    let mut own = [[0.0, 1.0, 0.0]; 4];
    own[3] = [0.0, 0.6, 0.8];
    assert_ne!(picture(Some(own)), computed);
}
