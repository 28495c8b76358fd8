//! Every way in which a built-in set can be asked for wrongly.

/// What is wrong with the name or the parameters of a built-in set.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields say what they are.
pub enum DataError {
    /// There is no such set.
    #[error("no built-in set '@{name}'{}there are: {}", did_you_mean(.nearest), .known.join(", "))]
    UnknownSet { name: String, nearest: Option<String>, known: Vec<&'static str> },
    /// Not of the form `name(key=value, …)`.
    #[error("'@{spec}' cannot be understood; write @name or @name(n=500, noise=0.2, seed=7)")]
    Malformed { spec: String },
    /// There is no such parameter.
    #[error("'@{set}' has no parameter '{name}'; there are: n, noise, seed")]
    UnknownParameter { set: &'static str, name: String },
    /// Parameters for a set that is not generated.
    #[error("'@{set}' is real data and has no parameters; write @{set}")]
    NoParameters { set: &'static str },
    /// The same parameter twice.
    #[error("parameter '{name}' is given twice; give it once")]
    Repeated { name: String },
    /// A value out of range.
    #[error("{name}={value} is not possible; {name} is {range}")]
    Value { name: &'static str, value: String, range: &'static str },
}

fn did_you_mean(nearest: &Option<String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean '@{name}'? "),
        None => "; ".to_owned(),
    }
}
