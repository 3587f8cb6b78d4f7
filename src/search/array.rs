//! Arrays of numbers, most of which are 0, serialized as a set of places and the numbers there.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number, or several, whose zero is not serialized.
pub trait Sparse: Copy + Serialize + DeserializeOwned {
    const ZERO: Self;

    /// Whether the value is zero in every bit.
    fn is_zero(&self) -> bool;
}

impl Sparse for f32 {
    const ZERO: f32 = 0.0;

    fn is_zero(&self) -> bool {
        self.to_bits() == 0
    }
}

impl Sparse for [f32; 2] {
    const ZERO: [f32; 2] = [0.0; 2];

    fn is_zero(&self) -> bool {
        self.iter().all(Sparse::is_zero)
    }
}

pub fn serialize<S: Serializer, T: Sparse, const N: usize>(
    array: &[T; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let there = array.iter().enumerate().filter(|(_, value)| !value.is_zero());
    let places = there.clone().fold(0u64, |places, (place, _)| places | 1 << place);
    (places, there.map(|(_, value)| *value).collect::<Vec<T>>()).serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>, T: Sparse, const N: usize>(
    deserializer: D,
) -> Result<[T; N], D::Error> {
    const { assert!(N <= 64) };
    let (places, values): (u64, Vec<T>) = Deserialize::deserialize(deserializer)?;
    let mut array = [T::ZERO; N];
    let mut values = values.into_iter();
    for place in (0..64).filter(|place| places & (1 << place) != 0) {
        match (array.get_mut(place), values.next()) {
            (Some(own), Some(value)) => *own = value,
            _ => return Err(D::Error::invalid_length(place, &"another number of values")),
        }
    }
    Ok(array)
}
