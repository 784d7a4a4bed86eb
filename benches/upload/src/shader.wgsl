struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec4<f32>,
    @location(2) tangent: vec4<f32>,
    @location(3) uv: vec2<f32>,
    @location(4) color: vec4<f32>,
}

struct Shaded {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn vertex(vertex: Vertex) -> Shaded {
    let bitangent = cross(vertex.normal.xyz, vertex.tangent.xyz) * vertex.tangent.w;
    let light = dot(vertex.normal.xyz, vec3<f32>(0.0, 0.0, 1.0)) + bitangent.x * vertex.uv.x + vertex.uv.y;
    return Shaded(vec4<f32>(vertex.position, 1.0), vertex.color * light);
}

@fragment
fn fragment(shaded: Shaded) -> @location(0) vec4<f32> {
    return shaded.color;
}
