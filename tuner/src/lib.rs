//! Fits Tabula's evaluation weights to what positions are known to be worth.
//!
//! [`load`] makes labelled positions of files, each taken apart by the engine's own evaluation; [`fit`]
//! descends on the error of the predicted score; [`report`] shows what came of it.
#![deny(missing_docs)]

mod adam;
pub mod checkpoint;
pub mod codebook;
pub mod columns;
pub mod compare;
pub mod cpu;
pub mod curvature;
pub mod evidence;
pub mod extract;
pub mod fit;
pub mod input;
pub mod label;
pub mod load;
pub mod objective;
pub mod packed;
mod random;
pub mod report;
pub mod sanity;
pub mod selection;
pub mod sigmoid;
pub mod starts;
pub mod store;
pub mod viewpoint;
