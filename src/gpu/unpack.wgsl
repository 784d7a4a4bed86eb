// Decoders of the attributes of mesh files. The shader that contains this text declares the storage
// buffer with the bytes of the file as little-endian words:
//
//     @group(0) @binding(0) var<storage, read> meshpeek_words: array<u32>;
//
// `at` is the byte offset of an item in this buffer, and may be any number. No word without a byte
// of the item is read.

// Returns the byte at `at`.
fn meshpeek_unpack_u8(at: u32) -> u32 {
    return (meshpeek_words[at >> 2u] >> ((at & 3u) << 3u)) & 0xffu;
}

// Returns the two bytes at `at` as a little-endian integer. The second word is the first word again
// if that contains both bytes.
fn meshpeek_unpack_u16(at: u32) -> u32 {
    let shift = (at & 3u) << 3u;
    let low = meshpeek_words[at >> 2u] >> shift;
    let high = (meshpeek_words[(at + 1u) >> 2u] << 1u) << (31u - shift);
    return (low | high) & 0xffffu;
}

// Returns the four bytes at `at` as a little-endian integer. `high` is 0 if `at` is aligned.
fn meshpeek_unpack_u32(at: u32) -> u32 {
    let shift = (at & 3u) << 3u;
    let low = meshpeek_words[at >> 2u] >> shift;
    let high = (meshpeek_words[(at + 3u) >> 2u] << 1u) << (31u - shift);
    return low | high;
}

// Returns the two bytes at `at` as a little-endian signed integer.
fn meshpeek_unpack_i16(at: u32) -> i32 {
    return bitcast<i32>(meshpeek_unpack_u16(at) << 16u) >> 16u;
}

// Returns the four bytes at `at` as a big-endian integer.
fn meshpeek_unpack_u32_big_endian(at: u32) -> u32 {
    let word = meshpeek_unpack_u32(at);
    return (word << 24u) | ((word & 0xff00u) << 8u) | ((word >> 8u) & 0xff00u) | (word >> 24u);
}

// Returns the binary fraction whose first 64 digits are `high` and `low`, rounded to the nearest
// f32. More digits that are not 0 follow, so the fraction is never midway between two floats. At
// least one of the first 31 digits is 1, or `high` is 0 and the fraction is 0.
fn meshpeek_unpack_fraction(high: u32, low: u32) -> f32 {
    let zeros = min(countLeadingZeros(high), 31u);
    let digits = (high << zeros) | ((low >> 1u) >> (31u - zeros));
    let rounded = (digits >> 8u) + ((digits >> 7u) & 1u);
    return bitcast<f32>(select(((125u - zeros) << 23u) + rounded, 0u, high == 0u));
}

// Returns code / 255, rounded to the nearest f32. The digits of code / 255 are those of `code`,
// again and again.
fn meshpeek_unpack_unorm8_code(code: u32) -> f32 {
    let digits = code * 0x01010101u;
    return meshpeek_unpack_fraction(digits, digits);
}

// Returns code / 65535, rounded to the nearest f32.
fn meshpeek_unpack_unorm16_code(code: u32) -> f32 {
    let digits = code * 0x00010001u;
    return meshpeek_unpack_fraction(digits, digits);
}

// Returns code / 32767, rounded to the nearest f32. The code -32768 is -1.0000305, not -1.
fn meshpeek_unpack_snorm16_code(code: i32) -> f32 {
    let size = bitcast<u32>(abs(code));
    let high = (size << 17u) | (size << 2u) | (size >> 13u);
    let low = (size << 19u) | (size << 4u) | (size >> 11u);
    let fraction = bitcast<u32>(meshpeek_unpack_fraction(high, low));
    let sign = bitcast<u32>(code) & 0x80000000u;
    return bitcast<f32>(select(fraction, 0x3f800100u, size == 32768u) | sign);
}

// Two little-endian floats.
fn meshpeek_unpack_f32x2(at: u32) -> vec2<f32> {
    return vec2<f32>(bitcast<f32>(meshpeek_unpack_u32(at)), bitcast<f32>(meshpeek_unpack_u32(at + 4u)));
}

// Three little-endian floats.
fn meshpeek_unpack_f32x3(at: u32) -> vec3<f32> {
    return vec3<f32>(meshpeek_unpack_f32x2(at), bitcast<f32>(meshpeek_unpack_u32(at + 8u)));
}

