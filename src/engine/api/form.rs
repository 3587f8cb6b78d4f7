//! How replies are serialized: each field of a form stands beside its value.

/// A form, and its function `new`, which takes the values in parentheses. `let { ... }` binds what several fields use.
#[doc(hidden)]
#[macro_export]
macro_rules! form_of {
    (
        $(#[$about:meta])*
        $vis:vis struct $form:ident<$life:lifetime>($($value:ident: $of:ty),+)
        $(let { $($name:pat_param = $bound:expr;)+ })?
        {
            $($(#[$attribute:meta])* $field:ident: $type:ty = $init:expr,)+
        }
    ) => {
        $(#[$about])*
        #[spyhop_attributes::form]
        $vis struct $form<$life> {
            $($(#[$attribute])* $field: $type,)+
        }

        impl<$life> $form<$life> {
            /// The form of these values.
            $vis fn new($($value: $of),+) -> $form<$life> {
                $($(let $name = $bound;)+)?
                $form { $($field: $init,)+ }
            }
        }
    };
}

pub(crate) use form_of;
