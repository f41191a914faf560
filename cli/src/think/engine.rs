//! Whoever carries out the orders: a cluster where there is one, this process otherwise.

use proto::lan::Whereabouts;

use super::alone::Alone;
use super::cluster::Cluster;
use super::reach::Target;
use super::{Event, Machine, Order, Setup, Sink, Trouble};

/// A cluster and, beside it, a search of our own that depends on nobody.
pub struct Engine {
    master: Option<Whereabouts>,
    cluster: Option<Cluster>,
    setup: Option<Setup>,
    alone: Alone,
    machine: Machine,
}

impl Engine {
    /// For the cluster of `master`, which it sets out to reach; without one, for the cluster that
    /// [`configure`](Self::configure) asks for.
    pub fn new(master: Option<Whereabouts>, machine: Machine) -> Self {
        let cluster = master.clone().and_then(|master| start(Target::Remote(master)));
        let alone = Alone::new(machine);
        Self { master, cluster, setup: None, alone, machine }
    }

    /// Builds another embedded cluster; the cluster of a master is what it is.
    pub fn configure(&mut self, setup: Setup) {
        if setup.machine != self.machine {
            self.machine = setup.machine;
            self.alone.forget(setup.machine);
        }
        if self.master.is_none() && self.setup != Some(setup) {
            // The old one goes before the new one comes: two hash tables may not fit.
            self.cluster = None;
            self.setup = Some(setup);
            if setup.workers > 0 {
                self.cluster = start(Target::Embedded(setup));
            }
        }
    }

    /// Begins a search, without any cluster if `here`. The search before must have ended.
    pub fn search(&mut self, order: Order, here: bool, sink: &Sink) {
        match &self.cluster {
            Some(cluster) if !here => cluster.search(order, Sink::clone(sink)),
            _ => {
                if let Err(error) = self.alone.search(order, Sink::clone(sink)) {
                    sink(Event::Failed(Trouble::Lost(format!(
                        "no thread to search with: {error}"
                    ))));
                }
            }
        }
    }

    /// Stops the running search, which then answers.
    pub fn stop(&self) {
        self.alone.stop();
        if let Some(cluster) = &self.cluster {
            cluster.stop();
        }
    }

    /// The move pondered on was played.
    pub fn ponder_hit(&self) {
        self.alone.ponder_hit();
        if let Some(cluster) = &self.cluster {
            cluster.ponder_hit();
        }
    }

    /// Gives the running search up without an answer.
    pub fn abandon(&self) {
        self.alone.stop();
        if let Some(cluster) = &self.cluster {
            cluster.abandon();
        }
    }

    /// Forgets what was learnt.
    pub fn forget(&mut self) {
        self.alone.forget(self.machine);
        if let Some(cluster) = &self.cluster {
            cluster.forget();
        }
    }
}

/// A cluster that cannot even begin leaves the work to the plain search.
fn start(target: Target) -> Option<Cluster> {
    Cluster::new(target).inspect_err(|error| tracing::error!("no cluster: {error}")).ok()
}
