//! The state of an interactive view, its changes by keys, and the meshes that it shows.

use super::keys::KeyPress;
use crate::render::Picture;

/// The angle in degrees by which an arrow key turns the camera.
const TURN: f32 = 10.0;
/// The factor by which a key changes the zoom.
const ZOOM: f32 = 1.25;
/// The least and the greatest zoom.
const ZOOM_RANGE: [f32; 2] = [0.1, 100.0];

/// Meshes that a terminal shows, one at a time.
pub trait TerminalScene {
    /// Draws a mesh. `size` is the width and height in pixels.
    fn draw(&mut self, view: &ViewState, size: [u32; 2]) -> anyhow::Result<Picture>;

    /// Returns the number of meshes.
    fn mesh_count(&self) -> usize;

    /// Returns one line about the mesh, such as its name.
    fn caption(&self, view: &ViewState) -> String;

    /// Returns the length of the mesh's animation in seconds, or `None` if it has none.
    fn duration(&self, view: &ViewState) -> Option<f64>;
}

/// A view that the keys change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewState {
    /// The direction from the mesh to the camera around the up axis, in degrees from 0 to 360. It
    /// grows if the camera moves to its right.
    pub yaw: f32,
    /// The elevation of the camera above the horizon, in degrees from -90 to 90.
    pub pitch: f32,
    /// The enlargement: 1 fits the mesh into the picture.
    pub zoom: f32,
    /// The index of the mesh.
    pub mesh: usize,
    /// Whether edges are drawn over the surfaces.
    pub wireframe: bool,
    /// Whether the animation plays.
    pub is_playing: bool,
    /// The time in the animation in seconds. It is less than the duration, if there is one.
    pub seconds: f64,
    /// The yaw and pitch at the start.
    start: [f32; 2],
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEffect {
    Redraw,
    Nothing,
    Leave,
}

impl ViewState {
    /// Makes a view of the first mesh from a direction: yaw and pitch in degrees.
    pub const fn new(start: [f32; 2]) -> Self {
        let [yaw, pitch] = start;
        Self { yaw, pitch, zoom: 1.0, mesh: 0, wireframe: false, is_playing: false, seconds: 0.0, start }
    }

    /// Changes the view by a key. `has_animation` is whether the mesh has one.
    pub fn press(&mut self, key: KeyPress, meshes: usize, has_animation: bool) -> KeyEffect {
        let before = *self;
        match key {
            KeyPress::Escape | KeyPress::Interrupt | KeyPress::Letter(b'q' | b'Q') => return KeyEffect::Leave,
            KeyPress::Left | KeyPress::Letter(b'h') => self.turn([-TURN, 0.0]),
            KeyPress::Right | KeyPress::Letter(b'l') => self.turn([TURN, 0.0]),
            KeyPress::Up | KeyPress::Letter(b'k') => self.turn([0.0, TURN]),
            KeyPress::Down | KeyPress::Letter(b'j') => self.turn([0.0, -TURN]),
            KeyPress::Letter(b'+' | b'=') => self.scale(ZOOM),
            KeyPress::Letter(b'-' | b'_') => self.scale(1.0 / ZOOM),
            KeyPress::Home | KeyPress::Letter(b'0') => self.reset(),
            KeyPress::Letter(b' ') => self.is_playing = has_animation && !self.is_playing,
            KeyPress::Letter(b'w' | b'W') => self.wireframe = !self.wireframe,
            KeyPress::Letter(b'n' | b'N') => self.choose(self.mesh.saturating_add(1), meshes),
            KeyPress::Letter(b'p' | b'P') => self.choose(self.mesh.checked_sub(1).unwrap_or(meshes), meshes),
            KeyPress::Letter(_) => {}
        }
        if *self == before { KeyEffect::Nothing } else { KeyEffect::Redraw }
    }

    /// Moves the animation on. `duration` is its length in seconds, after which it begins again.
    pub fn advance(&mut self, seconds: f64, duration: Option<f64>) {
        if let Some(duration) = duration.filter(|duration| self.is_playing && *duration > 0.0) {
            let moved = (self.seconds + seconds).rem_euclid(duration);
            self.seconds = if moved.is_finite() { moved } else { 0.0 };
        }
    }

