//! How a page shows a mesh at first.

use serde_json::{Value, json};

use crate::render::{Background, Camera};

/// How a page shows a mesh at first.
#[derive(Clone, Debug)]
pub struct PageStart {
    pub camera: Camera,
    pub background: Background,
    /// The name of the style in the script of the page.
    pub style: &'static str,
    pub is_wired: bool,
    pub has_skeleton: bool,
    pub has_textures: bool,
    /// The frame of the clip, or of the first one if none is chosen.
    pub frame: Option<f32>,
}

impl PageStart {
    /// Returns the JSON for the script of the page.
    pub fn json(&self) -> Value {
        json!({
            "camera": camera(&self.camera), "background": background(self.background), "style": self.style,
            "isWired": self.is_wired, "hasSkeleton": self.has_skeleton, "hasTextures": self.has_textures,
            "frame": self.frame,
        })
    }
}

/// Returns a camera that turns around the mesh as its angles to the right and up, in degrees, and
/// its zoom, and a camera at a point as the point and the one that it looks at.
fn camera(camera: &Camera) -> Value {
    match *camera {
        Camera::Orbit { from: [x, y, z], up: [up_x, _, up_z], zoom } => {
            let run = x.hypot(z);
            let pitch = y.atan2(run).to_degrees();
            // A camera that looks straight down or up is turned by its up direction.
            let yaw = if run > 1e-6 { x.atan2(z) } else { (-up_x * y.signum()).atan2(-up_z * y.signum()) };
            json!({ "angles": [yaw.to_degrees(), pitch], "zoom": zoom })
        }
        Camera::LookAt { from, to } => json!({ "from": from, "to": to }),
    }
}

fn background(background: Background) -> Value {
    match background {
        Background::Color([red, green, blue]) => format!("#{red:02x}{green:02x}{blue:02x}").into(),
        Background::Transparent => "transparent".into(),
        Background::Studio => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_has_the_angles_of_the_command_line() {
        for (made, [yaw, pitch]) in [
            (Camera::FRONT, [0.0, 0.0]),
            (Camera::BACK, [180.0, 0.0]),
            (Camera::RIGHT, [90.0, 0.0]),
            (Camera::LEFT, [-90.0, 0.0]),
            (Camera::TOP, [0.0, 90.0]),
            (Camera::BOTTOM, [0.0, -90.0]),
            (Camera::ISO, [30.0, 20.0]),
            (Camera::orbit(-50.0, 35.0), [-50.0, 35.0]),
            (Camera::orbit(40.0, 90.0), [40.0, 90.0]),
            (Camera::orbit(40.0, -90.0), [40.0, -90.0]),
        ] {
            let json = camera(&made);
            let angle = |index: usize| json["angles"][index].as_f64().unwrap();
            assert!((angle(0) - yaw).abs() < 1e-3 && (angle(1) - pitch).abs() < 1e-3, "{made:?}: {json}");
        }
        let camera = camera(&Camera::LookAt { from: [1.0, 2.0, 3.0], to: [0.0; 3] });
        assert_eq!(camera["from"][2], 3.0);
    }

    #[test]
    fn a_background_is_a_colour_of_the_style_sheet() {
        assert_eq!(background(Background::Color([1, 0xab, 0])), "#01ab00");
        assert!(background(Background::Studio).is_null());
    }
}
