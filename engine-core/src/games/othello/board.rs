//! Flips, mobility and stability on bitboards.
//!
//! Square `8 * (rank - 1) + file`: a1 is bit 0 in the top left corner, h8 is bit 63.

/// Squares of the a file.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;
/// Squares of the h file.
pub const FILE_H: u64 = FILE_A << 7;
/// Squares of the first and last rank.
const RANKS_1_8: u64 = 0xff00_0000_0000_00ff;
/// Squares with a neighbour beyond the edge.
const BORDER: u64 = FILE_A | FILE_H | RANKS_1_8;
/// The four corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;

/// Rays from a square, without the square itself: four towards higher bits, four towards lower.
struct Rays {
    up: [u64; 4],
    down: [u64; 4],
}

/// [`Rays`] of every square.
static RAYS: [Rays; 64] = {
    const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    const NONE: Rays = Rays { up: [0; 4], down: [0; 4] };
    let mut rays = [NONE; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let (file, rank) = DIRECTIONS[direction];
            rays[square].up[direction] = ray(square, file, rank);
            rays[square].down[direction] = ray(square, -file, -rank);
            direction += 1;
        }
        square += 1;
    }
    rays
};

/// Squares beyond `square` in steps of (`file_step`, `rank_step`), to the edge.
const fn ray(square: usize, file_step: i32, rank_step: i32) -> u64 {
    let (mut file, mut rank) = (square as i32 % 8, square as i32 / 8);
    let mut squares = 0;
    loop {
        file += file_step;
        rank += rank_step;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            return squares;
        }
        squares |= 1 << (8 * rank + file);
    }
}

/// The discs of `opponent` turned over when `own` plays on the empty `square`; 0 where that is no
/// legal move.
#[inline]
pub fn flips(own: u64, opponent: u64, square: u8) -> u64 {
    let rays = &RAYS[square as usize & 63];
    let mut flipped = 0;
    for ray in rays.up {
        // Adding one carries through everything but the first square of the ray that the
        // opponent does not hold.
        let end = (opponent | !ray).wrapping_add(1) & own & ray;
        flipped |= end.wrapping_sub(u64::from(end != 0)) & ray;
    }
    for ray in rays.down {
        // The lowest bit only keeps the shift in range; `& ray` drops it where it does not belong.
        let end = (1 << 63) >> ((ray & !opponent) | 1).leading_zeros() & own & ray;
        flipped |= (end << 1).wrapping_neg() & ray;
    }
    flipped
}

/// The empty squares where `own` may play.
#[inline]
pub fn mobility(own: u64, opponent: u64) -> u64 {
    // Runs along ranks and diagonals must not wrap around the sides, so they may only pass
    // through the inner files; the end of the run is free to lie on the side itself.
    let inner = opponent & !(FILE_A | FILE_H);
    let ends = run::<1>(own, inner)
        | run::<7>(own, inner)
        | run::<8>(own, opponent)
        | run::<9>(own, inner);
    ends & !(own | opponent)
}

/// Squares at the far ends of unbroken runs of `through` that begin next to `from`, both ways
/// along the axis with this `STEP`. Runs are at most six squares long.
#[inline]
fn run<const STEP: u32>(from: u64, through: u64) -> u64 {
    let mut up = through & (from << STEP);
    let mut down = through & (from >> STEP);
    up |= through & (up << STEP);
    down |= through & (down >> STEP);
    let pairs_up = through & (through << STEP);
    let pairs_down = pairs_up >> STEP;
    up |= pairs_up & (up << (2 * STEP));
    down |= pairs_down & (down >> (2 * STEP));
    up |= pairs_up & (up << (2 * STEP));
    down |= pairs_down & (down >> (2 * STEP));
    (up << STEP) | (down >> STEP)
}

/// Squares next to one of `squares`, in any of the eight directions (some of `squares` included).
#[inline]
pub const fn neighbours(squares: u64) -> u64 {
    let row = squares | ((squares << 1) & !FILE_A) | ((squares >> 1) & !FILE_H);
    row | (row << 8) | (row >> 8)
}

/// Discs of `own` that can never be turned over because they are anchored in a corner: along each
/// of the four axes they touch the edge or another such disc.
#[inline]
pub const fn anchored(own: u64) -> u64 {
    let mut stable = own & CORNERS;
    if stable == 0 {
        return 0;
    }
    loop {
        // Shifts that wrap around land on a side file, which is safe along that axis anyway.
        let along_rank = (stable << 1) | (stable >> 1) | FILE_A | FILE_H;
        let along_file = (stable << 8) | (stable >> 8) | RANKS_1_8;
        let falling = (stable << 9) | (stable >> 9) | BORDER;
        let rising = (stable << 7) | (stable >> 7) | BORDER;
        let grown = own & along_rank & along_file & falling & rising;
        if grown == stable {
            return stable;
        }
        stable = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::othello::testing;

    /// The rule book read literally: walk each direction over opposing discs to an own one.
    fn flips_by_walking(own: u64, opponent: u64, square: u8) -> u64 {
        let mut flipped = 0;
        for (file_step, rank_step) in
            [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
        {
            let (mut file, mut rank) = (i32::from(square) % 8, i32::from(square) / 8);
            let mut passed = 0;
            loop {
                file += file_step;
                rank += rank_step;
                if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                    break;
                }
                let bit = 1 << (8 * rank + file);
                if opponent & bit != 0 {
                    passed |= bit;
                    continue;
                }
                if own & bit != 0 {
                    flipped |= passed;
                }
                break;
            }
        }
        flipped
    }

    #[test]
    fn flips_and_mobility_agree_with_walking_the_board() {
        for seed in 0..2_000 {
            let mut random = testing::Random::new(seed);
            let occupied = random.next() | random.next();
            let own = occupied & random.next();
            let opponent = occupied & !own;
            let mut movable = 0;
            for square in (0..64).filter(|square| occupied >> square & 1 == 0) {
                let expected = flips_by_walking(own, opponent, square);
                assert_eq!(flips(own, opponent, square), expected, "seed {seed}, {square}");
                movable |= u64::from(expected != 0) << square;
            }
            assert_eq!(mobility(own, opponent), movable, "seed {seed}");
        }
    }

    #[test]
    fn anchored_discs_survive_every_random_game() {
        let mut seen = 0;
        for seed in 0..300 {
            let mut promised = [0; 2];
            for position in testing::random_game(seed) {
                for (held, discs) in promised.iter_mut().zip([position.black(), position.white()]) {
                    assert_eq!(*held & !discs, 0, "seed {seed}: a stable disc was turned over");
                    *held |= anchored(discs);
                }
            }
            seen += (promised[0] | promised[1]).count_ones();
        }
        assert!(seen > 3_000, "only {seen} stable discs seen");
    }

    #[test]
    fn neighbours_do_not_wrap() {
        assert_eq!(neighbours(1) & !1, 0x0302 & !1);
        assert_eq!(neighbours(1 << 63) & !(1 << 63), 0x40c0_0000_0000_0000);
        assert_eq!(neighbours(1 << 7) & !(1 << 7), 0xc040);
        assert_eq!(neighbours(1 << 28).count_ones(), 9);
    }
}
