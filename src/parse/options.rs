//! Methods that return a value with another value in one of its fields, so that options are made in
//! one expression.

/// Declares such methods: `this: "limits"` is how their documentation calls the value, and
/// `with_items(items: u64)` sets the field `items`.
macro_rules! setters {
    (this: $this:literal; $($name:ident($field:ident: $type:ty);)+) => {$(
        #[doc = concat!("Returns these ", $this, " with the given [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub const fn $name(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )+};
}
pub(crate) use setters;

/// Declares methods that return the options with another value in one field.
macro_rules! option_setters {
    ($($name:ident($field:ident: $type:ty);)+) => {$(
        #[doc = concat!("Returns these options with the given [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $name(self, $field: $type) -> Self {
            Self { $field, ..self }
        }
    )+};
}
pub(crate) use option_setters;
