//! What a pass need not walk through again.
//!
//! Two passes of one iteration differ only above leaves of which something new has come in between.
//! A subtree without such a leaf would give the same guess and the same wishes once more, so they
//! are taken over, and a pass costs what has changed rather than the whole tree. Only guesses are
//! kept here: what is certain stands in the master's table, so nothing proved rests on this.

use std::collections::HashMap; // lookup only

use crate::game::Game;
use crate::search::horizon::Node;
use crate::value::Value;

use super::pass::Visit;

/// What is asked of an inner node: all its value depends on but the leaves below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Question {
    identity: u64,
    ply: usize,
    depth: i32,
    alpha: Value,
    beta: Value,
}

impl Question {
    fn at<G: Game>(node: &Node<'_, G>) -> Self {
        let &Node { identity, ply, depth, alpha, beta, .. } = node;
        Self { identity, ply, depth, alpha, beta }
    }
}

/// An uncertain answer, and what it rests on.
#[derive(Debug)]
pub(crate) struct Answer {
    /// News counted when the node was entered.
    pub news: u64,
    /// Value, counted from the root.
    pub value: Value,
    /// Uncertain visits below, in order; at least one.
    pub uncertain: Vec<Visit>,
    /// Certain visits below, in order.
    pub certain: Vec<Visit>,
}

/// An inner node on the path to where the pass is.
#[derive(Debug)]
pub(crate) struct Entered {
    question: Question,
    /// News counted by then.
    news: u64,
    /// Uncertain visits before it.
    pub uncertain: usize,
    /// Certain visits before it.
    pub certain: usize,
}

/// The uncertain answers of the running iteration.
#[derive(Debug, Default)]
pub(crate) struct Recall {
    answers: HashMap<Question, Answer>, // lookup only
    path: Vec<Entered>,
}

impl Recall {
    /// A new traversal begins.
    pub fn begin(&mut self) {
        self.path.clear();
    }

    /// Nothing found so far holds any more.
    pub fn forget(&mut self) {
        self.answers.clear();
    }

    /// What `node` gave the last time it was asked the same.
    pub fn find<G: Game>(&self, node: &Node<'_, G>) -> Option<&Answer> {
        self.answers.get(&Question::at(node))
    }

    /// The pass goes on below `node`, after so many visits and pieces of news.
    pub fn enter<G: Game>(
        &mut self,
        node: &Node<'_, G>,
        news: u64,
        uncertain: usize,
        certain: usize,
    ) {
        self.path.push(Entered { question: Question::at(node), news, uncertain, certain });
    }

    /// The pass leaves the node entered last of those it has not left.
    pub fn leave(&mut self) -> Option<Entered> {
        self.path.pop()
    }

    /// Keeps the answer of a node just left.
    pub fn keep(&mut self, node: &Entered, value: Value, uncertain: &[Visit], certain: &[Visit]) {
        let (uncertain, certain) = (uncertain.to_vec(), certain.to_vec());
        let answer = Answer { news: node.news, value, uncertain, certain };
        self.answers.insert(node.question, answer);
    }
}
