//! What is known about each data set: size, origin, licence, preparation, checksum.

use super::prepare::{Recipe, Separator};
use serde::Serialize;

/// A data set of the paper.
#[derive(Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DataSet {
    /// Its name; the file has this name and `.csv`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// Number of items to cluster.
    pub items: usize,
    /// Number of measurements of each.
    pub columns: usize,
    /// A page about where it comes from, without `https://`.
    pub source: &'static str,
    /// Addresses of the raw file, or of a zip archive with it; the first that answers is used.
    pub addresses: &'static [&'static str],
    /// The name of the raw file.
    pub raw: &'static str,
    /// What to cite.
    pub citation: &'static str,
    /// The licence in a word or two.
    pub licence: &'static str,
    /// What else there is to say about the licence.
    pub terms: &'static str,
    /// What is done to the raw file.
    pub preparation: &'static str,
    /// SHA-256 of the numbers, rounded to a grid of millionths: how the file is written does not matter.
    pub checksum: &'static str,
    /// How the raw file becomes the data set; `None` where it is the data set.
    #[serde(skip)]
    pub(super) recipe: Option<Recipe>,
}

impl DataSet {
    /// The name of its file in the data directory.
    pub fn file(&self) -> String {
        format!("{}.csv", self.name)
    }
}

/// The data sets, in the order of the paper.
pub static SETS: [DataSet; 3] = [
    DataSet {
        name: "gene",
        title: "single-cell RNA sequencing, mouse cortex and hippocampus",
        items: 200,
        columns: 50,
        source: "github.com/tinnguyen96/partition-coupling",
        addresses: &[
            "https://raw.githubusercontent.com/tinnguyen96/partition-coupling/\
             420a37986e5dee08f6fe57d86b219a7e1f6a30f8/data/gene.csv",
            "https://raw.githubusercontent.com/tinnguyen96/partition-coupling/HEAD/data/gene.csv",
        ],
        raw: "gene.csv",
        citation: "Zeisel et al. (2015), Cell types in the mouse cortex and hippocampus revealed by \
                   single-cell RNA-seq, Science 347, 1138-1142 (GEO GSE60361); the subset of Nguyen, \
                   Trippe and Broderick (2022), Many Processors, Little Time, AISTATS",
        licence: "MIT",
        terms: "that of the authors' repository the file comes from; no licence of its own is stated \
                for the measurements (GEO GSE60361), so use them for research and cite the paper",
        preparation: "none by partita: the authors took 200 cells and the 50 genes of most variation, the \
                      logarithm, and brought each column to mean 0 and variance 1",
        checksum: "16e4a0064c57fad6235a85ed91078cb492fc088c71e6fc8080513c7c440d0b95",
        recipe: None,
    },
    DataSet {
        name: "seed",
        title: "kernels of wheat measured in X-ray pictures",
        items: 210,
        columns: 7,
        source: "archive.ics.uci.edu/dataset/236/seeds",
        addresses: &[
            "https://archive.ics.uci.edu/static/public/236/seeds.zip",
            "https://archive.ics.uci.edu/ml/machine-learning-databases/00236/seeds_dataset.txt",
        ],
        raw: "seeds_dataset.txt",
        citation: "Charytanowicz, Niewczas, Kulczycki, Kowalski and Lukasik (2010), Seeds, UCI Machine \
                   Learning Repository, doi.org/10.24432/C5H30K",
        licence: "CC BY 4.0",
        terms: "creativecommons.org/licenses/by/4.0",
        preparation: "the last column, the variety, is left out; each other one is brought to mean 0 and \
                      variance 1 (with the number of items as denominator)",
        checksum: "25afafa9cb3fa347208515a7e2f5501b4da7c21a1c51508e4972bc4cd4381942",
        recipe: Some(Recipe {
            separator: Separator::Blanks,
            cells: 8,
            first: 0,
            names: &["A", "P", "C", "LK", "WK", "A_Coef", "LKG"],
        }),
    },
    DataSet {
        name: "abalone",
        title: "physical measurements of abalone",
        items: 4177,
        columns: 7,
        source: "archive.ics.uci.edu/dataset/1/abalone",
        addresses: &[
            "https://archive.ics.uci.edu/static/public/1/abalone.zip",
            "https://archive.ics.uci.edu/ml/machine-learning-databases/abalone/abalone.data",
        ],
        raw: "abalone.data",
        citation: "Nash, Sellers, Talbot, Cawthorn and Ford (1994), Abalone, UCI Machine Learning \
                   Repository, doi.org/10.24432/C55C7W",
        licence: "CC BY 4.0",
        terms: "creativecommons.org/licenses/by/4.0",
        preparation: "the first column, the sex, and the last, the rings, are left out; each other one is \
                      brought to mean 0 and variance 1 (with the number of items as denominator)",
        checksum: "ee4464d10cf430c9888ffee3f6d183220f80e25f3f5daa71a82d6a8bc079ae9a",
        recipe: Some(Recipe {
            separator: Separator::Commas,
            cells: 9,
            first: 1,
            names: &[
                "Length",
                "Diameter",
                "Height",
                "WholeWeight",
                "ShuckedWeight",
                "VisceraWeight",
                "ShellWeight",
            ],
        }),
    },
];
