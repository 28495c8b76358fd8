//! Names: which belong to kernels, to maps and to parameters, and which a user may take.

use mercer_points::nearest;

use super::error::ParseErrorKind;
use super::report::shown;
use super::token::is_name;
use crate::info::{KernelInfo, MapInfo};
use crate::kernels::KERNELS;
use crate::maps::MAPS;
use crate::signature::Signature;

/// The forms of the language that look like kernels and take an expression or a map.
pub(super) const FORMS: [&str; 3] = ["normalize", "exp", "outer"];

/// The kernel of this name or alias.
pub fn kernel_named(name: &str) -> Option<&'static KernelInfo> {
    KERNELS.iter().copied().find(|info| bears(&info.signature, name))
}

/// The feature map of this name or alias.
pub fn map_named(name: &str) -> Option<&'static MapInfo> {
    MAPS.iter().copied().find(|info| bears(&info.signature, name))
}

/// Whether a user's own kernel may have this name: one word that nothing in the language is called yet.
/// If not, why, and what to do.
pub fn check_user_name(name: &str) -> Result<(), String> {
    match user_name_fault(name) {
        None => Ok(()),
        Some(kind) => Err(format!("{kind}; {}", kind.hint().unwrap_or_default())),
    }
}

pub(super) fn user_name_fault(name: &str) -> Option<ParseErrorKind> {
    if !is_name(name) {
        return Some(ParseErrorKind::UserNameForm { name: shown(name) });
    }
    let taken = kernel_named(name).is_some() || form(name).is_some();
    taken.then(|| ParseErrorKind::UserNameTaken { name: shown(name) })
}

/// Whether two spellings mean the same name: case does not matter, `-` is `_`.
pub(super) fn same(a: &str, b: &str) -> bool {
    let plain = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
    a.len() == b.len() && a.bytes().map(plain).eq(b.bytes().map(plain))
}

/// The form of this name.
pub(super) fn form(name: &str) -> Option<&'static str> {
    FORMS.into_iter().find(|form| same(form, name))
}

/// The parameter of this name or alias, by its place.
pub(super) fn param_named(signature: &Signature, name: &str) -> Option<usize> {
    let bears =
        |own: &str, aliases: &[&str]| same(own, name) || aliases.iter().any(|alias| same(alias, name));
    signature.params.iter().position(|param| bears(param.name, param.aliases))
}

/// The registered name that is spelled so, the exact spelling first.
pub(super) fn user_named<'a>(users: &'a [String], name: &str) -> Option<&'a String> {
    let exact = users.iter().find(|user| *user == name);
    exact.or_else(|| users.iter().find(|user| same(user, name)))
}

/// The kernel, form or user name that is most like this one.
pub(super) fn nearest_kernel(name: &str, users: &[String]) -> Option<String> {
    let known = KERNELS.iter().flat_map(|info| all_names(&info.signature)).chain(FORMS);
    let known = users.iter().map(String::as_str).chain(known.map(|known| -> &str { known }));
    nearest(&name.replace('-', "_"), known).map(str::to_owned)
}

/// The map that is most like this one.
pub(super) fn nearest_map(name: &str) -> Option<String> {
    let known = MAPS.iter().flat_map(|info| all_names(&info.signature));
    nearest(&name.replace('-', "_"), known).map(str::to_owned)
}

/// A name and its aliases.
pub(super) fn all_names(signature: &'static Signature) -> impl Iterator<Item = &'static str> {
    std::iter::once(signature.name).chain(signature.aliases.iter().copied())
}

fn bears(signature: &'static Signature, name: &str) -> bool {
    all_names(signature).any(|own| same(own, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_are_the_same() {
        assert!(same("all_subsets", "All-Subsets"));
        assert!(!same("all_subsets", "allsubsets"));
        assert_eq!(kernel_named("RBF").map(|info| info.signature.name), Some("rbf"));
        assert!(kernel_named("").is_none() && map_named("no").is_none());
    }

    #[test]
    fn users_take_words_that_are_free() {
        assert_eq!(check_user_name("mine_2"), Ok(()));
        let form = "cannot be the name of a kernel; a name is one word of letters, digits and '_'";
        let taken = "already means something in the language; take another name";
        for (name, why) in [("", form), ("a-b", form), ("2a", form), ("Rbf", taken), ("EXP", taken)] {
            assert_eq!(check_user_name(name), Err(format!("'{name}' {why}")));
        }
    }
}
