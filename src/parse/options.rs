//! Structs of options, which a program makes by setting those that differ from their defaults.

/// Declares a struct of options: each with its documentation, its type, its default value and the
/// name of the method that sets it. With the feature `internals`, all options are public.
macro_rules! options {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {$(
            $(#[doc = $doc:literal])*
            $field:ident: $type:ty = $default:expr, $visibility:vis $setter:ident;
        )+}
    ) => {
        $(#[$attribute])*
        #[cfg(not(feature = "internals"))]
        pub struct $name {
            $(pub(crate) $field: $type,)+
        }

        // Tests compare an output with the options that it was made with.
        $(#[$attribute])*
        #[cfg(feature = "internals")]
        pub struct $name {
            $(
                $(#[doc = $doc])*
                pub $field: $type,
            )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $name {
            $(
                #[doc = concat!("Sets the option `", stringify!($field), "`.\n")]
                $(#[doc = $doc])*
                #[must_use]
                #[cfg(not(feature = "internals"))]
                #[allow(dead_code, reason = "only the program sets some options")]
                $visibility fn $setter(self, $field: $type) -> Self {
                    Self { $field, ..self }
                }

                #[doc = concat!("Sets the option `", stringify!($field), "`.\n")]
                #[must_use]
                #[cfg(feature = "internals")]
                pub fn $setter(self, $field: $type) -> Self {
                    Self { $field, ..self }
                }
            )+
        }
    };
}
pub(crate) use options;
