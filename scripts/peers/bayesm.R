# Times bayesm's rDPGibbs with Sigma and alpha pinned: partita's model as near as it allows.
# Arguments: CSV, prior_sd, noise_sd, alpha, iterations. Prints seconds of processor time, then the number of
# clusters by draw.
suppressPackageStartupMessages(library(bayesm))
arguments <- commandArgs(trailingOnly = TRUE)
y <- as.matrix(read.csv(arguments[1]))
numbers <- as.numeric(arguments[-1])
prior_sd <- numbers[1]; noise_sd <- numbers[2]; alpha <- numbers[3]; iterations <- numbers[4]
near <- function(x) x * c(0.9995, 1.0005)
# Sigma ~ IW(nu, nu v I): a large nu pins it at v I. mu | Sigma ~ N(0, Sigma / a).
nu <- 10000
lambda <- list(alim = near((noise_sd / prior_sd)^2), nulim = log(near(nu - ncol(y) + 1)), vlim = near(noise_sd^2))
# bayesm gives bounds of alpha by the clusters that are expected: alpha = exp(digamma(clusters)) / (gamma + log n).
clusters <- uniroot(function(k) digamma(k) - log(alpha * (0.5772157 + log(nrow(y)))), c(1, nrow(y)))$root
bounds <- list(Istarmin = clusters * 0.9995, Istarmax = clusters * 1.0005, power = 0.8)
set.seed(1)
sink("/dev/null")
spent <- system.time(out <- rDPGibbs(
  Data = list(y = y), Prior = list(lambda_hyper = lambda, Prioralpha = bounds),
  Mcmc = list(R = iterations, keep = 1, nprint = 0, maxuniq = nrow(y), SCALE = FALSE)))
sink()
cat(sum(spent[1:2]), "\n")
cat(out$Istardraw, "\n")
