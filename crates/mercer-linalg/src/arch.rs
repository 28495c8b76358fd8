//! Which instructions the machine has, found out once.

use std::sync::OnceLock;

/// An instruction set that the tile is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// Whatever the compiler's target guarantees.
    Portable,
    /// x86-64 with AVX2 and FMA. Only this crate makes it, and only where the machine has them.
    #[non_exhaustive]
    Avx2,
    /// The same with AVX-512 where that pays, on processors that make an operation of 512 bits in two halves. Every number has the bits that it has with [`Isa::Avx2`]. Made as that is.
    #[non_exhaustive]
    Avx512Split,
    /// The same with AVX-512 everywhere. Made as the others are.
    #[non_exhaustive]
    Avx512,
}

impl Isa {
    /// The best instruction set of this machine; `MERCER_ISA` asks for `portable`, `avx2`, `avx512split` or `avx512`
    /// instead.
    ///
    /// ```
    /// use mercer_linalg::Isa;
    /// assert_eq!(Isa::detect(), Isa::detect());
    /// ```
    pub fn detect() -> Isa {
        static FOUND: OnceLock<Isa> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let asked = std::env::var("MERCER_ISA").unwrap_or_default();
            let name = |isa: &Isa| format!("{isa:?}").to_lowercase();
            let mut all = Isa::available().into_iter().rev();
            all.clone()
                .find(|isa| name(isa) == asked)
                .or(all.find(|isa| isa.is_fast()))
                .unwrap_or(Isa::Portable)
        })
    }

    /// Every instruction set that can run here, the widest last; tests compare them.
    pub fn available() -> Vec<Isa> {
        let mut all = vec![Isa::Portable];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            all.push(Isa::Avx2);
            if std::arch::is_x86_feature_detected!("avx512f") {
                all.extend([Isa::Avx512Split, Isa::Avx512]);
            }
        }
        all
    }

    /// Whether AVX-512 may be used.
    pub(crate) fn has_wide_registers(self) -> bool {
        matches!(self, Isa::Avx512Split | Isa::Avx512)
    }

    /// Whether it is worth its width: AMD's family 19h (Zen 4) does an operation of 512 bits in two halves.
    fn is_fast(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self == Isa::Avx512 {
            use std::arch::x86_64::__cpuid;
            let (vendor, version) = (__cpuid(0), __cpuid(1).eax);
            let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
            return (vendor.ebx, family) != (u32::from_le_bytes(*b"Auth"), 0x19);
        }
        true
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

/// Defines `fn $name` that runs `$body::<…, Arch>` compiled for the given [`Isa`]. `wide` asks for AVX-512 too: for loops
/// over numbers side by side, of which the compiler makes what it should.
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident<$($g:ident: $b:path),*>(isa, $($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident) => {
        $crate::arch::dispatch!(@ "avx2,fma" $(#[$doc])* $vis fn $name<$($g: $b),*>(isa, $($arg: $ty),*) $(-> $ret)? = $body);
    };
    ($(#[$doc:meta])* $vis:vis fn $name:ident<$($g:ident: $b:path),*>(isa, $($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident, wide) => {
        $crate::arch::dispatch!(@ "avx512f" $(#[$doc])* $vis fn $name<$($g: $b),*>(isa, $($arg: $ty),*) $(-> $ret)? = $body);
    };
    (@ $wide:literal $(#[$doc:meta])* $vis:vis fn $name:ident<$($g:ident: $b:path),*>(isa, $($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $body:ident) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        $vis fn $name<$($g: $b),*>(isa: $crate::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[allow(clippy::too_many_arguments)]
            fn avx2<$($g: $b),*>($($arg: $ty),*) $(-> $ret)? {
                $body::<$($g,)* $crate::arch::Avx2>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = $wide)]
            #[allow(clippy::too_many_arguments)]
            fn avx512<$($g: $b),*>($($arg: $ty),*) $(-> $ret)? {
                $body::<$($g,)* $crate::arch::Avx2>($($arg),*)
            }
            match isa {
                // SAFETY: all but `Isa::Portable` are non-exhaustive, so only this crate makes them, after finding AVX2 and FMA, and
                // for those named after it AVX-512F.
                #[cfg(target_arch = "x86_64")]
                #[allow(unsafe_code)]
                $crate::Isa::Avx2 => unsafe { avx2::<$($g),*>($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                #[allow(unsafe_code)]
                $crate::Isa::Avx512 | $crate::Isa::Avx512Split => unsafe { avx512::<$($g),*>($($arg),*) },
                _ => $body::<$($g,)* $crate::arch::Portable>($($arg),*),
            }
        }
    };
}
pub(crate) use dispatch;
