//! Writes to the master's half of the APHID table, on their way to a worker.

use engine_core::aphid::messages::{LeafSpec, ToSlave};
use engine_core::game::Game;
use engine_core::line::Line;

use crate::error::WireError;
use crate::v1::master_message::Kind;
use crate::{limits, parts, printable, profile, v1};

/// Writes a message. An assignment of many leaves becomes several messages (of none: no message);
/// of an agenda longer than the wire takes, the least urgent entries wait for the next one.
pub fn encode<G: Game>(message: &ToSlave<G>) -> Vec<v1::MasterMessage> {
    let kind = match message {
        ToSlave::Begin { search, profile, fresh } => Kind::Begin(v1::Begin {
            search: parts::wire_search_tag(*search),
            game: G::NAME.to_owned(),
            profile: profile::encode(*profile).into(),
            fresh: *fresh,
        }),
        ToSlave::Assign { search, leaves } => {
            let assign = |leaves: &[LeafSpec<G>]| v1::Assign {
                search: parts::wire_search_tag(*search),
                leaves: leaves.iter().map(encode_leaf).collect(),
            };
            let chunks = leaves.chunks(limits::LEAVES);
            return chunks.map(|chunk| Kind::Assign(assign(chunk)).into()).collect();
        }
        ToSlave::Agenda { search, sequence, due, speculative, repeat } => {
            Kind::Agenda(v1::Agenda {
                search: parts::wire_search_tag(*search),
                sequence: *sequence,
                due: due.iter().take(limits::WANTS).map(parts::wire_want).collect(),
                speculative: speculative.iter().take(limits::WANTS).map(parts::wire_want).collect(),
                repeat: *repeat,
            })
        }
        ToSlave::End { search } => Kind::End(v1::End { search: parts::wire_search_tag(*search) }),
    };
    vec![kind.into()]
}

fn encode_leaf<G: Game>(leaf: &LeafSpec<G>) -> v1::Leaf {
    v1::Leaf {
        tag: Some(parts::wire_leaf_tag(leaf.tag)),
        line: leaf.line.encode(),
        null_allowed: leaf.null_allowed,
    }
}

/// Reads a message of a search. Greetings, pings, pauses and goodbyes are not for the slave: they
/// are out of place here.
///
/// # Errors
/// Whatever is wrong with it; see [`WireError`].
pub fn decode<G: Game>(kind: Kind) -> Result<ToSlave<G>, WireError> {
    match kind {
        Kind::Begin(begin) => decode_begin(begin),
        Kind::Assign(assign) => decode_assign(assign),
        Kind::Agenda(agenda) => decode_agenda(agenda),
        Kind::End(end) => Ok(ToSlave::End { search: parts::search_tag(end.search)? }),
        Kind::Welcome(_) => Err(WireError::OutOfPlace("Welcome")),
        Kind::Refused(_) => Err(WireError::OutOfPlace("Refused")),
        Kind::Ping(_) => Err(WireError::OutOfPlace("Ping")),
        Kind::Goodbye(_) => Err(WireError::OutOfPlace("Goodbye")),
        Kind::Pause(_) => Err(WireError::OutOfPlace("Pause")),
        Kind::Resume(_) => Err(WireError::OutOfPlace("Resume")),
        Kind::Peers(_) => Err(WireError::OutOfPlace("PeerList")),
        Kind::Hearsay(_) => Err(WireError::OutOfPlace("Hearsay")),
    }
}

fn decode_begin<G: Game>(begin: v1::Begin) -> Result<ToSlave<G>, WireError> {
    let v1::Begin { search, game, profile, fresh } = begin;
    if game != G::NAME {
        let found = printable(&game, limits::NAME_BYTES);
        return Err(WireError::OtherGame { expected: G::NAME, found });
    }
    let profile = profile::decode(profile)?.ok_or(WireError::Missing("profile"))?;
    Ok(ToSlave::Begin { search: parts::search_tag(search)?, profile, fresh })
}

fn decode_assign<G: Game>(assign: v1::Assign) -> Result<ToSlave<G>, WireError> {
    let v1::Assign { search, leaves } = assign;
    if leaves.is_empty() {
        return Err(WireError::Missing("leaves"));
    }
    let search = parts::search_tag(search)?;
    let leaves = parts::list(leaves, "leaves", limits::LEAVES, decode_leaf)?;
    Ok(ToSlave::Assign { search, leaves })
}

fn decode_leaf<G: Game>(leaf: v1::Leaf) -> Result<LeafSpec<G>, WireError> {
    let v1::Leaf { tag, line, null_allowed } = leaf;
    let tag = parts::leaf_tag(tag)?;
    if line.len() > limits::LINE_BYTES {
        let (length, max) = (line.len(), limits::LINE_BYTES);
        return Err(WireError::TooLong { field: "line", length, max });
    }
    let line = Line::decode(&line).map_err(|error| WireError::Leaf { leaf: tag.leaf, error })?;
    Ok(LeafSpec { tag, line, null_allowed })
}

fn decode_agenda<G: Game>(agenda: v1::Agenda) -> Result<ToSlave<G>, WireError> {
    let v1::Agenda { search, sequence, due, speculative, repeat } = agenda;
    Ok(ToSlave::Agenda {
        search: parts::search_tag(search)?,
        sequence: parts::in_range(sequence, "sequence", 1, u64::MAX.into())?,
        due: parts::list(due, "due", limits::WANTS, parts::want)?,
        speculative: parts::list(speculative, "speculative", limits::WANTS, parts::want)?,
        repeat,
    })
}
