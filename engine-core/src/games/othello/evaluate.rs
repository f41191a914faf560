//! Static evaluation: a weighted sum of board features, with weights that change as it fills up.

use super::board::{CORNERS, anchored, mobility, neighbours};
use crate::value::Value;

/// Largest absolute value returned: a finished game can be worth a little more.
const LIMIT: Value = 6_300;

/// Squares next to a corner along the edge.
const C_SQUARES: u64 = 0x4281_0000_0000_8142;
/// Squares diagonally next to a corner.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;
/// Edge squares two steps from a corner.
const A_SQUARES: u64 = 0x2400_8100_0081_0024;
/// The middle squares of each edge.
const B_SQUARES: u64 = 0x1800_0081_8100_0018;
/// Squares inside the edge next to an X-square.
const INNER_NEAR: u64 = 0x0024_4200_0042_2400;
/// The middle squares one step inside each edge.
const INNER_MIDDLE: u64 = 0x0018_0042_4200_1800;
/// The corners of the central sixteen squares.
const BOX_CORNERS: u64 = 0x0000_2400_0024_0000;
/// The twelve squares in the very middle.
const CENTRE: u64 = 0x0000_183c_3c18_0000;

/// Number of features.
const FEATURES: usize = 20;

/// Square-root table of move counts, in eighths: the second move is worth more than the tenth.
static ROOTS: [i32; 64] = {
    let mut table = [0; 64];
    let mut count = 0;
    while count < 64 {
        table[count] = (64 * count as u32).isqrt() as i32;
        count += 1;
    }
    table
};

/// Numbers of empty squares at which the weights of [`KNOTS`] hold.
const KNOT_EMPTIES: [i32; 5] = [4, 14, 24, 34, 46];

/// Weights in hundredths of a disc for one unit of each feature, in the order of [`features`]; one
/// column a knot.
///
/// Fitted by least squares to the final margins of 40,000 games that this program played against
/// itself three plies deep from eight-ply openings (1.46 million positions after a random
/// stretch), with a penalty on differences between knots because early corners are rare.
const KNOTS: [[i32; KNOT_EMPTIES.len()]; FEATURES] = [
    [124, 372, 905, 1626, 1926],     // corners
    [63, -75, -16, 10, 62],          // C-squares beside an empty corner
    [77, 20, 128, 151, 47],          // other C-squares
    [10, -12, 38, 94, 304],          // A-squares
    [10, -1, 52, 79, 187],           // B-squares
    [142, -189, -617, -1117, -1636], // X-squares beside an empty corner
    [109, 98, 83, -43, 151],         // other X-squares
    [42, -34, -41, -56, -1],         // inside the edge near a corner
    [53, -8, -18, 3, 48],            // inside the middle of the edge
    [18, -4, 50, 107, 78],           // corners of the central box
    [66, 5, 6, -6, 28],              // centre
    [86, 77, 59, 70, 54],            // own moves, root in eighths
    [-68, -57, -43, -55, -35],       // opposing moves, root in eighths
    [-105, -49, 7, 26, 47],          // moves to come
    [-108, -86, -121, -138, -125],   // frontier discs
    [64, 110, 84, 115, 338],         // discs anchored in a corner
    [392, 649, 635, 738, 707],       // corners to take
    [-326, -473, -445, -496, -507],  // corners to lose
    [-264, -553, -580, -597, -636],  // having the move
    [181, 217, 194, 230, 223],       // having the last move
];

/// Weights for each number of empty squares, straight lines between the knots.
static WEIGHTS: [[i32; FEATURES]; 65] = {
    let mut table = [[0; FEATURES]; 65];
    let mut empties = 0;
    while empties <= 64 {
        let mut knot = 0;
        while knot + 2 < KNOT_EMPTIES.len() && empties as i32 > KNOT_EMPTIES[knot + 1] {
            knot += 1;
        }
        let (low, high) = (KNOT_EMPTIES[knot], KNOT_EMPTIES[knot + 1]);
        let mut at = empties as i32;
        if at < KNOT_EMPTIES[0] {
            at = KNOT_EMPTIES[0];
        } else if at > high {
            at = high;
        }
        let mut feature = 0;
        while feature < FEATURES {
            let (below, above) = (KNOTS[feature][knot], KNOTS[feature][knot + 1]);
            table[empties][feature] = (below * (high - at) + above * (at - low)) / (high - low);
            feature += 1;
        }
        empties += 1;
    }
    table
};

