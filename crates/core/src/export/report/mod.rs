//! Reports: one model of a debate for readers, written as Markdown and HTML.

pub mod attacks;
pub mod audit;
pub mod build;
pub mod camps;
pub mod crux_report;
pub mod crux_sections;
pub mod disagreement;
pub mod endings;
pub mod figures;
pub mod html;
pub mod markdown;
pub mod markdown_page;
pub mod markup;
pub mod missed_calls;
pub mod model;
pub mod proposals;
pub mod quotes;
pub mod reasons;
pub mod report_sections;
pub mod report_text;
pub mod report_words;
pub mod rooms;
pub mod unsaid;
