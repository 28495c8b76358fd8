//! Kernels by their alignment with the target, which needs no machine at all (`docs/maths.md` §2, §6).

use mercer_gram::{Ideal, Lazy, alignment};
use mercer_kernel::KernelExpr;

use crate::fit::prepare;
use crate::{ModelError, Setting, Spec, Training};

/// A kernel and how well its Gram matrix agrees with the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// The kernel.
    pub kernel: KernelExpr,
    /// The centred alignment, from −1 to 1; larger is better.
    pub alignment: f64,
}

/// The centred alignment of each kernel with the target, best first; of equals the one that was named first. Says
/// nothing about λ. Kernels for which there is no time are left out.
///
/// ```
/// use mercer_model::tune::{Template, aligned};
/// use mercer_model::{Learner, Setting, Spec, Training};
/// let mut table = mercer_points::read("@moons(n=60)", &Default::default()).unwrap();
/// let target = table.remove("label").unwrap();
/// let template: Template = "rbf(sigma=0.01|0.5|100)".parse().unwrap();
/// let spec = Spec::new("rbf".parse().unwrap(), Learner::Smo);
/// let found = aligned(&template.grid(3), &spec, &Training::new(&table, &target), &Setting::default(), &|_| {});
/// assert_eq!(found.unwrap()[0].kernel.to_string(), "rbf(sigma=0.5)");
/// ```
pub fn aligned(
    kernels: &[KernelExpr],
    spec: &Spec,
    training: &Training<'_>,
    setting: &Setting<'_>,
    tell: &(dyn Fn(super::Sofar) + Sync),
) -> Result<Vec<Aligned>, ModelError> {
    let started = std::time::Instant::now();
    let Some(target) = training.target else {
        return Err(ModelError::Target("alignment is with a target; name its column (--target)".to_owned()));
    };
    if training.weights.is_some() {
        return Err(ModelError::Spec("alignment counts every row alike; leave the weights out".to_owned()));
    }
    let ideal =
        Ideal::of(&target.name, &target.data).map_err(|error| ModelError::Target(error.to_string()))?;
    let mut found = Vec::new();
    for (done, kernel) in kernels.iter().enumerate() {
        if setting.is_over(started) {
            break;
        }
        let spec = Spec { kernel: kernel.clone(), ..spec.clone() };
        let (schema, preprocessing) = prepare(&spec, training)?;
        let table = preprocessing.apply(&schema, training.table)?;
        let gram = Lazy::with(kernel, &table, training.registry)?;
        let alignment = alignment(&gram, |i, j| ideal.value(i, j)).centered;
        found.push(Aligned { kernel: kernel.clone(), alignment });
        tell(super::Sofar { done: done + 1, all: kernels.len() });
    }
    found.sort_by(|a, b| b.alignment.total_cmp(&a.alignment));
    Ok(found)
}
