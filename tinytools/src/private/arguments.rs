use super::input::Args;

/// The arguments of one call, each as its type, in the order of the parameters.
///
/// They are read here and not in each expansion, where a step that may fail for each argument would be dear to compile.
pub trait Arguments: Sized {
    /// Reads them.
    ///
    /// # Errors
    /// Where one is wrong. The error then tells of all that is wrong with the call.
    #[doc(hidden)]
    fn read(args: &mut Args<'_>) -> anyhow::Result<Self>;
}

/// More arguments than one tuple has.
pub struct Then<A, B>(pub A, pub B);

impl<A: Arguments, B: Arguments> Arguments for Then<A, B> {
    fn read(args: &mut Args<'_>) -> anyhow::Result<Self> {
        Ok(Self(A::read(args)?, B::read(args)?))
    }
}

impl Arguments for () {
    fn read(_: &mut Args<'_>) -> anyhow::Result<Self> {
        Ok(())
    }
}

macro_rules! tuples {
    ($first:ident $($rest:ident)*) => {
        impl<$first: 'static, $($rest: 'static),*> Arguments for ($first, $($rest,)*) {
            fn read(args: &mut Args<'_>) -> anyhow::Result<Self> {
                Ok((args.take::<$first>()?, $(args.take::<$rest>()?,)*))
            }
        }
        tuples!($($rest)*);
    };
    () => {};
}

tuples!(A B C D E F G H I J K L);
