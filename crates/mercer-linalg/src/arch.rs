//! Which instructions the machine has, found out once.

use std::sync::OnceLock;

/// An instruction set that the tile is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// Whatever the compiler's target guarantees.
    Portable,
    /// x86-64 with AVX2 and FMA. Only [`Isa::detect`] makes it, and only where the machine has them.
    #[non_exhaustive]
    Avx2,
}

impl Isa {
    /// The best instruction set of this machine; `MERCER_ISA=portable` asks for the portable one.
    ///
    /// ```
    /// use mercer_linalg::Isa;
    /// assert_eq!(Isa::detect(), Isa::detect());
    /// ```
    pub fn detect() -> Isa {
        static FOUND: OnceLock<Isa> = OnceLock::new();
        *FOUND.get_or_init(|| {
            if std::env::var_os("MERCER_ISA").is_some_and(|v| v == "portable") {
                return Isa::Portable;
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                return Isa::Avx2;
            }
            Isa::Portable
        })
    }

    /// Every instruction set that can run here; tests compare them.
    pub fn available() -> Vec<Isa> {
        let mut all = vec![Isa::Portable];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            all.push(Isa::Avx2);
        }
        all
    }
}

/// How one multiply-add is made; chosen statically inside a tile.
pub(crate) trait Arch {
    /// Whether a fused multiply-add is one instruction.
    const FUSED: bool;
}

/// AVX2 with FMA: callers are compiled with these target features.
pub(crate) struct Avx2;

impl Arch for Avx2 {
    const FUSED: bool = true;
}

/// The compiler's baseline. On AArch64 that includes a fused multiply-add.
pub(crate) struct Portable;

impl Arch for Portable {
    const FUSED: bool = cfg!(target_arch = "aarch64");
}

/// Defines `fn $name` that runs `$body::<…, Arch>` compiled for the given [`Isa`].
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident<$($g:ident: $b:path),*>(isa, $($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name<$($g: $b),*>(isa: $crate::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx2<$($g: $b),*>($($arg: $ty),*) $(-> $ret)? {
                $body::<$($g,)* $crate::arch::Avx2>($($arg),*)
            }
            match isa {
                // SAFETY: `Isa::Avx2` is non-exhaustive, so only this crate makes it, after finding AVX2 and FMA.
                #[cfg(target_arch = "x86_64")]
                #[allow(unsafe_code)]
                $crate::Isa::Avx2 => unsafe { avx2::<$($g),*>($($arg),*) },
                _ => $body::<$($g,)* $crate::arch::Portable>($($arg),*),
            }
        }
    };
}
pub(crate) use dispatch;
