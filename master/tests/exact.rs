//! `exact` means exact on a cluster too: any number of workers and any frontier finds the value of
//! the plain sequential search.

mod stage;

use std::collections::BTreeSet;
use std::time::Instant;

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::value::Score;
use proto::v1;
use proto::v1::analysis_client::AnalysisClient;
use proto::v1::control_request::Command;
use stage::worker::with_workers;
use stage::{control, depth, hear, search, sequential};
use tonic::transport::Channel;

/// Workers of the clusters compared.
const CLUSTERS: [usize; 3] = [1, 2, 4];
/// Depths of the master's own tree; none: chosen node by node.
const FRONTIERS: [Option<u32>; 3] = [Some(2), Some(3), None];

/// The 24 Bratko-Kopec positions, two endings, and the 24 positions of the DTS paper.
fn chess() -> Vec<String> {
    let files = [include_str!("data/chess.epd"), include_str!("../../lab/data/chess/dts24.epd")];
    let lines = files.into_iter().flat_map(str::lines);
    lines.filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// The different positions of the three championship games and of the endgame collection.
fn othello() -> Vec<String> {
    let files = [
        include_str!("../../lab/data/othello/woc1993_shaman_caspard_positions.tsv"),
        include_str!("../../engine-core/tests/data/othello/ffo_endgame.tsv"),
    ];
    let mut seen = BTreeSet::new();
    let mut positions = Vec::new();
    for line in files.into_iter().flat_map(str::lines) {
        let mut fields = line.split('\t').skip_while(|field| field.len() != 64);
        if let (Some(board), Some(mover)) = (fields.next(), fields.next())
            && seen.insert((board, mover))
        {
            positions.push(format!("{board} {mover}"));
        }
    }
    positions
}

/// An exact search from nothing but the position.
fn request<G: Game>(position: &str, plies: u32, frontier: Option<u32>) -> v1::SearchRequest {
    let profile = v1::Profile::Exact.into();
    v1::SearchRequest {
        session: 1,
        game: G::NAME.to_owned(),
        position: position.to_owned(),
        limits: Some(depth(plies)),
        options: Some(v1::Options { profile, frontier, ..v1::Options::default() }),
        ..v1::SearchRequest::default()
    }
}

/// What a cluster of `workers` makes of it, with nothing learnt before.
async fn found(
    client: &mut AnalysisClient<Channel>,
    request: v1::SearchRequest,
    workers: usize,
) -> Score {
    let new_game = Command::NewGame(v1::NewGame {});
    assert_eq!(control(client, 1, new_game).await.ok(), Some(true));
    let heard = hear(search(client, request).await).await;
    let result = heard.result();
    assert!(result.certain && result.workers as usize == workers, "{result:?}");
    heard.score()
}

/// Searches every position with every cluster and frontier.
async fn compare<G: Game>(positions: &[String], plies: u32) {
    let began = Instant::now();
    // First of all, for it keeps the test's runtime from serving anybody.
    let plain = |position: &String| sequential::<G>(&request::<G>(position, plies, None), plies);
    let expected: Vec<Score> = positions.iter().map(plain).collect();
    eprintln!("{} positions searched sequentially in {:?}", positions.len(), began.elapsed());
    let mut differences = Vec::new();
    for workers in CLUSTERS {
        let (stage, _workers) = with_workers(workers).await;
        let mut client = stage.client().await;
        for (position, &expected) in positions.iter().zip(&expected) {
            for frontier in FRONTIERS {
                let request = request::<G>(position, plies, frontier);
                let score = found(&mut client, request, workers).await;
                if score != expected {
                    let place = format!("{position}, {workers} workers, frontier {frontier:?}");
                    differences.push(format!("{place}: {score} instead of {expected}"));
                }
            }
        }
        eprintln!("{workers} workers done after {:?}", began.elapsed());
        stage.end().await;
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

/// Every `step`th.
fn some(positions: &[String], step: usize) -> Vec<String> {
    positions.iter().step_by(step).cloned().collect()
}

#[tokio::test]
async fn clusters_find_the_exact_values_of_some_chess_positions() {
    compare::<Chess>(&some(&chess(), 9), 4).await;
}

#[tokio::test]
async fn clusters_find_the_exact_values_of_some_othello_positions() {
    compare::<Othello>(&some(&othello(), 18), 6).await;
}

#[tokio::test]
#[ignore = "450 searches of chess to depth 6: minutes in release"]
async fn clusters_find_the_exact_values_of_fifty_chess_positions() {
    let positions = chess();
    assert_eq!(positions.len(), 50);
    compare::<Chess>(&positions, 6).await;
}

#[tokio::test]
#[ignore = "945 searches of Othello to depth 8: minutes in release"]
async fn clusters_find_the_exact_values_of_all_othello_positions() {
    let positions = othello();
    assert_eq!(positions.len(), 105);
    compare::<Othello>(&positions, 8).await;
}
