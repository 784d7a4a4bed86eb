//! A device of `wgpu` without a GPU, which validates everything and computes nothing.

use std::error::Error;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wgpu::util::align_to;

/// The format of the image that is drawn.
const TARGET: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    target: wgpu::TextureView,
}

/// What a pass draws.
pub struct Draw<'d> {
    pub pipeline: &'d wgpu::RenderPipeline,
    pub vertices: &'d [(&'d wgpu::Buffer, u64)],
    pub storage: Option<&'d wgpu::Buffer>,
    pub indices: Option<(&'d wgpu::Buffer, wgpu::IndexFormat)>,
    pub count: u32,
}

impl Gpu {
    pub fn new() -> Self {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 64, height: 64, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TARGET,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        Self { target: target.create_view(&wgpu::TextureViewDescriptor::default()), device, queue }
    }

    /// Runs `work`, and returns the first validation error of it.
    pub fn checked<T>(&self, work: impl FnOnce() -> T) -> Result<T, Box<dyn Error>> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work();
        // The device has no queue of its own, so the answer is there at once.
        match pin!(scope.pop()).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(None) => Ok(result),
            Poll::Ready(Some(error)) => Err(error.to_string().into()),
            Poll::Pending => Err("the validation did not end".into()),
        }
    }

    /// Makes a buffer whose size is a multiple of the alignment of copies.
    pub fn buffer(&self, bytes: usize, usage: wgpu::BufferUsages, mapped_at_creation: bool) -> wgpu::Buffer {
        let size = align_to(bytes as u64, wgpu::COPY_BUFFER_ALIGNMENT).max(wgpu::COPY_BUFFER_ALIGNMENT);
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation })
    }

    /// Copies bytes to an offset that is a multiple of 4. Zeros follow until the next multiple.
    pub fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<4>();
        self.queue.write_buffer(buffer, offset, words.as_flattened());
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            self.queue.write_buffer(buffer, offset + words.as_flattened().len() as u64, &last);
        }
    }

    /// Makes a pipeline of the entry points `vertex` and `fragment` of a shader.
    pub fn pipeline(&self, source: &str, buffers: &[wgpu::VertexBufferLayout<'_>]) -> wgpu::RenderPipeline {
        let module = self.module(source);
        let buffers: Vec<_> = buffers.iter().cloned().map(Some).collect();
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("vertex"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &buffers,
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("fragment"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(TARGET.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    pub fn module(&self, source: &str) -> wgpu::ShaderModule {
        let source = wgpu::ShaderSource::Wgsl(source.into());
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }

    pub fn draw(&self, draw: &Draw<'_>) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let group = draw.storage.map(|buffer| {
            self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &draw.pipeline.get_bind_group_layout(0),
                entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
            })
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            ..Default::default()
        });
        pass.set_pipeline(draw.pipeline);
        if let Some(group) = &group {
            pass.set_bind_group(0, group, &[]);
        }
        for (slot, (buffer, offset)) in (0..).zip(draw.vertices) {
            pass.set_vertex_buffer(slot, buffer.slice(*offset..));
        }
        match draw.indices {
            Some((buffer, format)) => {
                pass.set_index_buffer(buffer.slice(..), format);
                pass.draw_indexed(0..draw.count, 0, 0..1);
            }
            None => pass.draw(0..draw.count, 0..1),
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }
}
