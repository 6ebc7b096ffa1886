//! Values as bytes and back, for pickles: little-endian, lengths first, no separators.
//!
//! Reading never panics and never reserves more memory than the input justifies; truncated input
//! gives `None`.

use std::sync::Arc;

/// A value that can be written as bytes and read again.
pub(crate) trait Packed: Sized {
    /// Appends the value to the bytes.
    fn pack(&self, into: &mut Vec<u8>);

    /// Reads a value from the front of the bytes, and advances past it.
    fn unpack(from: &mut &[u8]) -> Option<Self>;
}

/// Implements [`Packed`] for a structure, field by field in the given order.
macro_rules! packed {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::packed::Packed for $name {
            fn pack(&self, into: &mut Vec<u8>) {
                $($crate::packed::Packed::pack(&self.$field, into);)+
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                Some($name { $($field: $crate::packed::Packed::unpack(from)?),+ })
            }
        }
    };
}

pub(crate) use packed;

macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl Packed for $number {
            fn pack(&self, into: &mut Vec<u8>) {
                into.extend_from_slice(&self.to_le_bytes());
            }

            fn unpack(from: &mut &[u8]) -> Option<Self> {
                let (number, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(<$number>::from_le_bytes(*number))
            }
        }
    )+};
}

numbers!(u8, u16, u32, u64, f64);

impl Packed for usize {
    fn pack(&self, into: &mut Vec<u8>) {
        (*self as u64).pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        usize::try_from(u64::unpack(from)?).ok()
    }
}

impl Packed for bool {
    fn pack(&self, into: &mut Vec<u8>) {
        u8::from(*self).pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(u8::unpack(from)? != 0)
    }
}

impl<T: Packed> Packed for Vec<T> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_all(self, into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let length = usize::unpack(from)?;
        // Every value takes at least one byte, so truncated input ends this early.
        (0..length).map(|_| T::unpack(from)).collect()
    }
}

impl<T: Packed> Packed for Box<[T]> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_all(self, into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Vec::unpack(from).map(Into::into)
    }
}

fn pack_all<T: Packed>(values: &[T], into: &mut Vec<u8>) {
    values.len().pack(into);
    for value in values {
        value.pack(into);
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, into: &mut Vec<u8>) {
        self.is_some().pack(into);
        if let Some(value) = self {
            value.pack(into);
        }
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some(if bool::unpack(from)? { Some(T::unpack(from)?) } else { None })
    }
}

impl<T: Packed> Packed for Box<T> {
    fn pack(&self, into: &mut Vec<u8>) {
        (**self).pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        T::unpack(from).map(Box::new)
    }
}

impl<A: Packed, B: Packed> Packed for (A, B) {
    fn pack(&self, into: &mut Vec<u8>) {
        self.0.pack(into);
        self.1.pack(into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

impl Packed for String {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_text(self, into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        unpack_text(from).map(str::to_owned)
    }
}

impl Packed for Box<str> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_text(self, into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        unpack_text(from).map(Into::into)
    }
}

impl Packed for Arc<str> {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_text(self, into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        unpack_text(from).map(Into::into)
    }
}

/// Writes a text.
pub(crate) fn pack_text(text: &str, into: &mut Vec<u8>) {
    text.len().pack(into);
    into.extend_from_slice(text.as_bytes());
}

/// Reads a text without copying it.
pub(crate) fn unpack_text<'a>(from: &mut &'a [u8]) -> Option<&'a str> {
    let length = usize::unpack(from)?;
    let (text, rest) = from.split_at_checked(length)?;
    *from = rest;
    std::str::from_utf8(text).ok()
}
