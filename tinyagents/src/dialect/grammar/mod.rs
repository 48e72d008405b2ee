//! The grammars that models write calls in, one file each. A model's marker appears in its grammar's file alone.
//!
//! - by marker: [`tagged`], [`function_tag`], [`glm`], [`invoke`], [`dsml`], [`deepseek`], [`mistral`], [`kimi`], [`harmony`],
//!   [`gemma`], [`command_r`], [`internlm`], [`python_tag`], [`phi`], [`pythonic`], [`lfm`]
//! - by the tools' names: [`xml_tags`]
//! - by shape: [`bare`], [`fence`]
//! - no calls: [`reasoning`], [`tool_result`], [`quotation`]
//!
//! Several share a reader: [`json_calls`], [`named_json`], [`parameters`], [`call_line`].

mod balance;
mod bare;
mod call;
mod call_line;
mod command_r;
mod deepseek;
mod dsml;
mod expression;
mod fence;
mod find;
mod function_tag;
mod gemma;
mod glm;
mod harmony;
mod internlm;
mod invoke;
mod json_calls;
mod kimi;
mod lfm;
mod machine;
#[cfg(test)]
mod marker_files;
mod mistral;
mod named_json;
mod parameters;
mod phi;
mod python_tag;
mod pythonic;
mod quotation;
mod reasoning;
mod scan;
mod shape;
mod tagged;
mod tool_result;
mod wrapped;
mod xml_fields;
mod xml_tag;
mod xml_tags;
mod xml_value;

pub(super) use bare::begin as begin_bare;
pub(super) use expression::{order, takes_object};
pub(super) use find::Find;
pub(super) use machine::{Awaited, Found, Machine, Opener, Place, Progress, Then};
pub(super) use quotation::{
    begin as begin_quotation, comment as begin_comment, starts as starts_quotation,
};
pub(super) use reasoning::THINK_END;
pub(super) use scan::Next;
pub(super) use tagged::{CLOSE, OPEN};
pub(super) use xml_fields::{ANY, NAME};
pub(super) use xml_tag::{CDATA, CDATA_END, is_tag_name};
pub(super) use xml_tags::{begin as begin_tag, read as read_tags};

/// Every marker that opens a region, longest alternatives included.
pub(super) fn openers() -> impl Iterator<Item = Opener> {
    let several = [
        &tagged::OPENERS[..],
        &invoke::OPENERS,
        &dsml::OPENERS,
        &deepseek::OPENERS,
        &kimi::OPENERS,
        &harmony::OPENERS,
        &command_r::OPENERS,
        &reasoning::OPENERS,
    ];
    let single = [
        function_tag::OPENER,
        mistral::OPENER,
        gemma::OPENER,
        internlm::OPENER,
        python_tag::OPENER,
        phi::OPENER,
        pythonic::OPENER,
        lfm::OPENER,
        tool_result::OPENER,
    ];
    several.into_iter().flatten().copied().chain(single)
}