    fn turn(&mut self, [yaw, pitch]: [f32; 2]) {
        self.yaw = (self.yaw + yaw).rem_euclid(360.0);
        self.pitch = (self.pitch + pitch).clamp(-90.0, 90.0);
    }

    fn scale(&mut self, factor: f32) {
        let [least, most] = ZOOM_RANGE;
        self.zoom = (self.zoom * factor).clamp(least, most);
    }

    /// Returns to the camera of the start. The mesh and its animation remain.
    const fn reset(&mut self) {
        [self.yaw, self.pitch] = self.start;
        self.zoom = 1.0;
    }

    /// Chooses a mesh. The first follows the last, and the last precedes the first.
    fn choose(&mut self, mesh: usize, meshes: usize) {
        let mesh = match mesh {
            mesh if mesh < meshes => mesh,
            mesh if mesh == meshes && self.mesh == 0 => meshes.saturating_sub(1),
            _ => 0,
        };
        if mesh != self.mesh {
            (self.mesh, self.seconds, self.is_playing) = (mesh, 0.0, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(keys: &[KeyPress], meshes: usize, has_animation: bool) -> ViewState {
        let mut view = ViewState::new([30.0, 20.0]);
        for key in keys {
            assert_ne!(view.press(*key, meshes, has_animation), KeyEffect::Leave);
        }
        view
    }

    #[test]
    fn arrows_turn_and_home_returns() {
        let view = pressed(&[KeyPress::Left; 4], 1, false);
        assert!((view.yaw - 350.0).abs() < 0.01);
        let view = pressed(&[KeyPress::Up; 20], 1, false);
        assert!((view.pitch - 90.0).abs() < 0.01);
        let mut keys = vec![KeyPress::Down, KeyPress::Right, KeyPress::Letter(b'+'), KeyPress::Home];
        assert_eq!(pressed(&keys, 1, false), ViewState::new([30.0, 20.0]));
        keys.pop();
        let view = pressed(&keys, 1, false);
        assert_eq!(format!("{} {} {}", view.yaw, view.pitch, view.zoom), "40 10 1.25");
    }

    #[test]
    fn zoom_stays_in_its_range() {
        assert!((pressed(&[KeyPress::Letter(b'-'); 99], 1, false).zoom - 0.1).abs() < 0.001);
        assert!((pressed(&[KeyPress::Letter(b'='); 99], 1, false).zoom - 100.0).abs() < 0.001);
    }

    #[test]
    fn meshes_follow_each_other_in_a_circle() {
        let (next, previous) = (KeyPress::Letter(b'n'), KeyPress::Letter(b'p'));
        for (keys, mesh) in [
            (&[next][..], 1),
            (&[next; 3], 0),
            (&[previous], 2),
            (&[previous, next], 0),
            (&[next, next, previous], 1),
            (&[previous, previous, previous], 0),
        ] {
            assert_eq!(pressed(keys, 3, false).mesh, mesh, "{keys:?}");
        }
        assert_eq!(pressed(&[next, previous, previous], 1, false).mesh, 0);
        assert_eq!(pressed(&[next, previous, previous], 0, false).mesh, 0);
    }

    #[test]
    fn animations_play_in_a_circle() {
        let mut view = pressed(&[KeyPress::Letter(b' ')], 1, false);
        assert!(!view.is_playing);
        view = pressed(&[KeyPress::Letter(b' ')], 1, true);
        view.advance(2.5, Some(2.0));
        assert!((view.seconds - 0.5).abs() < 1e-9);
        view.advance(f64::INFINITY, Some(2.0));
        view.advance(1.0, Some(f64::NAN));
        view.advance(1.0, None);
        assert!(view.seconds.abs() < 1e-9);
    }

    #[test]
    fn only_changes_are_drawn() {
        let mut view = ViewState::new([0.0, 90.0]);
        for (key, effect) in [
            (KeyPress::Up, KeyEffect::Nothing),
            (KeyPress::Letter(b'x'), KeyEffect::Nothing),
            (KeyPress::Letter(b'w'), KeyEffect::Redraw),
            (KeyPress::Letter(b'q'), KeyEffect::Leave),
            (KeyPress::Escape, KeyEffect::Leave),
            (KeyPress::Interrupt, KeyEffect::Leave),
        ] {
            assert_eq!(view.press(key, 1, false), effect, "{key:?}");
        }
    }
}
