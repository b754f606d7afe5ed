//! Covariances in their usual forms, and the set-up that makes them all diagonal.

use crate::error::{Error, Result};
use crate::math::ln;
use nalgebra::{Cholesky, DMatrix, DVector, SymmetricEigen};

/// A covariance matrix, in one of its usual forms.
#[derive(Debug, Clone, PartialEq)]
pub enum Covariance {
    /// `sd^2` times the identity: one standard deviation for all coordinates.
    Isotropic {
        /// The standard deviation.
        sd: f64,
    },
    /// One standard deviation per coordinate.
    Diagonal {
        /// The standard deviations.
        sd: Vec<f64>,
    },
    /// A full covariance matrix (variances, not standard deviations), row by row.
    Dense {
        /// The `D * D` entries.
        matrix: Vec<f64>,
    },
}

impl Covariance {
    /// Standard deviations of each coordinate, or none where the matrix is dense.
    pub(super) fn sds(&self, name: &'static str, dimension: usize) -> Result<Option<Vec<f64>>> {
        let sds = match self {
            Covariance::Isotropic { sd } => vec![*sd; dimension],
            Covariance::Diagonal { sd } => sd.clone(),
            Covariance::Dense { .. } => return Ok(None),
        };
        if sds.len() != dimension {
            return Err(Error::WrongLength { name, expected: dimension, found: sds.len() });
        }
        match sds.iter().find(|sd| !(**sd > 0.0 && sd.is_finite())) {
            Some(&value) => Err(Error::NotPositive { name, value }),
            None => Ok(Some(sds)),
        }
    }

    pub(super) fn matrix(&self, name: &'static str, dimension: usize) -> Result<DMatrix<f64>> {
        if let Some(sds) = self.sds(name, dimension)? {
            return Ok(DMatrix::from_diagonal(&DVector::from_iterator(dimension, sds.iter().map(|s| s * s))));
        }
        let Covariance::Dense { matrix } = self else {
            unreachable!("other shapes have standard deviations")
        };
        if matrix.len() != dimension * dimension {
            return Err(Error::WrongLength { name, expected: dimension * dimension, found: matrix.len() });
        }
        let matrix = DMatrix::from_row_slice(dimension, dimension, matrix);
        let asymmetry = (&matrix - matrix.transpose()).amax();
        if !matrix.iter().all(|v| v.is_finite()) || asymmetry > 1e-9 * matrix.amax() {
            return Err(Error::NotPositiveDefinite { name });
        }
        Ok(0.5 * (&matrix + matrix.transpose()))
    }
}

/// The two ways between the data's units and the whitened coordinates.
#[derive(Debug, Clone)]
pub(super) enum Whitening {
    Scale(Vec<f64>),
    Rotate { forward: DMatrix<f64>, backward: DMatrix<f64> },
}

/// The simultaneous diagonalisation that brings any two covariances to `I` and `diag(lambda)`.
pub(super) fn diagonalize(prior: &DMatrix<f64>, noise: &DMatrix<f64>) -> Result<(Whitening, Vec<f64>, f64)> {
    let noise_name = "noise covariance";
    let prior_name = "prior covariance";
    let lower = Cholesky::new(noise.clone()).ok_or(Error::NotPositiveDefinite { name: noise_name })?.unpack();
    if Cholesky::new(prior.clone()).is_none() {
        return Err(Error::NotPositiveDefinite { name: prior_name });
    }
    let left = lower.solve_lower_triangular(prior).ok_or(Error::NotPositiveDefinite { name: noise_name })?;
    let relative = lower
        .solve_lower_triangular(&left.transpose())
        .ok_or(Error::NotPositiveDefinite { name: noise_name })?;
    let eigen = SymmetricEigen::new(0.5 * (&relative + relative.transpose()));
    if eigen.eigenvalues.iter().any(|l| !(*l > 0.0 && l.is_finite())) {
        return Err(Error::NotPositiveDefinite { name: prior_name });
    }
    let identity = DMatrix::identity(noise.nrows(), noise.nrows());
    let inverse =
        lower.solve_lower_triangular(&identity).ok_or(Error::NotPositiveDefinite { name: noise_name })?;
    let forward = eigen.eigenvectors.transpose() * inverse;
    let backward = &lower * &eigen.eigenvectors;
    let log_jacobian = -lower.diagonal().iter().map(|l| ln(*l)).sum::<f64>();
    Ok((Whitening::Rotate { forward, backward }, eigen.eigenvalues.as_slice().to_vec(), log_jacobian))
}
