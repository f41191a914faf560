//! A worker that says what the test makes it say.

use std::net::SocketAddr;

use proto::v1;
use proto::v1::cluster_client::ClusterClient;
use proto::v1::goodbye::Reason as Goodbye;
use proto::v1::master_message::Kind as FromMaster;
use proto::v1::worker_message::Kind as ToMaster;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Streaming};

use super::soon;

/// A worker that says what the test makes it say.
pub struct Puppet {
    mouth: mpsc::Sender<v1::WorkerMessage>,
    ear: Streaming<v1::MasterMessage>,
}

impl Puppet {
    /// Calls the master and says `first`.
    pub async fn call(address: SocketAddr, first: ToMaster) -> Self {
        let url = format!("http://{address}");
        let cluster = ClusterClient::connect(url);
        let mut cluster = soon("connecting", cluster).await.expect("connected");
        let (mouth, words) = mpsc::channel(16);
        mouth.send(first.into()).await.expect("room");
        let call = cluster.work(ReceiverStream::new(words)).await;
        Self { mouth, ear: call.expect("the call is taken").into_inner() }
    }

    /// Joins as worker `name` of process `instance`.
    pub async fn join(address: SocketAddr, name: &str, instance: u64) -> (Self, v1::Welcome) {
        let mut puppet = Self::call(address, ToMaster::Hello(hello(name, instance))).await;
        match puppet.hear().await {
            Ok(Some(FromMaster::Welcome(welcome))) => (puppet, welcome),
            other => panic!("no welcome but {other:?}"),
        }
    }

    pub async fn say(&self, what: ToMaster) {
        self.mouth.send(what.into()).await.expect("the stream is open");
    }

    /// The next message that is no ping; nothing, or an error, at the end of the stream.
    pub async fn hear(&mut self) -> Result<Option<FromMaster>, Code> {
        loop {
            let message = soon("listening", self.ear.message()).await;
            let message = message.map_err(|status| status.code())?;
            match message.map(|message| message.kind.expect("a known kind")) {
                Some(FromMaster::Ping(_)) => {}
                kind => return Ok(kind),
            }
        }
    }

    /// Waits until there is something to search. The first of the leaves, and its search.
    pub async fn expect_leaf(&mut self) -> (v1::SearchTag, v1::LeafTag) {
        loop {
            if let Ok(Some(FromMaster::Assign(assign))) = self.hear().await {
                let leaf = assign.leaves.first().and_then(|leaf| leaf.tag);
                return (assign.search.expect("a search"), leaf.expect("a leaf"));
            }
        }
    }

    pub async fn expect_refusal(&mut self) -> v1::Refused {
        match self.hear().await {
            Ok(Some(FromMaster::Refused(refused))) => refused,
            other => panic!("not refused but {other:?}"),
        }
    }

    pub async fn expect_goodbye(&mut self, reason: Goodbye) -> String {
        match self.hear().await {
            Ok(Some(FromMaster::Goodbye(goodbye))) => {
                assert_eq!(goodbye.reason(), reason, "{goodbye:?}");
                goodbye.detail
            }
            other => panic!("no goodbye but {other:?}"),
        }
    }
}

/// How a worker of this version introduces itself.
pub fn hello(name: &str, instance_id: u64) -> v1::Hello {
    v1::Hello {
        protocol_version: proto::PROTOCOL_VERSION,
        name: name.to_owned(),
        instance_id,
        threads: 1,
        lanes: 1,
        hash_mb: 1,
        version: "test".to_owned(),
        pause_reasons: Vec::new(),
        table_signature: 0,
        peer_port: 0,
    }
}
