//! Arguments of imported files: conversion of the pieces of an argument graph, and attribution of arguments to turns.

pub mod attribution;
pub mod graph_fields;
pub mod graph_pieces;
