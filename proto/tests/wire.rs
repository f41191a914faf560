//! What is written can be read; what is wrong is said, and never a panic.

use engine_core::aphid::messages::{
    Bounds, Event, LeafResult, LeafSpec, LeafTag, Running, SearchTag, ToMaster, ToSlave, Want,
    Window,
};
use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::random::SplitMix64;
use engine_core::search::Profile;
use engine_core::value::{Bound, INFINITY, Score};
use prost::Message;
use proto::handshake::{self, Admission, Introduction};
use proto::pause::OwnPause;
use proto::v1::master_message::Kind;
use proto::{WireError, limits, profile, score, to_master, to_slave, v1};

const SEARCH: SearchTag = SearchTag { epoch: u64::MAX, search: 3 };
const A_SEARCH: v1::SearchTag = v1::SearchTag { epoch: 1, search: 1 };
const TAG: LeafTag = LeafTag { leaf: 70_000, generation: 2 };

/// Through bytes and back.
fn travel<M: Message + Default>(message: &M) -> M {
    M::decode(message.encode_to_vec().as_slice()).expect("our own bytes")
}

fn to_slave_and_back<G: Game>(message: &ToSlave<G>) -> Vec<ToSlave<G>> {
    to_slave::encode(message)
        .iter()
        .map(|message| to_slave::decode(travel(message).kind.expect("a kind")).expect("valid"))
        .collect()
}

fn want(depth: i32, alpha: i32, beta: i32) -> Want {
    Want { tag: TAG, depth, window: Window { alpha, beta } }
}

fn leaf<G: Game>(line: Line<G>) -> LeafSpec<G> {
    LeafSpec { tag: TAG, line, null_allowed: true }
}

fn every_message_to_a_slave<G: Game>(line: &Line<G>) -> Vec<ToSlave<G>> {
    let due = vec![want(1, -INFINITY, INFINITY), want(127, -1, 0), want(9, 30_990, 31_000)];
    vec![
        ToSlave::Begin { search: SEARCH, profile: Profile::Exact, fresh: true },
        ToSlave::Begin { search: SEARCH, profile: Profile::Classic, fresh: false },
        ToSlave::Assign { search: SEARCH, leaves: vec![leaf(line.clone()); 3] },
        ToSlave::Agenda {
            search: SEARCH,
            sequence: u64::MAX,
            speculative: due.clone(),
            due,
            repeat: true,
        },
        ToSlave::End { search: SEARCH },
    ]
}

#[test]
fn messages_to_slaves_arrive_as_they_were() {
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"];
    let chess = Line::from_moves(Chess::start(), knights).unwrap();
    assert_eq!(chess.history.len(), 5);
    for message in every_message_to_a_slave(&chess) {
        assert_eq!(to_slave_and_back(&message), [message]);
    }
    for message in every_message_to_a_slave(&Line::new(Othello::start())) {
        assert_eq!(to_slave_and_back(&message), [message]);
    }
}

