//! Enumerations whose values have stable names, which others compare, store and print.

/// Define an enumeration with a stable name for each value: `ALL` lists them in order, `slug` names one.
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

            /// The stable name.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $($name::$variant => $slug,)+ }
            }
        }
    };
}

pub(crate) use named;
