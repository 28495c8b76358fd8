//! Fitted kernel machines.
