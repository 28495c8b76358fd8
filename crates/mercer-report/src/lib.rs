//! Models in words, and as one page.
//!
//! [`words`] has the phrases: the problem, what is proved, what is not. [`facts`] puts them in order, and [`page`] adds
//! data, pictures and how to make it all again: one self-contained page. Nothing is fitted here, and nothing is printed
//! or written.
//!
//! ```
//! use mercer_model::{Learner, Setting, Spec, Training, fit};
//! use mercer_picture::Rows;
//! use mercer_report::{Reported, page};
//! let mut table = mercer_points::read("@moons(n=60)", &Default::default())?;
//! let label = table.remove("label")?;
//! let spec = Spec::new("rbf(sigma=0.3)".parse()?, Learner::Smo);
//! let model = fit(&spec, &Training::new(&table, &label), &Setting::default())?;
//! let rows = Rows { table: &table, target: Some(&label), name: "two moons" };
//! let html = page(&Reported::new(&model, rows)).html()?;
//! assert!(html.contains("What is proved about it"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod again;
pub mod facts;
mod page;
mod summary;
pub mod text;
pub mod words;

pub use page::{Reported, page};
