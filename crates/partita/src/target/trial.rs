//! Two clusters beside a state, divided in one way after another while the state stays as it is.

/// Two clusters of a state whose statistics are `S`, in a room of their own: the sides of `i` and of `j`, each of which
/// always holds that item. Sizes are those of the two sides.
///
/// What is asked most often, which side wins, need not be known to the last bit: [`quick_log_odds`](Self::quick_log_odds) is
/// enough for most, and whoever finds its [`slack`](Self::slack) too wide asks for the weights.
pub trait Trial<S> {
    /// Fills the room with the two clusters in `slots`; or with the first of them and a new one, for which `leaves` leaves it.
    fn begin(&self, stats: &S, slots: [usize; 2], leaves: Option<usize>, room: &mut Option<S>);

    /// Sends an item from one side to the other.
    fn shift(&self, room: &mut S, item: usize, to_i: bool);

    /// Called after items were sent, before anything is asked.
    fn settle(&self, room: &mut S);

    /// The log weight of an item on the side of `j` less that on the side of `i`, given the rest, to within the slack: none
    /// where the two weights are as quick. `with_i` says on which side it is; it is not `i` or `j`.
    fn quick_log_odds(&self, room: &S, sizes: [usize; 2], item: usize, with_i: bool) -> Option<f64>;

    /// The error that quick log odds stay below.
    fn slack(&self) -> f64;

    /// The log weights of an item on the sides of `i` and of `j` given the rest, with the bits of
    /// [`Target::log_weight`](super::Target::log_weight).
    fn log_weights(&self, room: &mut S, sizes: [usize; 2], item: usize, with_i: bool) -> [f64; 2];

    /// The log probability of the two sides apart less that of them together, where they are beside `clusters - 1` other
    /// clusters; and how far at most a sum of log ratios is from it that takes them apart item by item. None where that sum
    /// is as quick.
    fn quick_split(&self, room: &S, sizes: [usize; 2], clusters: usize) -> Option<(f64, f64)>;

    /// Keeps the two sides as they are.
    fn keep(&self, room: &mut S);

    /// Brings back what was kept.
    fn bring_back(&self, room: &mut S);
}

/// No trial: of targets that have none.
#[derive(Debug, Clone, Copy)]
pub enum NoTrial {}

impl<S> Trial<S> for NoTrial {
    fn begin(&self, _stats: &S, _slots: [usize; 2], _leaves: Option<usize>, _room: &mut Option<S>) {
        match *self {}
    }

    fn shift(&self, _room: &mut S, _item: usize, _to_i: bool) {
        match *self {}
    }

    fn settle(&self, _room: &mut S) {
        match *self {}
    }

    fn quick_log_odds(&self, _room: &S, _sizes: [usize; 2], _item: usize, _with_i: bool) -> Option<f64> {
        match *self {}
    }

    fn slack(&self) -> f64 {
        match *self {}
    }

    fn log_weights(&self, _room: &mut S, _sizes: [usize; 2], _item: usize, _with_i: bool) -> [f64; 2] {
        match *self {}
    }

    fn quick_split(&self, _room: &S, _sizes: [usize; 2], _clusters: usize) -> Option<(f64, f64)> {
        match *self {}
    }

    fn keep(&self, _room: &mut S) {
        match *self {}
    }

    fn bring_back(&self, _room: &mut S) {
        match *self {}
    }
}
