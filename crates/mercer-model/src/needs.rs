//! Which columns of a table a kernel looks at.

use mercer_kernel::{Domain, KernelExpr};
use mercer_points::{Column, ColumnData};

/// What an expression asks of a table.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    all: bool,
    numbers: bool,
    texts: bool,
    categories: bool,
    names: Vec<String>,
    vectors: bool,
    others: bool,
}

/// What stands around a leaf, outermost first: the outermost selection decides which columns are looked at.
#[derive(Clone, Copy)]
enum Scope<'a> {
    Open,
    Named(&'a [String]),
    Mapped,
}

impl Needs {
    pub(crate) fn of(kernel: &KernelExpr) -> Self {
        let mut needs = Self::default();
        needs.walk(kernel, Scope::Open);
        needs
    }

    fn walk(&mut self, kernel: &KernelExpr, scope: Scope<'_>) {
        match kernel {
            KernelExpr::Leaf(leaf) if leaf.call().signature().name == "constant" => {}
            KernelExpr::Leaf(leaf) => self.leaf(leaf.info().domain, scope),
            KernelExpr::Outer(_) => self.leaf(Domain::Vectors, scope),
            // Nothing is known of a function of the user's, so that everything is kept for it.
            KernelExpr::User(_) => {
                (self.all, self.others) = (true, true);
            }
            KernelExpr::Sum(children) | KernelExpr::Product(children) => {
                children.iter().for_each(|child| self.walk(child, scope));
            }
            KernelExpr::On(child, names) => match scope {
                Scope::Open => self.walk(child, Scope::Named(names)),
                _ => self.walk(child, scope),
            },
            KernelExpr::Mapped(child, _) => match scope {
                Scope::Open => self.walk(child, Scope::Mapped),
                _ => self.walk(child, scope),
            },
            KernelExpr::Scale(_, child)
            | KernelExpr::Power(child, _)
            | KernelExpr::Normalize(child)
            | KernelExpr::Exp(child)
            | KernelExpr::Label(_, child) => self.walk(child, scope),
        }
    }

    fn leaf(&mut self, domain: Domain, scope: Scope<'_>) {
        match domain {
            Domain::Vectors | Domain::NonNegative => self.vectors = true,
            Domain::Any => {}
            Domain::Texts | Domain::Categories | Domain::Precomputed => self.others = true,
        }
        match (scope, domain) {
            (Scope::Named(names), _) => self.names.extend(names.iter().cloned()),
            (_, Domain::Any) => self.all = true,
            (_, Domain::Vectors | Domain::NonNegative | Domain::Precomputed) => self.numbers = true,
            (_, Domain::Texts) => (self.texts, self.categories) = (true, true),
            (_, Domain::Categories) => self.categories = true,
        }
    }

    /// Whether all is done with vectors, so that categories count as coordinates.
    pub(crate) fn only_vectors(&self) -> bool {
        self.vectors && !self.others
    }

    /// Whether the kernel looks at a column.
    pub(crate) fn uses(&self, column: &Column) -> bool {
        let named = |name: &str| self.names.iter().any(|known| known == name);
        let by_kind = match &column.data {
            ColumnData::Numbers(_) | ColumnData::Indices(_) => self.numbers,
            ColumnData::Dense(_, inside) | ColumnData::Single(_, inside) => {
                self.numbers || inside.iter().any(|name| named(name))
            }
            // Sparse coordinates are named by their number.
            ColumnData::Sparse(_) => {
                self.numbers || self.names.iter().any(|name| name.parse::<u32>().is_ok())
            }
            ColumnData::Texts(_) => self.texts,
            ColumnData::Categories(names) => {
                let level = |level: &String| named(&crate::preprocess::coordinate(&column.name, level));
                let encoded = self.only_vectors() && (self.numbers || names.levels().iter().any(level));
                self.categories || encoded
            }
        };
        self.all || by_kind || named(&column.name)
    }
}

/// Whether a kernel is an entry of a given matrix and nothing else.
pub(crate) fn is_matrix(kernel: &KernelExpr) -> bool {
    match kernel {
        KernelExpr::Leaf(leaf) => leaf.info().domain == Domain::Precomputed,
        KernelExpr::Label(_, child) => is_matrix(child),
        _ => false,
    }
}

/// Whether a kernel is the inner product of explicit features.
pub(crate) fn is_linear(kernel: &KernelExpr) -> bool {
    match kernel {
        KernelExpr::Leaf(leaf) => leaf.call().signature().name == "linear",
        KernelExpr::Outer(_) => true,
        KernelExpr::On(child, _) | KernelExpr::Mapped(child, _) | KernelExpr::Label(_, child) => {
            is_linear(child)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(kernel: &str) -> String {
        let needs = Needs::of(&kernel.parse().unwrap());
        let column = |name: &str, data| Column { name: name.to_owned(), data };
        let columns = [
            column("n", ColumnData::Numbers(vec![1.0])),
            column("m", ColumnData::Numbers(vec![1.0])),
            column("t", ColumnData::Texts(["a"].into_iter().collect())),
            column("c", ColumnData::Categories(["a"].into_iter().collect())),
        ];
        columns.iter().filter(|column| needs.uses(column)).map(|column| column.name.as_str()).collect()
    }

    #[test]
    fn columns_are_used_by_name_or_by_kind() {
        for (kernel, columns) in [
            ("rbf", "nmc"),
            ("rbf[n]", "n"),
            ("rbf[n] + 1", "n"),
            ("rbf[n]@standardize", "nmc"),
            ("(rbf@standardize)[n]", "n"),
            ("linear[m] + spectrum(k=2)[t]", "mt"),
            ("rbf + delta[c]", "nmc"),
            ("delta", "c"),
            ("white", "nmtc"),
            ("linear[\"c=a\"]", "c"),
        ] {
            assert_eq!(used(kernel), columns, "{kernel}");
        }
    }
}
