//! Tests that the arrays of all formats can be read like a slice: from both ends, by position, in
//! parts, and as a slice of the stored type.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::path::PathBuf;

use bytemuck::Pod;
use meshpeek::array::{ArrayIter, Consecutive};
use meshpeek::decode::{
    Argb8, ByteOrder, EndianFloats, EndianIndex, Floats, Index, Influence3, NormalOf, Packed32, PolygonIndices,
    PolygonUvs, Quat7, Quat8, Unorm8,
};
use meshpeek::io::PrefetchList;
use meshpeek::model::{
    Axis, ColorEncoding, Colors, IndexEncoding, Indices, InterpolatedPositions, NormalEncoding, Normals,
    PositionEncoding, Positions, Space, UvEncoding, Uvs,
};
use meshpeek::{Array, CornerArray, Decode, ErrorKind, Packed, Strided, Surface, Weights};
use zerocopy::FromBytes;

use crate::support::random::Random;

/// The bytes of an item. Items are compared by their bytes, because a float may be a NaN.
fn bytes_of(item: impl Pod) -> Vec<u8> {
    bytemuck::bytes_of(&item).to_vec()
}

/// Checks all ways to read an array against `Array::get`.
fn check<A>(array: A)
where
    A: Array + Debug + IntoIterator<Item = <A as Array>::Item, IntoIter = ArrayIter<A>>,
    for<'r> &'r A: IntoIterator<Item = <A as Array>::Item, IntoIter = ArrayIter<A>>,
{
    let all: Vec<Vec<u8>> = (0..array.len()).map(|index| bytes_of(array.get(index).unwrap())).collect();
    let backward: Vec<_> = all.iter().rev().cloned().collect();
    assert!(array.iter().map(bytes_of).eq(all.iter().cloned()));
    assert!((&array).into_iter().map(bytes_of).eq(all.iter().cloned()));
    assert!(array.into_iter().rev().map(bytes_of).eq(backward.iter().cloned()));
    let push = |mut list: Vec<Vec<u8>>, item| {
        list.push(bytes_of(item));
        list
    };
    assert_eq!(array.fold(Vec::new(), push), all);
    assert!(array.to_vec().into_iter().map(bytes_of).eq(all.iter().cloned()));
    assert_eq!(array.rfold(Vec::new(), push), backward);
    assert_eq!((array.iter().count(), array.iter().last().map(bytes_of)), (all.len(), all.last().cloned()));
    assert!(format!("{:?}", array.iter()).len() < 1024);
    for step in [1, 2, 3, 7, 100] {
        assert!(array.iter().step_by(step).map(bytes_of).eq(all.iter().step_by(step).cloned()));
        assert!(array.iter().rev().step_by(step).map(bytes_of).eq(backward.iter().step_by(step).cloned()));
        assert!(array.iter().skip(step).map(bytes_of).eq(all.iter().skip(step).cloned()));
    }
    check_both_ends(array, &all);
    check_parts(array, &all, 1);
    check_gather(array, &all);
}

/// Reads items in a random order, with and without an index that is out of range.
fn check_gather<A: Array + Debug>(array: A, all: &[Vec<u8>]) {
    array.prefetch_to_cache(array.len());
    array.prefetch_to_cache(usize::MAX);
    let Some(first) = array.get(0) else { return };
    let mut random = Random::new(all.len() as u64);
    let mut indices: Vec<u32> = (0..150).map(|_| random.below(all.len()) as u32).collect();
    let mut out = vec![first; indices.len()];
    array.gather(&indices, &mut out).unwrap();
    assert!(indices.iter().zip(&out).all(|(index, item)| bytes_of(*item) == all[*index as usize]));
    for place in [0, 63, 64, 149] {
        let index = std::mem::replace(&mut indices[place], u32::MAX);
        assert_eq!(array.gather(&indices, &mut out).unwrap_err().kind(), ErrorKind::NoSuch);
        indices[place] = index;
    }
    assert_eq!(array.gather(&indices[1..], &mut out).unwrap_err().kind(), ErrorKind::Buffer);
}

