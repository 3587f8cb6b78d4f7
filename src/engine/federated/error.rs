//! Why a question is not answered over shards.

use std::fmt;

use crate::error::Error;

/// The properties that a front and its shards must share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentityPart {
    /// The version of the protocol.
    Protocol,
    /// The format of the index.
    Format,
    /// The tokenizer and the grammars.
    Tokenizer,
    /// The built-in ranking profile.
    Profile,
}

/// Why a question is not answered over shards.
#[derive(Debug)]
#[non_exhaustive]
pub enum FederationError {
    /// A shard differs from the front; neither version ranks like the other.
    Refused {
        /// The name of the shard.
        shard: String,
        /// The property that differs.
        part: IdentityPart,
        /// The value at the front.
        front: String,
        /// The value at the shard.
        own: String,
    },
    /// The request has a part that is not federated.
    NotFederated(&'static str),
    /// A shard changed during each of several attempts.
    Unsteady {
        /// The name of the shard.
        shard: String,
    },
    /// A reply is not one to what the shard was asked.
    BadReply {
        /// The name of the shard.
        shard: String,
    },
    /// A shard failed.
    Shard {
        /// The name of the shard.
        shard: String,
        /// The error of the shard.
        text: String,
    },
    /// The request is wrong, or the front failed.
    Front(Error),
}

impl fmt::Display for IdentityPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IdentityPart::Protocol => "version of the protocol",
            IdentityPart::Format => "format of the index",
            IdentityPart::Tokenizer => "fingerprint of tokenizer and grammars",
            IdentityPart::Profile => "built-in profile",
        })
    }
}

impl fmt::Display for FederationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FederationError::Refused { shard, part, front, own } => write!(
                f,
                "the shard '{shard}' is refused: its {part} is {own}, and that of the front is {front}; run one version of \
                 the program everywhere"
            ),
            FederationError::NotFederated(what) => {
                write!(f, "{what} is not federated; ask one shard by an engine of its own")
            }
            FederationError::Unsteady { shard } => {
                write!(f, "the shard '{shard}' changed during every attempt to answer; ask again")
            }
            FederationError::BadReply { shard } => {
                write!(f, "the shard '{shard}' sent something else than a reply to what it was asked")
            }
            FederationError::Shard { shard, text } => write!(f, "the shard '{shard}' failed: {text}"),
            FederationError::Front(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FederationError {}

impl From<Error> for FederationError {
    fn from(error: Error) -> FederationError {
        FederationError::Front(error)
    }
}
