//! What the filter that chooses for every chunk (47103) looks for.

/// What filters are chosen for, chunk by chunk. The numbers are those of the client data values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ChunkGoal {
    /// Small chunks at little cost.
    #[default]
    Balanced = 0,
    /// Small chunks, at a cost that a repack can bear.
    Size = 1,
    /// Chunks that are encoded and stored in the least time.
    Speed = 2,
    /// The smallest chunks, whatever they cost.
    Archive = 3,
}

crate::words!(pub ChunkGoal: Balanced "balanced", Size "size", Speed "speed", Archive "archive");

impl ChunkGoal {
    /// The goal of a number in client data values.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&goal| goal as u32 == number)
    }
}

/// The filter as a chain names it, from the numbers of goal and level.
pub(crate) fn chosen_by_chunk(goal: u32, level: u32) -> String {
    let goal = ChunkGoal::from_number(goal).map_or("?", ChunkGoal::name);
    match level {
        0 => format!("frazil({goal})"),
        level => format!("frazil({goal},{level})"),
    }
}