/// Reads an array from both ends in a random order, up to and beyond the end.
fn check_both_ends<A: Array + Debug>(array: A, all: &[Vec<u8>]) {
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let (mut left, mut iter): (VecDeque<_>, _) = (all.iter().cloned().collect(), array.iter());
        for _ in 0..all.len().min(200) + 4 {
            let far = if random.one_in(40) { usize::MAX } else { random.below(left.len() / 8 + 2) };
            let (found, expected) = match random.below(6) {
                0 => (iter.next(), left.pop_front()),
                1 => (iter.next_back(), left.pop_back()),
                2 | 3 => (iter.nth(far), {
                    left.drain(..far.min(left.len()));
                    left.pop_front()
                }),
                4 => (iter.nth_back(far), {
                    left.truncate(left.len().saturating_sub(far));
                    left.pop_back()
                }),
                _ => (iter.clone().next(), left.front().cloned()),
            };
            assert_eq!(found.map(bytes_of), expected);
            assert_eq!((iter.len(), iter.size_hint()), (left.len(), (left.len(), Some(left.len()))));
            let rest = iter.clone().fold(Vec::new(), |mut list, item| {
                list.push(bytes_of(item));
                list
            });
            assert!(rest.iter().eq(&left));
            assert!(iter.clone().rfold(0, |count, _| count + 1) == left.len() && iter.clone().count() == left.len());
        }
        iter.nth(usize::MAX);
        for _ in 0..3 {
            assert!(iter.next().is_none() && iter.next_back().is_none() && iter.nth(1).is_none(), "fused");
        }
    }
}

/// Checks that parts cover an array in order, and that their lengths differ by at most `unit`.
fn check_parts<A: Array>(array: A, all: &[Vec<u8>], unit: usize) {
    for count in (1..=9).chain([all.len() / unit, all.len() + 3]).filter(|count| *count > 0) {
        let parts = array.parts(count);
        assert_eq!(parts.len(), count);
        let lengths: Vec<usize> = parts.clone().map(|part| part.len()).collect();
        assert!(lengths.is_sorted_by(|one, other| one >= other) && lengths[0] - lengths[count - 1] <= unit);
        assert!(lengths.iter().all(|length| length % unit == 0), "{lengths:?}");
        assert!(parts.flat_map(|part| part.iter()).map(bytes_of).eq(all.iter().cloned()));
    }
    assert_eq!((array.parts(0).len(), array.parts(usize::MAX).len()), (0, usize::MAX));
    let last = array.parts(usize::MAX).next_back().unwrap();
    assert!(last.is_empty());
}

#[cfg(feature = "rayon")]
fn check_parallel<A: Array<Item: Send> + Send>(array: A) {
    use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};

    let all: Vec<_> = array.iter().map(bytes_of).collect();
    let (iter, bytes) = (array.par_iter(), |iter: Vec<A::Item>| iter.into_iter().map(bytes_of).collect::<Vec<_>>());
    assert_eq!((iter.len(), iter.opt_len()), (all.len(), Some(all.len())));
    assert_eq!(bytes(array.par_iter().collect()), all);
    assert_eq!(bytes(array.par_iter().with_max_len(3).collect()), all);
    let backward = bytes(array.par_iter().rev().collect());
    assert!(backward.iter().rev().eq(&all));
    let numbered: Vec<_> = array.par_iter().enumerate().map(|(at, item)| bytes_of(item) == all[at]).collect();
    assert!(numbered.into_iter().all(|same| same));
    let middle = all.get(all.len() / 2);
    let place = array.par_iter().position_first(|item| Some(&bytes_of(item)) == middle);
    assert_eq!(place, all.iter().position(|item| Some(item) == middle));
    let zipped: Vec<_> = array.par_iter().zip(array.par_iter().skip(1)).map(|(one, _)| one).collect();
    assert_eq!(bytes(zipped), all[..all.len().saturating_sub(1)]);
}

/// Checks the slice of an array whose items are stored as values of the type `T`. The slice exists
/// only if the bytes are aligned.
fn check_slice<A: Array, T: Pod + Debug>(array: A, is_native: bool, decode: impl Fn(T) -> A::Item) {
    let bytes = array.as_bytes();
    let is_aligned = bytes.is_empty() || bytes.as_ptr().addr().is_multiple_of(align_of::<T>());
    let slice = array.as_slice::<T>();
    assert_eq!(slice.is_some(), is_native && is_aligned);
    if let Some(slice) = slice {
        assert!(slice.iter().map(|item| bytes_of(decode(*item))).eq(array.iter().map(bytes_of)));
    }
}