// Two big-endian floats.
fn meshpeek_unpack_f32x2_big_endian(at: u32) -> vec2<f32> {
    let x = meshpeek_unpack_u32_big_endian(at);
    let y = meshpeek_unpack_u32_big_endian(at + 4u);
    return vec2<f32>(bitcast<f32>(x), bitcast<f32>(y));
}

// Three big-endian floats.
fn meshpeek_unpack_f32x3_big_endian(at: u32) -> vec3<f32> {
    let z = meshpeek_unpack_u32_big_endian(at + 8u);
    return vec3<f32>(meshpeek_unpack_f32x2_big_endian(at), bitcast<f32>(z));
}

// A position of 11, 11 and 10 bits.
fn meshpeek_unpack_packed32(at: u32) -> vec3<f32> {
    let word = bitcast<i32>(meshpeek_unpack_u32(at));
    return vec3<f32>(f32((word << 21u) >> 21u), f32((word << 10u) >> 21u), f32(word >> 22u));
}

// A position of three 16-bit integers.
fn meshpeek_unpack_packed64(at: u32) -> vec3<f32> {
    let x = f32(meshpeek_unpack_i16(at));
    let y = f32(meshpeek_unpack_i16(at + 2u));
    let z = f32(meshpeek_unpack_i16(at + 4u));
    return vec3<f32>(x, y, z);
}

// Two codes of 16 bits: code / 65535.
fn meshpeek_unpack_unorm16x2(at: u32) -> vec2<f32> {
    let x = meshpeek_unpack_unorm16_code(meshpeek_unpack_u16(at));
    let y = meshpeek_unpack_unorm16_code(meshpeek_unpack_u16(at + 2u));
    return vec2<f32>(x, y);
}

// Three codes of 16 bits: code / 65535.
fn meshpeek_unpack_unorm16x3(at: u32) -> vec3<f32> {
    let z = meshpeek_unpack_unorm16_code(meshpeek_unpack_u16(at + 4u));
    return vec3<f32>(meshpeek_unpack_unorm16x2(at), z);
}

// Two codes of 16 bits in intervals that start at `offset` and have the length `scale`.
fn meshpeek_unpack_min_max16x2(at: u32, offset: vec4<f32>, scale: vec4<f32>) -> vec2<f32> {
    return meshpeek_unpack_unorm16x2(at) * scale.xy + offset.xy;
}

// Three codes of 16 bits in intervals that start at `offset` and have the length `scale`.
fn meshpeek_unpack_min_max16x3(at: u32, offset: vec4<f32>, scale: vec4<f32>) -> vec3<f32> {
    return meshpeek_unpack_unorm16x3(at) * scale.xyz + offset.xyz;
}

// A normal of three codes of 16 bits.
fn meshpeek_unpack_unit16(at: u32) -> vec3<f32> {
    return meshpeek_unpack_unorm16x3(at) * 2.0 - 1.0;
}

// Returns a quaternion scaled to unit length, or the identity if all components are 0.
fn meshpeek_unpack_unit(rotation: vec4<f32>) -> vec4<f32> {
    let squares = rotation * rotation;
    let square = squares.x + squares.y + squares.z + squares.w;
    let is_valid = square > 0.0;
    let scale = 1.0 / sqrt(select(1.0, square, is_valid));
    return select(vec4<f32>(0.0, 0.0, 0.0, 1.0), rotation * scale, is_valid);
}

// Returns the Z axis of a rotation: the normal.
fn meshpeek_unpack_normal(q: vec4<f32>) -> vec3<f32> {
    let x = 2.0 * (q.x * q.z + q.y * q.w);
    let y = 2.0 * (q.y * q.z - q.x * q.w);
    let z = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
    return vec3<f32>(x, y, z);
}

// Returns the X axis of a rotation: the tangent.
fn meshpeek_unpack_tangent(q: vec4<f32>) -> vec3<f32> {
    let x = 1.0 - 2.0 * (q.y * q.y + q.z * q.z);
    let y = 2.0 * (q.x * q.y + q.z * q.w);
    let z = 2.0 * (q.x * q.z - q.y * q.w);
    return vec3<f32>(x, y, z);
}