/// Expected final margin for the side to move, in hundredths of a disc.
#[inline]
pub fn evaluate(own: u64, opponent: u64) -> Value {
    let weights = &WEIGHTS[(own | opponent).count_zeros() as usize];
    let sum: Value =
        features(own, opponent).iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    sum.clamp(-LIMIT, LIMIT)
}

/// What the evaluation looks at. Unless it says otherwise, a feature is the side to move's count
/// less its opponent's.
#[inline]
fn features(own: u64, opponent: u64) -> [i32; FEATURES] {
    let empty = !(own | opponent);
    let exposed = neighbours(empty & CORNERS);
    let beside_empty = neighbours(empty);
    let (own_moves, opponent_moves) = (mobility(own, opponent), mobility(opponent, own));
    let count = |set: u64| set.count_ones() as i32;
    let lead = |mask: u64| count(own & mask) - count(opponent & mask);
    [
        // Squares; those next to a corner tell whether the corner can still be taken.
        lead(CORNERS),
        lead(C_SQUARES & exposed),
        lead(C_SQUARES & !exposed),
        lead(A_SQUARES),
        lead(B_SQUARES),
        lead(X_SQUARES & exposed),
        lead(X_SQUARES & !exposed),
        lead(INNER_NEAR),
        lead(INNER_MIDDLE),
        lead(BOX_CORNERS),
        lead(CENTRE),
        // Mobility: moves now, for each side alone.
        ROOTS[count(own_moves) as usize & 63],
        ROOTS[count(opponent_moves) as usize & 63],
        // Moves to come: empty squares beside opposing discs, and the discs that give them.
        count(empty & neighbours(opponent)) - count(empty & neighbours(own)),
        lead(beside_empty),
        count(anchored(own)) - count(anchored(opponent)),
        // Corners each side could take at once.
        count(own_moves & CORNERS),
        count(opponent_moves & CORNERS),
        // The move itself, and who would have the last one.
        1,
        if count(empty) & 1 == 1 { 1 } else { -1 },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::othello::{Othello, testing};

    #[test]
    fn the_square_classes_partition_the_board() {
        let classes = [
            CORNERS,
            C_SQUARES,
            X_SQUARES,
            A_SQUARES,
            B_SQUARES,
            INNER_NEAR,
            INNER_MIDDLE,
            BOX_CORNERS,
            CENTRE,
        ];
        assert_eq!(classes.iter().fold(0, |all, class| all | class), u64::MAX);
        assert_eq!(classes.iter().map(|class| class.count_ones()).sum::<u32>(), 64);
    }

    #[test]
    fn the_value_is_the_same_for_both_colours() {
        for seed in 0..100 {
            for position in testing::random_game(seed) {
                let mover = position.mover().other();
                let swapped = Othello::new(position.white(), position.black(), mover).unwrap();
                assert_eq!(swapped.evaluate(), position.evaluate());
            }
        }
    }

    /// Mirrors the files.
    fn mirrored(board: u64) -> u64 {
        board.reverse_bits().swap_bytes()
    }

    /// Mirrors along the long diagonal a1-h8.
    fn transposed(board: u64) -> u64 {
        (0..64).fold(0, |turned, square| {
            turned | (board >> square & 1) << (8 * (square % 8) + square / 8)
        })
    }

    #[test]
    fn the_value_is_the_same_on_all_eight_views_of_the_board() {
        for seed in 0..100 {
            for position in testing::random_game(seed) {
                let expected = position.evaluate();
                let mut sides = [position.own, position.opponent];
                for _ in 0..4 {
                    sides = sides.map(mirrored);
                    assert_eq!(evaluate(sides[0], sides[1]), expected, "seed {seed}");
                    sides = sides.map(transposed);
                    assert_eq!(evaluate(sides[0], sides[1]), expected, "seed {seed}");
                }
                assert_eq!(sides, [position.own, position.opponent], "eight views come round");
            }
        }
    }

    #[test]
    fn values_stay_within_the_board() {
        for (own, opponent) in [(u64::MAX >> 1, 0), (0, u64::MAX >> 1), (CORNERS, 0)] {
            assert!(evaluate(own, opponent).abs() <= LIMIT);
        }
    }

    #[test]
    fn a_corner_is_welcome_and_giving_one_away_is_not() {
        let own = 0x0000_0018_1000_0000;
        let opponent = 0x0000_0000_0810_0000;
        assert!(evaluate(own | 1, opponent) > evaluate(own, opponent) + 500);
        assert!(evaluate(own | 1 << 9, opponent) < evaluate(own | 1 << 18, opponent) - 200);
    }
}