/// Returns conventions in which the z axis points up.
fn z_up() -> Space {
    Space { up: Some(Axis::Z), forward: Some(Axis::NegativeY), ..Space::GLTF }
}

const IS_LITTLE: bool = cfg!(target_endian = "little");

fn check_indices(indices: Indices<'_>) {
    check(indices);
    let [bytes, halves, words] = match indices {
        Indices(IndexEncoding::U8(_)) => [true, false, false],
        Indices(IndexEncoding::U16(_)) => [false, IS_LITTLE, false],
        Indices(IndexEncoding::U32(_)) => [false, false, IS_LITTLE],
        Indices(IndexEncoding::Endian(array)) => [false, false, IS_LITTLE == (array.decoder().0 == ByteOrder::Little)],
        _ => [false; 3],
    };
    check_slice(indices, bytes, |index: u8| index.into());
    check_slice(indices, halves, |index: u16| index.into());
    check_slice(indices, words, |index: u32| index);
}

fn check_surface(surface: &Surface<'_>) {
    let positions = surface.positions().unwrap();
    check(positions);
    #[cfg(feature = "rayon")]
    check_parallel(positions);
    check_slice(
        positions,
        IS_LITTLE && matches!(positions, Positions(PositionEncoding::F32(_))),
        |position: [f32; 3]| position,
    );
    check(InterpolatedPositions::new(positions, positions, 0.5));
    let converted = z_up().conversion_to(&Space::GLTF).unwrap().array(positions);
    check(converted);
    assert!(converted.as_slice::<[f32; 3]>().is_none());
    if let Some(normals) = surface.normals().unwrap() {
        check(normals);
        check_slice(normals, IS_LITTLE && matches!(normals, Normals(NormalEncoding::F32(_))), |normal: [f32; 3]| {
            normal
        });
    }
    surface.tangent_frames().unwrap().into_iter().for_each(check);
    for uvs in (0..4).filter_map(|set| surface.uvs(set).unwrap()) {
        check(uvs);
        check_slice(uvs, IS_LITTLE && matches!(uvs, Uvs(UvEncoding::F32(_))), |uv: [f32; 2]| uv);
    }
    if let Some(colors) = surface.colors().unwrap() {
        check(colors);
        let unorm = |color: [u8; 4]| color.map(|code| f32::from(code) / 255.0);
        check_slice(colors, matches!(colors, Colors(ColorEncoding::Unorm8(_))), unorm);
    }
    check_indices(surface.indices().unwrap());
    check_indices(surface.attribute_indices().unwrap());
    #[cfg(feature = "rayon")]
    check_parallel(surface.attribute_indices().unwrap());
    let corners = surface.corners().unwrap();
    check_corners(corners);
    surface.weights().unwrap().iter().for_each(check_weights);
}

/// Checks the corners of a surface, whose parts consist of whole triangles.
fn check_corners(corners: meshpeek::Corners<'_>) {
    let all: Vec<_> = (0..corners.len()).map(|index| bytes_of(corners.get(index).unwrap())).collect();
    assert!(corners.iter().map(bytes_of).eq(all.iter().cloned()));
    assert!(corners.into_iter().rev().map(bytes_of).eq(all.iter().rev().cloned()));
    assert!((&corners).into_iter().map(bytes_of).eq(all.iter().cloned()));
    let backward = corners.rfold(Vec::new(), |mut list, corner| {
        list.push(bytes_of(corner));
        list
    });
    assert!(backward.iter().eq(all.iter().rev()));
    check_both_ends(corners, &all);
    check_parts(corners, &all, 3);
    #[cfg(feature = "rayon")]
    check_parallel(corners);
    assert_eq!(corners.triangle_count() as usize, all.len() / 3);
    for number in 0..corners.triangle_count() {
        let triangle = corners.triangle(number).unwrap();
        assert!(triangle.map(bytes_of).iter().eq(&all[number as usize * 3..][..3]));
    }
    assert!([corners.triangle_count(), u32::MAX].iter().all(|number| corners.triangle(*number).is_none()));
}

