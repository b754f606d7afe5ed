//! The command `partita` from outside: what a person or a script sees of it.

mod apart;
mod book;
mod censoring;
mod choice;
mod clustering;
mod colorings;
mod contract;
mod data;
mod deadline;
mod far;
mod files;
mod full_disk;
mod interrupted;
mod labels;
mod long_chain;
mod looks;
mod mistakes;
mod models;
mod options;
mod predict;
mod read_only;
mod reproduce;
mod same_rows;
mod screen;
mod soup;
mod support;
