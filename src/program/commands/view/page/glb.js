// Reads a GLB file: its JSON, and the arrays in its buffer.

const COMPONENTS = {
  5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array,
};
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** Returns the bytes of Base64 text. */
function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Returns the decompressed bytes of some elements of the page. */
async function inflate(elements) {
  const blob = new Blob(elements.map((element) => decodeBase64(element.textContent)));
  const stream = blob.stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return await new Response(stream).arrayBuffer();
  } catch {
    throw new Error("the data of the mesh is damaged, or too large for this browser");
  }
}

class Glb {
  /** @param {ArrayBuffer} buffer the bytes of a GLB file */
  constructor(buffer) {
    const view = new DataView(buffer);
    if (view.getUint32(0, true) !== 0x46546c67) throw new Error("the data is not a GLB file");
    this.buffer = buffer;
    for (let at = 12; at + 8 <= buffer.byteLength; ) {
      const [length, kind] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
      if (kind === 0x4e4f534a) this.json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at + 8, length)));
      if (kind === 0x004e4942) this.start = at + 8;
      at += 8 + length;
    }
  }

  list(name) {
    return this.json[name] ?? [];
  }

  /** Returns the bytes of a buffer view. */
  view(index) {
    const { byteOffset = 0, byteLength } = this.json.bufferViews[index];
    return new Uint8Array(this.buffer, this.start + byteOffset, byteLength);
  }

  /** Describes an accessor. All lengths are in bytes. */
  accessor(index) {
    const { bufferView, byteOffset = 0, componentType, count, type, normalized = false } = this.json.accessors[index];
    const [Type, width] = [COMPONENTS[componentType], WIDTHS[type]];
    const stride = this.json.bufferViews[bufferView].byteStride ?? width * Type.BYTES_PER_ELEMENT;
    return { view: bufferView, offset: byteOffset, stride, componentType, count, width, Type, normalized };
  }

  /** Returns the numbers of an accessor, item after item. They may be part of the file. */
  numbers(index) {
    const { view, offset, stride, count, width, Type } = this.accessor(index);
    const bytes = this.view(view);
    const start = bytes.byteOffset + offset;
    if (stride === width * Type.BYTES_PER_ELEMENT && start % Type.BYTES_PER_ELEMENT === 0) {
      return new Type(this.buffer, start, count * width);
    }
    const out = new Type(count * width);
    const target = new Uint8Array(out.buffer);
    const size = width * Type.BYTES_PER_ELEMENT;
    for (let item = 0; item < count; item++) {
      const from = offset + item * stride;
      target.set(bytes.subarray(from, from + size), item * size);
    }
    return out;
  }

  /** Returns the numbers of an accessor as floats. */
  floats(index) {
    const numbers = this.numbers(index);
    if (numbers instanceof Float32Array) return numbers;
    const { normalized, Type } = this.accessor(index);
    const most = { Int8Array: 127, Uint8Array: 255, Int16Array: 32767, Uint16Array: 65535 }[Type.name] ?? 1;
    return Float32Array.from(numbers, (number) => (normalized ? Math.max(number / most, -1) : number));
  }
}