fn check_weights(weights: &Weights<'_>) {
    type List = Vec<(i32, u32)>;
    fn list(influences: meshpeek::model::Influences<'_>) -> List {
        check(influences);
        influences.iter().map(|one| (one.bone, one.weight.to_bits())).collect()
    }
    // The first list is made before the index of the lists, and the second one after it.
    for _ in 0..2 {
        let mut parts = PrefetchList::default();
        (0..weights.len()).for_each(|vertex| weights.list_item(vertex as u32, &mut parts));
        assert!(weights.is_empty() || (weights.len()..=weights.len() * 2).contains(&parts.len()));
        let listed = parts.len();
        for vertex in [weights.len() as u32, u32::MAX] {
            weights.list_item(vertex, &mut parts);
        }
        assert_eq!(parts.len(), listed);
        for vertex in [0, weights.len() as u32, u32::MAX] {
            weights.prefetch_to_cache(vertex);
        }
    }
    let all: Vec<List> = (0..weights.len()).map(|vertex| list(weights.get(vertex as u32).unwrap())).collect();
    let bytes = weights.as_bytes().as_ptr_range();
    assert!(weights.iter().all(|one| one.is_empty()
        || matches!(one, meshpeek::model::Influences(meshpeek::model::InfluenceEncoding::Fixed(_)))
        || {
            let own = one.as_bytes().as_ptr_range();
            bytes.start <= own.start && own.end <= bytes.end
        }));
    weights.prefetch();
    assert!(weights.iter().map(list).eq(all.iter().cloned()) && weights.iter().count() == all.len());
    assert!(weights.into_iter().map(list).eq(all.iter().cloned()));
    assert!((*weights).into_iter().map(list).eq(all.iter().cloned()));
    for step in [1, 2, 5] {
        assert!(weights.iter().step_by(step).map(list).eq(all.iter().step_by(step).cloned()));
        let mut iter = weights.iter();
        assert_eq!(
            (iter.nth(step).map(list), iter.next().map(list)),
            (all.get(step).cloned(), all.get(step + 1).cloned())
        );
        assert!(iter.nth(usize::MAX).is_none() && iter.next().is_none() && iter.next().is_none());
    }
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
        assert_eq!(weights.par_iter().len(), all.len());
        assert_eq!(weights.par_iter().with_max_len(3).map(list).collect::<Vec<_>>(), all);
        assert!(weights.par_iter().rev().map(list).collect::<Vec<_>>().iter().rev().eq(&all));
    }
}

#[test]
fn all_samples_are_read_like_slices() {
    let folders = ["unigine", "unreal", "secondlife", "ezmesh"].map(|format| PathBuf::from("data").join(format));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut surfaces = 0;
    for path in files.map(|entry| entry.unwrap().path()) {
        let is_mesh = |ending| path.to_str().unwrap().ends_with(ending);
        if !["mesh", "_d.3d", ".asset", ".slm", ".ezm", ".ezb"].into_iter().any(is_mesh) {
            continue;
        }
        let model = meshpeek::open(&path).unwrap();
        for surface in model.surfaces().unwrap() {
            check_surface(&surface);
            surfaces += 1;
        }
    }
    assert!(surfaces > 40, "{surfaces}");
}

fn packed<D: Decode>(bytes: &[u8], decode: D) {
    let raw = <[D::Raw]>::ref_from_prefix_with_elems(bytes, bytes.len() / size_of::<D::Raw>()).unwrap().0;
    check(Packed::new(raw, decode));
    let stride = size_of::<D::Raw>() + 3;
    let records = &bytes[..bytes.len() / stride * stride];
    check(Strided::new(records, stride, 2, decode).unwrap());
}

