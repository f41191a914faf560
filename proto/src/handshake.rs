//! Greeting and refusing a worker.

use crate::error::WireError;
use crate::pause::OwnPause;
use crate::v1::refused::Reason;
use crate::{PROGRAM_VERSION, PROTOCOL_VERSION, limits, parts, peers, printable, text, v1};

/// A worker, as it introduces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// What people call it; need not be unique.
    pub name: String,
    /// Drawn when its process started, not 0.
    pub instance_id: u64,
    /// Search threads, 1..=[`limits::THREADS`].
    pub threads: u32,
    /// Leaves it searches at once, 1..=`threads`.
    pub lanes: u32,
    /// Size of its hash table in MiB.
    pub hash_mb: u64,
    /// Version of its program.
    pub version: String,
    /// Why it pauses itself just now.
    pub pause: OwnPause,
    /// How it shares what it finds with other workers.
    pub sharing: Sharer,
}

/// How a worker shares what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sharer {
    /// What its table entries mean: workers with equal numbers may exchange them. 0: it does not.
    pub signature: u64,
    /// Where it listens to others; 0: nowhere.
    pub port: u16,
}

impl Introduction {
    /// The first message of a worker.
    pub fn hello(&self) -> v1::Hello {
        v1::Hello {
            protocol_version: PROTOCOL_VERSION,
            name: self.name.clone(),
            instance_id: self.instance_id,
            threads: self.threads,
            lanes: self.lanes,
            hash_mb: self.hash_mb,
            version: self.version.clone(),
            pause_reasons: self.pause.encode(),
            table_signature: self.sharing.signature,
            peer_port: self.sharing.port.into(),
        }
    }

    /// What a master makes of the first message of a worker. The version is looked at before
    /// everything else, so that a worker of another version learns that, and nothing misleading.
    ///
    /// # Errors
    /// The answer to send instead of a welcome.
    pub fn admit(hello: v1::Hello) -> Result<Self, v1::Refused> {
        let theirs = hello.protocol_version;
        if theirs != PROTOCOL_VERSION {
            let detail = format!(
                "master speaks protocol version {PROTOCOL_VERSION}, worker version {theirs}"
            );
            return Err(refused(Reason::VersionMismatch, detail, theirs));
        }
        Self::checked(hello)
            .map_err(|error| refused(Reason::MalformedHello, error.to_string(), theirs))
    }

    fn checked(hello: v1::Hello) -> Result<Self, WireError> {
        let v1::Hello { name, instance_id, threads, lanes, hash_mb, version, .. } = hello;
        let pause = OwnPause::decode(hello.pause_reasons)?;
        if name.is_empty() {
            return Err(WireError::Missing("name"));
        }
        if instance_id == 0 {
            return Err(WireError::Missing("instance_id"));
        }
        Ok(Self {
            name: text::checked(name, "name", limits::NAME_BYTES)?,
            instance_id,
            threads: parts::in_range(threads, "threads", 1, limits::THREADS as i128)?,
            lanes: parts::in_range(lanes, "lanes", 1, i128::from(threads))?,
            hash_mb,
            version: text::checked(version, "version", limits::VERSION_BYTES)?,
            pause,
            sharing: Sharer {
                signature: hello.table_signature,
                port: peers::port(hello.peer_port)?,
            },
        })
    }
}

/// A master's refusal of a worker that named protocol version `worker_version`.
pub fn refused(reason: Reason, detail: impl Into<String>, worker_version: u32) -> v1::Refused {
    v1::Refused {
        reason: reason.into(),
        detail: detail.into(),
        master_protocol_version: PROTOCOL_VERSION,
        worker_protocol_version: worker_version,
        master_version: PROGRAM_VERSION.to_owned(),
    }
}

/// A refusal in one sentence for a worker's log.
pub fn describe(refused: &v1::Refused) -> String {
    let program = printable(&refused.master_version, limits::VERSION_BYTES);
    if refused.reason() == Reason::VersionMismatch {
        return format!(
            "the master (aphid {program}) speaks protocol version {}, this worker (aphid \
             {PROGRAM_VERSION}) version {PROTOCOL_VERSION}: run the same release on both",
            refused.master_protocol_version,
        );
    }
    printable(&refused.detail, limits::DETAIL_BYTES)
}

/// A master's welcome, read by the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    /// Number of this worker at the master.
    pub worker_id: u64,
    /// The master's epoch, not 0.
    pub epoch: u64,
    /// Version of the master's program.
    pub version: String,
}

impl Admission {
    /// The master's first message.
    pub fn welcome(&self) -> v1::Welcome {
        v1::Welcome {
            protocol_version: PROTOCOL_VERSION,
            worker_id: self.worker_id,
            epoch: self.epoch,
            version: self.version.clone(),
        }
    }

    /// Reads a welcome.
    ///
    /// # Errors
    /// Another protocol version, or a field out of its range.
    pub fn read(welcome: v1::Welcome) -> Result<Self, WireError> {
        let v1::Welcome { protocol_version, worker_id, epoch, version } = welcome;
        let ours = PROTOCOL_VERSION.into();
        parts::in_range(protocol_version, "protocol_version", ours, ours)?;
        if epoch == 0 {
            return Err(WireError::Missing("epoch"));
        }
        let version = text::checked(version, "version", limits::VERSION_BYTES)?;
        Ok(Self { worker_id, epoch, version })
    }
}
