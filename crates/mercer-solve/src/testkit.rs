//! The laws that losses and solvers keep, for those that exist and those to come.