#[test]
fn all_encodings_are_read_like_slices() {
    let mut random = Random::new(5);
    for len in [0, 1, 7, 700] {
        // All bytes are less than 64, so that the vertices of polygons are small.
        let bytes: Vec<u8> = (0..len).map(|_| (random.next() % 64) as u8).collect();
        packed(&bytes, EndianFloats::<3>(ByteOrder::Big));
        packed(&bytes, Packed32);
        packed(&bytes, Quat7);
        packed(&bytes, NormalOf(Quat8));
        packed(&bytes, Influence3);
        packed(&bytes, Index::<u8>::new());
        packed(&bytes, EndianIndex(ByteOrder::Big));
        check(Consecutive::new(len as u32));
        check(Consecutive::new(len as u32 + 2).slice(1..len + 1).unwrap());
        let records = <[meshpeek::unreal::RawPolygon]>::ref_from_prefix_with_elems(&bytes, len / 16).unwrap().0;
        let picks: Vec<u16> = (0..records.len() as u16).rev().collect();
        check(CornerArray::new(records, &picks, PolygonIndices));
        if !picks.is_empty() {
            check(CornerArray::new(records, &picks, PolygonUvs::<255>).slice(1..picks.len() * 3 - 1).unwrap());
        }
    }
}

#[test]
fn a_slice_needs_alignment_and_the_byte_order_of_the_machine() {
    let words: Vec<u32> = (0..12).map(|word| 0x3f80_0102_u32.wrapping_mul(word + 1)).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    for start in 0..4 {
        let (part, is_aligned) = (&bytes[start..start + 36], start == 0);
        let triples = FromBytes::ref_from_bytes(part).unwrap();
        check_slice(Packed::new(triples, Floats::<3>), IS_LITTLE, |item: [f32; 3]| item);
        assert_eq!(Packed::new(triples, Floats::<3>).as_slice::<[f32; 3]>().is_some(), IS_LITTLE && is_aligned);
        assert!(Packed::new(triples, Floats::<3>).as_slice::<[u32; 3]>().is_none(), "another type");
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let is_native = IS_LITTLE == (order == ByteOrder::Little);
            let decode = EndianFloats::<3>(order);
            check_slice(Packed::new(FromBytes::ref_from_bytes(part).unwrap(), decode), is_native, |item: [f32; 3]| {
                item
            });
            let dense = Strided::new(part, 12, 0, decode).unwrap();
            assert_eq!(dense.as_slice::<[f32; 3]>().is_some(), is_native && is_aligned);
            check_slice(dense, is_native, |item: [f32; 3]| item);
            let gaps = Strided::new(part, 18, 0, decode).unwrap();
            assert!(gaps.as_slice::<[f32; 3]>().is_none(), "gaps");
            let indices = Packed::new(FromBytes::ref_from_bytes(part).unwrap(), EndianIndex(order));
            check_indices(Indices(IndexEncoding::Endian(indices)));
        }
        check_indices(Indices(IndexEncoding::U8(Packed::new(part, Index::new()))));
        check_indices(Indices(IndexEncoding::U16(Packed::new(FromBytes::ref_from_bytes(part).unwrap(), Index::new()))));
        check_indices(Indices(IndexEncoding::U32(Packed::new(FromBytes::ref_from_bytes(part).unwrap(), Index::new()))));
        let colors = Colors(ColorEncoding::Unorm8(Packed::new(FromBytes::ref_from_bytes(part).unwrap(), Unorm8)));
        assert_eq!(colors.as_slice::<[u8; 4]>().unwrap().as_flattened(), part);
        let words = FromBytes::ref_from_bytes(part).unwrap();
        let argb = Colors(ColorEncoding::Argb8(Packed::new(words, Argb8(ByteOrder::Little))));
        assert!(argb.as_slice::<[u8; 4]>().is_none(), "the order of the components is another");
    }
    let none = Packed::new(&[], Floats::<3>);
    assert_eq!(none.as_slice::<[f32; 3]>(), Some(&[][..]));
    assert!(Consecutive::new(3).as_slice::<u32>().is_none(), "computed");
}

/// A record of a selected triangle is missing: an iterator ends, and stays ended.
#[test]
fn an_iterator_stays_ended_after_a_missing_record() {
    let records = [meshpeek::unreal::RawPolygon::default(); 2];
    let array = CornerArray::new(&records, &[0, 7, 1], PolygonIndices);
    let mut iter = array.iter();
    assert_eq!((iter.by_ref().take(3).count(), iter.next(), iter.next_back(), iter.len()), (3, None, None, 0));
    let mut iter = array.iter();
    assert_eq!((iter.nth_back(2), iter.next_back(), iter.next()), (Some(0), None, None));
}