// The rotation of a tangent frame in eight bytes.
fn meshpeek_unpack_quat8(at: u32) -> vec4<f32> {
    let x = meshpeek_unpack_snorm16_code(meshpeek_unpack_i16(at));
    let y = meshpeek_unpack_snorm16_code(meshpeek_unpack_i16(at + 2u));
    let z = meshpeek_unpack_snorm16_code(meshpeek_unpack_i16(at + 4u));
    let w = meshpeek_unpack_snorm16_code(meshpeek_unpack_i16(at + 6u));
    return meshpeek_unpack_unit(vec4<f32>(x, y, z, w));
}

// The normal of a tangent frame in eight bytes.
fn meshpeek_unpack_quat8_normal(at: u32) -> vec3<f32> {
    return meshpeek_unpack_normal(meshpeek_unpack_quat8(at));
}

// The tangent and the handedness of a tangent frame in eight bytes.
fn meshpeek_unpack_quat8_tangent(at: u32) -> vec4<f32> {
    let handedness = select(1.0, -1.0, meshpeek_unpack_i16(at + 6u) < 0i);
    return vec4<f32>(meshpeek_unpack_tangent(meshpeek_unpack_quat8(at)), handedness);
}

// The rotation of a tangent frame in seven bytes.
fn meshpeek_unpack_quat7(at: u32) -> vec4<f32> {
    let x = meshpeek_unpack_snorm16_code(meshpeek_unpack_i16(at));
    let y = meshpeek_unpack_snorm16_code(meshpeek_unpack_i16(at + 2u));
    let z = meshpeek_unpack_snorm16_code(meshpeek_unpack_i16(at + 4u));
    let w = sqrt(max(1.0 - x * x - y * y - z * z, 0.0));
    return meshpeek_unpack_unit(vec4<f32>(x, y, z, w));
}

// The normal of a tangent frame in seven bytes.
fn meshpeek_unpack_quat7_normal(at: u32) -> vec3<f32> {
    return meshpeek_unpack_normal(meshpeek_unpack_quat7(at));
}

// The tangent and the handedness of a tangent frame in seven bytes.
fn meshpeek_unpack_quat7_tangent(at: u32) -> vec4<f32> {
    let handedness = select(1.0, -1.0, meshpeek_unpack_u8(at + 6u) >= 128u);
    return vec4<f32>(meshpeek_unpack_tangent(meshpeek_unpack_quat7(at)), handedness);
}

// Returns red, green, blue and alpha of the colour 0xAARRGGBB.
fn meshpeek_unpack_argb8_word(word: u32) -> vec4<f32> {
    let red = meshpeek_unpack_unorm8_code((word >> 16u) & 0xffu);
    let green = meshpeek_unpack_unorm8_code((word >> 8u) & 0xffu);
    let blue = meshpeek_unpack_unorm8_code(word & 0xffu);
    let alpha = meshpeek_unpack_unorm8_code(word >> 24u);
    return vec4<f32>(red, green, blue, alpha);
}

// A colour of four bytes: red, green, blue and alpha.
fn meshpeek_unpack_unorm8x4(at: u32) -> vec4<f32> {
    return meshpeek_unpack_argb8_word(meshpeek_unpack_u32(at)).zyxw;
}

// A colour of a little-endian word: 0xAARRGGBB.
fn meshpeek_unpack_argb8(at: u32) -> vec4<f32> {
    return meshpeek_unpack_argb8_word(meshpeek_unpack_u32(at));
}

// A colour of a big-endian word: 0xAARRGGBB.
fn meshpeek_unpack_argb8_big_endian(at: u32) -> vec4<f32> {
    return meshpeek_unpack_argb8_word(meshpeek_unpack_u32_big_endian(at));
}

// The bone and the weight of an influence in four bytes. The bone is a whole number.
fn meshpeek_unpack_influence4(at: u32) -> vec2<f32> {
    let weight = meshpeek_unpack_unorm16_code(meshpeek_unpack_u16(at + 2u));
    return vec2<f32>(f32(meshpeek_unpack_i16(at)), weight);
}

// The bone and the weight of an influence in three bytes. The bone is a whole number.
fn meshpeek_unpack_influence3(at: u32) -> vec2<f32> {
    let weight = meshpeek_unpack_unorm16_code(meshpeek_unpack_u16(at + 1u));
    return vec2<f32>(f32(meshpeek_unpack_u8(at)), weight);
}
