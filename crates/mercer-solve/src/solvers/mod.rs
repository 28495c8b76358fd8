//! One file a learner; each opens with the problem it solves.