#[test]
fn a_large_assignment_travels_in_parts_that_fit() {
    let line = Line { position: Othello::start(), history: vec![u64::MAX; 500] };
    for count in [0, 1, limits::LEAVES, limits::LEAVES + 1, 2500] {
        let leaves: Vec<_> = (0..count as u32)
            .map(|index| LeafSpec {
                tag: LeafTag { leaf: index, generation: 1 },
                ..leaf(line.clone())
            })
            .collect();
        let message = ToSlave::Assign { search: SEARCH, leaves: leaves.clone() };
        for part in to_slave::encode(&message) {
            assert!(part.encoded_len() < 4 << 20, "gRPC reads 4 MiB");
        }
        let arrived: Vec<_> = to_slave_and_back(&message)
            .into_iter()
            .flat_map(|part| match part {
                ToSlave::Assign { leaves, .. } => leaves,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(arrived, leaves);
    }
}

#[test]
fn the_most_urgent_part_of_an_endless_agenda_travels() {
    let due = vec![want(127, -32_000, 31_999); limits::WANTS + 5];
    let speculative = due.clone();
    let message: ToSlave<Chess> =
        ToSlave::Agenda { search: SEARCH, sequence: 1, due, speculative, repeat: false };
    assert!(to_slave::encode(&message)[0].encoded_len() < 4 << 20, "gRPC reads 4 MiB");
    let arrived = to_slave_and_back(&message);
    let [ToSlave::Agenda { due, speculative, .. }] = &arrived[..] else { panic!("one agenda") };
    assert_eq!((due.len(), speculative.len()), (limits::WANTS, limits::WANTS));
}

#[test]
fn windows_wider_than_all_values_are_cut_to_them() {
    let wide = want(4, -INFINITY - 3, INFINITY + 3);
    let (due, speculative) = (vec![wide], Vec::new());
    let message: ToSlave<Chess> =
        ToSlave::Agenda { search: SEARCH, sequence: 1, due, speculative, repeat: false };
    let arrived = to_slave_and_back(&message);
    let [ToSlave::Agenda { due, .. }] = &arrived[..] else { panic!("one agenda") };
    assert_eq!(due[..], [want(4, -INFINITY, INFINITY)]);
}

fn result() -> LeafResult {
    let bounds = Bounds { lower: -31_000, upper: 12 };
    LeafResult { tag: TAG, depth: 127, bounds, pv: vec![1, 513, u16::MAX], nodes: u64::MAX }
}

#[test]
fn messages_to_masters_arrive_as_they_were() {
    let running = Running { tag: TAG, depth: 1, nodes: 1 << 40 };
    let unknown = LeafResult { bounds: Bounds::UNKNOWN, pv: Vec::new(), nodes: 0, ..result() };
    let events = [
        Event::Result(result()),
        Event::Result(unknown),
        Event::Running(vec![running; 2]),
        Event::Running(Vec::new()),
        Event::Missing(vec![TAG; limits::MISSING]),
    ];
    for event in events {
        let message = ToMaster { search: SEARCH, nodes: 99, event };
        assert_eq!(to_master::decode(travel(&to_master::encode(&message))), Ok(message));
    }
}

/// A valid result with one thing changed, as the master reads it.
fn spoiled(spoil: impl FnOnce(&mut v1::Report, &mut v1::LeafResult)) -> WireError {
    let message = ToMaster { search: SEARCH, nodes: 1, event: Event::Result(result()) };
    let mut report = to_master::encode(&message);
    let Some(v1::report::Event::Result(mut result)) = report.event.take() else { panic!() };
    spoil(&mut report, &mut result);
    report.event = Some(v1::report::Event::Result(result));
    to_master::decode(report).expect_err("spoiled")
}

fn range(field: &'static str, value: i128, min: i128, max: i128) -> WireError {
    WireError::OutOfRange { field, value, min, max }
}

#[test]
fn reports_out_of_range_are_refused() {
    assert_eq!(spoiled(|report, _| report.search = None), WireError::Missing("search"));
    let no_epoch = Some(v1::SearchTag { epoch: 0, search: 1 });
    assert_eq!(spoiled(|report, _| report.search = no_epoch), WireError::Missing("epoch"));
    assert_eq!(spoiled(|_, result| result.tag = None), WireError::Missing("leaf tag"));
    assert_eq!(spoiled(|_, result| result.depth = 0), range("depth", 0, 1, 127));
    assert_eq!(spoiled(|_, result| result.depth = 128), range("depth", 128, 1, 127));
    let lower = |lower| move |_: &mut v1::Report, result: &mut v1::LeafResult| result.lower = lower;
    assert_eq!(spoiled(lower(-32_001)), range("lower", -32_001, -32_000, 32_000));
    assert_eq!(spoiled(lower(i32::MAX)), range("lower", i32::MAX.into(), -32_000, 32_000));
    assert_eq!(spoiled(lower(13)), WireError::Contradiction { lower: 13, upper: 12 });
    assert_eq!(
        spoiled(|_, result| result.upper = i32::MIN),
        range("upper", i32::MIN.into(), -32_000, 32_000)
    );
    assert_eq!(spoiled(|_, result| result.pv[0] = 0), range("pv", 0, 1, 65_535));
    assert_eq!(spoiled(|_, result| result.pv[2] = 65_536), range("pv", 65_536, 1, 65_535));
    let long = WireError::TooLong { field: "pv", length: 257, max: 256 };
    assert_eq!(spoiled(|_, result| result.pv = vec![1; 257]), long);
    let empty = v1::Report { search: Some(A_SEARCH), nodes: 1, event: None, sharing: None };
    assert_eq!(to_master::decode(empty), Err(WireError::Missing("event")));
    let leaves = vec![v1::RunningLeaf::default(); limits::THREADS + 1];
    let crowd = v1::report::Event::Running(v1::RunningLeaves { leaves });
    let crowded =
        v1::Report { search: Some(A_SEARCH), nodes: 1, event: Some(crowd), sharing: None };
    let long = WireError::TooLong { field: "running", length: 4097, max: 4096 };
    assert_eq!(to_master::decode(crowded), Err(long));
}

#[test]
fn orders_out_of_range_are_refused() {
    let search = || Some(A_SEARCH);
    let tag = || Some(v1::LeafTag { leaf: 4, generation: 1 });
    let begin = |game: &str, profile| {
        Kind::Begin(v1::Begin { search: search(), game: game.into(), profile, fresh: false })
    };
    let assign = |line: Vec<u8>| {
        let leaves = vec![v1::Leaf { tag: tag(), line, null_allowed: true }];
        Kind::Assign(v1::Assign { search: search(), leaves })
    };
    let agenda = |want: v1::Want| {
        let (due, speculative) = (Vec::new(), vec![want]);
        Kind::Agenda(v1::Agenda { search: search(), sequence: 1, due, speculative, repeat: false })
    };
    let good = v1::Want { tag: tag(), depth: 5, alpha: -1, beta: 1 };
    let silent = v1::Agenda { search: search(), ..v1::Agenda::default() };
    let nobody = v1::Assign { search: search(), leaves: Vec::new() };
    let crowd = v1::Assign { search: search(), leaves: vec![v1::Leaf::default(); 1001] };
    let long = vec![good; limits::WANTS + 1];
    let endless = v1::Agenda { search: search(), sequence: 1, due: long, ..v1::Agenda::default() };
    let other = |found: &str| WireError::OtherGame { expected: "chess", found: found.into() };
    let too_long = |field, length, max| WireError::TooLong { field, length, max };
    let cases = [
        (begin("othello", 1), other("othello")),
        (begin("ch\u{0}ss", 1), other("ch\u{fffd}ss")),
        (begin("chess", 0), WireError::Missing("profile")),
        (begin("chess", -7), range("profile", -7, 0, 2)),
        (Kind::Begin(v1::Begin { search: None, ..with_game() }), WireError::Missing("search")),
        (Kind::Assign(nobody), WireError::Missing("leaves")),
        (Kind::Assign(crowd), too_long("leaves", 1001, 1000)),
        (assign(vec![1; 4097]), too_long("line", 4097, 4096)),
        (Kind::Agenda(silent), range("sequence", 0, 1, u64::MAX.into())),
        (Kind::Agenda(endless), too_long("due", limits::WANTS + 1, limits::WANTS)),
        (agenda(v1::Want { tag: None, ..good }), WireError::Missing("leaf tag")),
        (agenda(v1::Want { depth: u32::MAX, ..good }), range("depth", u32::MAX.into(), 1, 127)),
        (agenda(v1::Want { alpha: 1, ..good }), WireError::EmptyWindow { alpha: 1, beta: 1 }),
        (agenda(v1::Want { beta: 32_001, ..good }), range("beta", 32_001, -32_000, 32_000)),
        (Kind::End(v1::End { search: None }), WireError::Missing("search")),
        (Kind::Ping(v1::Ping { nonce: 1 }), WireError::OutOfPlace("Ping")),
        (Kind::Welcome(v1::Welcome::default()), WireError::OutOfPlace("Welcome")),
    ];
    for (kind, error) in cases {
        assert_eq!(to_slave::decode::<Chess>(kind), Err(error));
    }
    for line in [&b""[..], b"\x01", b"\x02\0\0", b"\x01\xff\xff\0", b"\x01\0\0not chess"] {
        let error = to_slave::decode::<Chess>(assign(line.to_vec())).unwrap_err();
        assert!(matches!(error, WireError::Leaf { leaf: 4, .. }), "{error:?}");
    }
}

fn with_game() -> v1::Begin {
    v1::Begin { game: "chess".into(), profile: 1, ..v1::Begin::default() }
}

/// Damages a message's bytes in every way that is cheap to think of; whatever still reads as a
/// message must convert to something or to an error.
fn damage<M: Message + Default>(message: &M, convert: impl Fn(M) -> bool) -> [u32; 2] {
    let bytes = message.encode_to_vec();
    let mut random = SplitMix64::new(5);
    let mut outcomes = [0; 2];
    for _ in 0..4000 {
        let mut bytes = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.next_u64() as u8;
        }
        if random.below(4) == 0 {
            bytes.truncate(random.below(bytes.len() as u64) as usize);
        }
        if let Ok(message) = M::decode(bytes.as_slice()) {
            outcomes[usize::from(convert(message))] += 1;
        }
    }
    outcomes
}

#[test]
fn damaged_bytes_never_panic() {
    let line = Line::from_moves(Chess::start(), ["g1f3", "g8f6"]).unwrap();
    let mut seen = [0; 2];
    for message in every_message_to_a_slave(&line) {
        let decode = |message: v1::MasterMessage| {
            message.kind.is_some_and(|kind| to_slave::decode::<Chess>(kind).is_ok())
        };
        let [bad, good] = damage(&to_slave::encode(&message)[0], decode);
        seen = [seen[0] + bad, seen[1] + good];
    }
    let report = ToMaster { search: SEARCH, nodes: 1, event: Event::Result(result()) };
    let [bad, good] =
        damage(&to_master::encode(&report), |report| to_master::decode(report).is_ok());
    assert!(bad > 100 && good > 100 && seen[0] > 100 && seen[1] > 100, "both kinds were tried");
}

#[test]
fn a_worker_introduces_itself_and_unequal_versions_learn_of_each_other() {
    let introduction = Introduction {
        name: "mill-3".into(),
        instance_id: 1 << 63,
        threads: 16,
        lanes: 2,
        hash_mb: 1024,
        version: "0.1.0".into(),
        sharing: proto::handshake::Sharer::default(),
        pause: OwnPause { in_use: false, on_battery: true },
    };
    let hello = introduction.hello();
    assert_eq!(Introduction::admit(travel(&hello)), Ok(introduction));

    // Even if nothing else in it makes sense any more.
    for version in [0, proto::PROTOCOL_VERSION + 1] {
        let stranger = v1::Hello { protocol_version: version, ..v1::Hello::default() };
        let refused = Introduction::admit(stranger).unwrap_err();
        assert_eq!(refused.reason(), v1::refused::Reason::VersionMismatch);
        assert_eq!(refused.worker_protocol_version, version);
        assert_eq!(refused.master_protocol_version, proto::PROTOCOL_VERSION);
        assert!(refused.detail.contains(&format!("version {version}")), "{}", refused.detail);
    }
    let newer = v1::Refused {
        reason: v1::refused::Reason::VersionMismatch.into(),
        master_protocol_version: 41,
        master_version: "9.9\n".into(),
        ..v1::Refused::default()
    };
    let told = handshake::describe(&newer);
    let ours = format!("version {}", proto::PROTOCOL_VERSION);
    assert!(told.contains("version 41") && told.contains(&ours) && !told.contains('\n'), "{told}");

    let spoil: [fn(&mut v1::Hello); 10] = [
        |hello| hello.name.clear(),
        |hello| hello.name = "x".repeat(65),
        |hello| hello.name = "\u{1b}[2J".into(),
        |hello| hello.instance_id = 0,
        |hello| hello.threads = 0,
        |hello| hello.threads = 4097,
        |hello| hello.lanes = 0,
        |hello| hello.lanes = 17,
        |hello| hello.version = "v".repeat(65),
        |hello| hello.pause_reasons = vec![3],
    ];
    for spoil in spoil {
        let mut hello = hello.clone();
        spoil(&mut hello);
        let refused = Introduction::admit(hello).unwrap_err();
        assert_eq!(refused.reason(), v1::refused::Reason::MalformedHello);
    }
}

#[test]
fn a_welcome_is_checked() {
    let admission = Admission { worker_id: 7, epoch: 8, version: "0.1.0".into() };
    let welcome = admission.welcome();
    assert_eq!(Admission::read(travel(&welcome)), Ok(admission));
    let no_epoch = v1::Welcome { epoch: 0, ..welcome.clone() };
    assert_eq!(Admission::read(no_epoch), Err(WireError::Missing("epoch")));
    let other = v1::Welcome { protocol_version: 9, ..welcome };
    assert!(matches!(Admission::read(other), Err(WireError::OutOfRange { value: 9, .. })));
}

#[test]
fn small_words_arrive_as_they_were() {
    for score in [Score::Centipawns(-35), Score::Mate(-3), Score::Mate(0), Score::Discs(64)] {
        assert_eq!(Score::try_from(travel(&v1::Score::from(score))), Ok(score));
    }
    let silly = v1::Score { kind: Some(v1::score::Kind::Discs(65)) };
    assert_eq!(Score::try_from(silly), Err(range("discs", 65, -64, 64)));
    assert_eq!(Score::try_from(v1::Score { kind: None }), Err(WireError::Missing("score")));
    for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
        assert_eq!(score::decode_bound(v1::Bound::from(bound).into()), Ok(bound));
    }
    assert_eq!(score::decode_bound(0), Err(WireError::Missing("bound")));
    assert_eq!(score::decode_bound(4), Err(range("bound", 4, 1, 3)));
    for wanted in [Profile::Exact, Profile::Classic] {
        assert_eq!(profile::decode(profile::encode(wanted).into()), Ok(Some(wanted)));
    }
    assert_eq!(profile::decode(0), Ok(None));
}

#[test]
fn the_specification_is_there_for_reflection() {
    let services = [&b"aphid.v1"[..], b"Cluster", b"Analysis", b"Work", b"Search", b"Status"];
    for name in services {
        let found = proto::FILE_DESCRIPTOR_SET.windows(name.len()).any(|window| window == name);
        assert!(found, "{}", String::from_utf8_lossy(name));
    }
}
