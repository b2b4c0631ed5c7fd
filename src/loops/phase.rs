//! The closed sets of loop.md 2 and 4: phases and modes.

/// Where a loop stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Init,
    Requirements,
    Direction,
    Solution,
    Plan,
    Implementation,
    Review,
    TestStrategy,
    TestPlan,
    Tests,
    Issues,
    Verification,
    Routing,
    AwaitingApproval,
    Complete,
    Paused,
    Failed,
}

impl Phase {
    pub const ALL: [Self; 17] = [
        Self::Init,
        Self::Requirements,
        Self::Direction,
        Self::Solution,
        Self::Plan,
        Self::Implementation,
        Self::Review,
        Self::TestStrategy,
        Self::TestPlan,
        Self::Tests,
        Self::Issues,
        Self::Verification,
        Self::Routing,
        Self::AwaitingApproval,
        Self::Complete,
        Self::Paused,
        Self::Failed,
    ];

    /// The phases of a round, in their order.
    pub const ORDER: [Self; 13] = [
        Self::Init,
        Self::Requirements,
        Self::Direction,
        Self::Solution,
        Self::Plan,
        Self::Implementation,
        Self::Review,
        Self::TestStrategy,
        Self::TestPlan,
        Self::Tests,
        Self::Issues,
        Self::Verification,
        Self::Routing,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Requirements => "part_1_1",
            Self::Direction => "part_1_2",
            Self::Solution => "part_1_3",
            Self::Plan => "part_2_1",
            Self::Implementation => "part_2_2",
            Self::Review => "part_2_3",
            Self::TestStrategy => "part_2_4",
            Self::TestPlan => "part_2_5",
            Self::Tests => "part_2_6",
            Self::Issues => "part_2_7",
            Self::Verification => "part_2_8",
            Self::Routing => "routing",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Complete => "complete",
            Self::Paused => "paused",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text)
    }

    /// Whether work goes on in it: the loop has neither ended nor been stopped.
    pub const fn is_running(self) -> bool {
        !matches!(self, Self::Complete | Self::Paused | Self::Failed)
    }

    /// Whether a failure that cannot be retried pauses the loop (loop.md 4, "critical").
    pub const fn is_critical(self) -> bool {
        matches!(self, Self::Implementation | Self::Verification)
    }
}

/// How much a driver may do without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Safe,
    Auto,
    Unsafe,
    Collaborative,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Safe, Self::Auto, Self::Unsafe, Self::Collaborative];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Auto => "auto",
            Self::Unsafe => "unsafe",
            Self::Collaborative => "collaborative",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text)
    }

    /// One step safer (loop.md 7, `auto_degrade`).
    pub const fn safer(self) -> Self {
        match self {
            Self::Unsafe => Self::Auto,
            Self::Auto | Self::Collaborative | Self::Safe => Self::Safe,
        }
    }
}
