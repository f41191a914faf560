//! The way to the master: looked for in the background, so that nobody whose clock runs waits long
//! for it.

use std::time::Duration;

use proto::lan::Whereabouts;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::client::Client;
use super::embedded::Embedded;
use super::{Setup, Trouble};

/// Time between two attempts to reach a master that is gone.
const REDIAL: Duration = Duration::from_secs(2);

/// Which cluster.
#[derive(Debug, Clone)]
pub enum Target {
    /// The master there; one that is to be found is looked for at every connection.
    Remote(Whereabouts),
    /// A master and workers of our own.
    Embedded(Setup),
}

/// The way to one cluster, as far as it is known.
pub struct Reach {
    target: Target,
    embedded: Option<Embedded>,
    client: Option<Client>,
    /// An attempt to connect.
    dialling: Option<JoinHandle<Result<Client, Trouble>>>,
    /// The last one failed, at this time, for this reason.
    down: Option<(Instant, Trouble)>,
}

impl Reach {
    /// Nothing is known yet.
    pub fn new(target: Target) -> Self {
        Self { target, embedded: None, client: None, dialling: None, down: None }
    }

    /// There was a way when one last looked.
    pub fn is_known(&self) -> bool {
        self.client.is_some()
    }

    /// Tries until there is a way. Nothing is lost when this is broken off.
    pub async fn find(&mut self) {
        while self.client.is_none() {
            let again = self.down.is_some();
            if let Some((when, _)) = &self.down {
                sleep_until(*when + REDIAL).await;
            }
            match self.dial().await {
                Ok(_) if again => tracing::info!("the master is there again"),
                // Whoever wants a search is told; until then it is no more than a remark.
                Err(trouble) if !again => tracing::info!("{trouble}"),
                _ => {}
            }
        }
    }

    /// The way, from a master that answers within `patience`. One that was gone when one last looked
    /// is not waited for.
    ///
    /// # Errors
    /// It is gone, or too slow.
    pub async fn client(&mut self, patience: Duration) -> Result<Client, Trouble> {
        if let Some((_, trouble)) = &self.down {
            return Err(trouble.clone());
        }
        // A cluster of our own is there, or will be in a moment.
        let own = matches!(self.target, Target::Embedded(_));
        let patience = if own { Duration::MAX } else { patience };
        if let Ok(client) = timeout(patience, self.checked()).await {
            return client;
        }
        let told = format!("the master has not answered in {} ms", patience.as_millis());
        let trouble = Trouble::Lost(told);
        (self.down, self.client) = (Some((Instant::now(), trouble.clone())), None);
        Err(trouble)
    }

    /// The way that is known, if it still leads there, or another.
    async fn checked(&mut self) -> Result<Client, Trouble> {
        if let Some(client) = &mut self.client
            && client.status().await.is_ok()
        {
            return Ok(client.clone());
        }
        self.dial().await
    }

    /// Connects, or waits for the attempt under way.
    async fn dial(&mut self) -> Result<Client, Trouble> {
        let attempt = match self.dialling.take() {
            Some(attempt) => attempt,
            None => self.attempt(),
        };
        let attempt = self.dialling.insert(attempt);
        let result = attempt.await.unwrap_or_else(|error| Err(Trouble::Lost(error.to_string())));
        self.dialling = None;
        self.client = result.as_ref().ok().cloned();
        self.down = result.as_ref().err().map(|trouble| (Instant::now(), trouble.clone()));
        result
    }

    fn attempt(&mut self) -> JoinHandle<Result<Client, Trouble>> {
        let setup = match &self.target {
            Target::Remote(master) => {
                let master = master.clone();
                return tokio::spawn(async move { Client::reach(&master).await });
            }
            Target::Embedded(setup) => *setup,
        };
        let embedded = match self.embedded.take() {
            Some(embedded) => Ok(embedded),
            None => Embedded::start(setup),
        };
        let address = embedded.map(|embedded| self.embedded.insert(embedded).address());
        tokio::spawn(async move {
            let address = address?;
            let mut client = Client::connect(&address).await?;
            client.muster(setup.workers as usize).await?;
            Ok(client)
        })
    }

    /// Takes an embedded cluster down.
    pub async fn end(self) {
        if let Some(attempt) = self.dialling {
            attempt.abort();
        }
        if let Some(embedded) = self.embedded {
            embedded.end().await;
        }
    }
}
