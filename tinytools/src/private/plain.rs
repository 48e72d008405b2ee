//! Calls of async functions that take nothing but owned arguments: the function itself is handed over.
//!
//! A closure around it would be one more body for the compiler to check in each expansion.

use serde_json::Value;

use super::call::Called;
use super::input::Input;
use super::reply::{FailureWay, Halves, OutputWay};

macro_rules! plain {
    ($($run:ident($($argument:ident)*))*) => {
        #[allow(non_snake_case, reason = "an argument is called as its type")]
        impl<W, T, E> Halves<W, T, E> {
            $(
                /// One call, as [`Self::run`].
                pub fn $run<'call, $($argument: 'static,)* C, F>(
                    &self,
                    input: &'static Input,
                    args: &'call Value,
                    output: OutputWay<T>,
                    failure: FailureWay<E>,
                    call: C,
                ) -> Called<'call>
                where
                    W: 'call,
                    T: 'call,
                    E: 'call,
                    C: FnOnce($($argument),*) -> F + Send + 'call,
                    F: Future<Output = W> + Send + 'call,
                {
                    self.run(input, args, output, failure, |($($argument,)*)| Ok(call($($argument),*)))
                }
            )*
        }
    };
}

plain! {
    run0()
    run1(A)
    run2(A B)
    run3(A B D)
    run4(A B D G)
    run5(A B D G H)
    run6(A B D G H I)
    run7(A B D G H I J)
    run8(A B D G H I J K)
}
