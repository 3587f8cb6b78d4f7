//! Arrays of any length, serialized as sequences.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S: Serializer, T: Serialize, const N: usize>(
    array: &[T; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(array)
}

pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
    deserializer: D,
) -> Result<[T; N], D::Error> {
    let all = Vec::<T>::deserialize(deserializer)?;
    all.try_into().map_err(|all: Vec<T>| D::Error::invalid_length(all.len(), &"another number of values"))
}
