//! Evaluates functions of WGSL on the processor, for many arguments in parallel.

use std::cell::Cell;
use std::rc::Rc;

use super::parser::{Expr, Function, Parser};

/// The bits of a scalar or a vector, for each set of arguments: one list for each component.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// The type of a component: `u`, `i`, `f` or `b`.
    pub(super) kind: char,
    pub(super) components: Vec<Rc<[u32]>>,
}

impl Value {
    pub(super) fn scalar(kind: char, bits: impl Iterator<Item = u32>) -> Self {
        Self { kind, components: vec![bits.collect()] }
    }

    /// Returns the component with the index `index`, or the only component.
    fn component(&self, index: usize) -> &[u32] {
        &self.components[index.min(self.components.len() - 1)]
    }
}

/// How floats are rounded.
pub(super) enum Rounding {
    /// To the nearest float, as a processor does.
    Nearest,
    /// As inexactly as WGSL permits, with a pseudo-random error: sums, differences and products to
    /// either of the two nearest floats, quotients by 3 floats, and square roots by 5.
    Loose(Cell<u64>),
}

pub(super) struct Evaluator {
    functions: Vec<Function>,
    words: Vec<u32>,
    rounding: Rounding,
}

impl Evaluator {
    /// Makes an evaluator of the functions in `source`. `bytes` is the content of the buffer.
    pub(super) fn new(source: &str, bytes: &[u8], rounding: Rounding) -> Self {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(4), 0xa5);
        let words = padded.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        Self { functions: Parser::parse(source), words, rounding }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|function| function.name.as_str())
    }

    /// Calls a function for `lanes` sets of arguments.
    pub(super) fn call(&self, name: &str, arguments: Vec<Value>, lanes: usize) -> Value {
        let found = self.functions.iter().find(|function| function.name == name);
        let function = found.unwrap_or_else(|| panic!("no function {name}"));
        assert_eq!(function.parameters.len(), arguments.len(), "{name}");
        let mut variables: Vec<(&str, Value)> = function.parameters.iter().map(String::as_str).zip(arguments).collect();
        for (variable, value) in &function.lets {
            let value = self.evaluate(value, &variables, lanes);
            variables.push((variable, value));
        }
        self.evaluate(&function.result, &variables, lanes)
    }

    fn evaluate(&self, expr: &Expr, variables: &[(&str, Value)], lanes: usize) -> Value {
        let value = |expr: &Expr| self.evaluate(expr, variables, lanes);
        match expr {
            Expr::Literal(kind, bits) => Value::scalar(*kind, std::iter::repeat_n(*bits, lanes)),
            Expr::Variable(name) => {
                let found = variables.iter().find(|(variable, _)| variable == name);
                found.unwrap_or_else(|| panic!("no variable {name}")).1.clone()
            }
            Expr::Call(name, arguments) => self.call_any(name, arguments.iter().map(value).collect(), lanes),
            Expr::Components(inner, names) => {
                let inner = value(inner);
                let axis = |name| "xyzw".find(name).expect("a component is x, y, z or w");
                let components = names.chars().map(|name| inner.components[axis(name)].clone()).collect();
                Value { kind: inner.kind, components }
            }
            Expr::Word(index) => {
                let index = value(index);
                assert_eq!(index.kind, 'u');
                // A word out of range makes the test fail.
                Value::scalar('u', index.components[0].iter().map(|index| self.words[usize::try_from(*index).unwrap()]))
            }
            Expr::Negative(inner) => {
                let inner = value(inner);
                assert_eq!(inner.kind, 'f');
                let components = inner.components.iter().map(|bits| bits.iter().map(|bits| bits ^ 1 << 31).collect());
                Value { kind: 'f', components: components.collect() }
            }
            Expr::Binary(operator, left, right) => self.binary(operator, &value(left), &value(right)),
        }
    }

    fn call_any(&self, name: &str, arguments: Vec<Value>, lanes: usize) -> Value {
        let [first, ..] = arguments.as_slice() else { panic!("{name} has no arguments") };
        let each =
            |kind, convert: fn(u32) -> u32| Value::scalar(kind, first.components[0].iter().map(|bits| convert(*bits)));
        match (name, first.kind) {
            ("vec2<f32>" | "vec3<f32>" | "vec4<f32>", 'f') => {
                assert!(arguments.iter().all(|argument| argument.kind == 'f'), "{name}");
                let components: Vec<_> = arguments.into_iter().flat_map(|argument| argument.components).collect();
                assert_eq!(name, format!("vec{}<f32>", components.len()));
                Value { kind: 'f', components }
            }
            ("bitcast<u32>", _) => Value { kind: 'u', ..first.clone() },
            ("bitcast<i32>", _) => Value { kind: 'i', ..first.clone() },
            ("bitcast<f32>", _) => Value { kind: 'f', ..first.clone() },
            ("f32", 'u') => each('f', |bits| (bits as f32).to_bits()),
            ("f32", 'i') => each('f', |bits| (bits.cast_signed() as f32).to_bits()),
            ("abs", 'i') => each('i', |bits| bits.cast_signed().wrapping_abs().cast_unsigned()),
            ("countLeadingZeros", 'u') => each('u', u32::leading_zeros),
            ("sqrt", 'f') => {
                let root = |bits: &u32| self.round(f64::from(f32::from_bits(*bits)).sqrt(), 5);
                Value::scalar('f', first.components[0].iter().map(root))
            }
            ("min", 'u') => pairs('u', first, &arguments[1], u32::min),
            ("max", 'f') => pairs('f', first, &arguments[1], |a, b| f32::from_bits(a).max(f32::from_bits(b)).to_bits()),
            ("select", kind) => {
                let (other, condition) = (&arguments[1], &arguments[2]);
                assert!(other.kind == kind && condition.kind == 'b', "select");
                let chosen = pairs(kind, other, condition, |bits, condition| bits * condition);
                let refused = pairs(kind, first, condition, |bits, condition| bits * (1 - condition));
                pairs(kind, &chosen, &refused, |a, b| a | b)
            }
            _ => self.call(name, arguments, lanes),
        }
    }

    fn binary(&self, operator: &str, left: &Value, right: &Value) -> Value {
        if !matches!(operator, "<<" | ">>") {
            assert_eq!(left.kind, right.kind, "{operator}");
        }
        let floats = |exact: fn(f64, f64) -> f64, floats| {
            let wide = |bits| f64::from(f32::from_bits(bits));
            pairs('f', left, right, |a, b| self.round(exact(wide(a), wide(b)), floats))
        };
        let compare = |holds: fn(f32, f32) -> bool| {
            pairs('b', left, right, |a, b| u32::from(holds(f32::from_bits(a), f32::from_bits(b))))
        };
        match (operator, left.kind) {
            ("+", 'f') => floats(|a, b| a + b, 1),
            ("-", 'f') => floats(|a, b| a - b, 1),
            ("*", 'f') => floats(|a, b| a * b, 1),
            ("/", 'f') => floats(|a, b| a / b, 3),
            (">", 'f') => compare(|a, b| a > b),
            ("<", 'i') => pairs('b', left, right, |a, b| u32::from(a.cast_signed() < b.cast_signed())),
            (">=", 'u') => pairs('b', left, right, |a, b| u32::from(a >= b)),
            ("==", 'u') => pairs('b', left, right, |a, b| u32::from(a == b)),
            ("+", 'u') => pairs('u', left, right, u32::wrapping_add),
            ("-", 'u') => pairs('u', left, right, u32::wrapping_sub),
            ("*", 'u') => pairs('u', left, right, u32::wrapping_mul),
            ("&", 'u') => pairs('u', left, right, |a, b| a & b),
            ("|", 'u') => pairs('u', left, right, |a, b| a | b),
            ("<<", 'u' | 'i') => pairs(left.kind, left, right, |a, b| a << (b & 31)),
            (">>", 'u') => pairs('u', left, right, |a, b| a >> (b & 31)),
            (">>", 'i') => pairs('i', left, right, |a, b| (a.cast_signed() >> (b & 31)).cast_unsigned()),
            (operator, kind) => panic!("no operator {operator} of {kind}"),
        }
    }

    /// Rounds a result, which is wrong by up to `floats` floats if the rounding is loose. Sums,
    /// differences and products of two `f32` are rounded as `f32` arithmetic rounds them, because
    /// an `f64` has more than twice the digits.
    fn round(&self, exact: f64, floats: u32) -> u32 {
        let nearest = exact as f32;
        let Rounding::Loose(seed) = &self.rounding else { return nearest.to_bits() };
        if f64::from(nearest) == exact || !nearest.is_normal() {
            return nearest.to_bits();
        }
        seed.set(seed.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        let random = u32::try_from(seed.get() >> 33).unwrap();
        if floats == 1 {
            // The other of the two nearest floats is nearer to or further from 0.
            let is_short = f64::from(nearest).abs() < exact.abs();
            let other = if is_short { nearest.to_bits() + 1 } else { nearest.to_bits() - 1 };
            return [nearest.to_bits(), other][usize::from(random % 2 == 1)];
        }
        nearest.to_bits() + random % (2 * floats + 1) - floats
    }
}

/// Applies an operation to each pair of components. A scalar is paired with every component.
#[inline]
fn pairs(kind: char, left: &Value, right: &Value, operation: impl Fn(u32, u32) -> u32) -> Value {
    let (one, other) = (left.components.len(), right.components.len());
    assert!(one == other || one.min(other) == 1, "vectors of {one} and {other} components");
    let components = (0..one.max(other)).map(|index| {
        let mut out: Rc<[u32]> = left.component(index).into();
        let places = Rc::get_mut(&mut out).expect("the copy is not shared");
        for (place, right) in places.iter_mut().zip(right.component(index)) {
            *place = operation(*place, *right);
        }
        out
    });
    Value { kind, components: components.collect() }
}
