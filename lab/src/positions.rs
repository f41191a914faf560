//! Reading test positions.

use std::path::Path;

use anyhow::{Context, Result, bail};
use engine_core::game::Game;

/// Positions of a file: EPD or FEN lines, or tab-separated tables with columns `board` and
/// `to_move` (and `game`, of which `games` selects the first). `#` begins a comment line.
///
/// # Errors
/// A file that cannot be read or a line that is no position, with its number.
pub fn read<G: Game>(path: &Path, games: Option<u32>) -> Result<Vec<G>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    let mut header: Option<Vec<&str>> = None;
    let mut positions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let parsed = if line.contains('\t') {
            let fields: Vec<&str> = line.split('\t').collect();
            let Some(names) = &header else {
                header = Some(fields);
                continue;
            };
            let Some(text) = table_position(names, &fields, games) else { continue };
            G::parse(&text)
        } else {
            G::parse(line)
        };
        let position = parsed.with_context(|| format!("{}, line {}", path.display(), index + 1))?;
        positions.push(position);
    }
    if positions.is_empty() {
        bail!("{}: no positions", path.display());
    }
    Ok(positions)
}

/// Position text of a table row, unless its game is left out.
fn table_position(names: &[&str], fields: &[&str], games: Option<u32>) -> Option<String> {
    let column = |name| fields.get(names.iter().position(|&n| n == name)?).copied();
    let game = column("game").and_then(|game| game.parse().ok()).unwrap_or(0u32);
    if games.is_some_and(|games| game > games) {
        return None;
    }
    Some(format!("{} {}", column("board")?, column("to_move")?))
}
