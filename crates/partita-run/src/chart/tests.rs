//! What every figure must hold, whatever the numbers.
