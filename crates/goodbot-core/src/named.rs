//! Enumerations whose values have stable names, for comparing, storing and printing.

/// Defines an enumeration with a stable name for each value: `ALL` lists the values in order,
/// `slug` returns a value's name.
macro_rules! named {
    (
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$of_variant:meta])+ $variant:ident = $slug:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$of_variant])+ $variant,)+ }

        impl $name {
            /// Every value, in the order of the enumeration.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// Returns the stable name.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $($name::$variant => $slug,)+ }
            }
        }
    };
}

pub(crate) use named;
