"""SoftLabelClassifier: a scikit-learn estimator for label distributions."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from dissensus.labels.arrays import as_array
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.train.estimator_inputs import Targets, check_rows
from dissensus.train.estimator_scores import share_of_predicted
from dissensus.train.heads.head import Head
from dissensus.train.heads.logistic import soft_logistic
from dissensus.train.model import softmax


class SoftLabelClassifier(ClassifierMixin, BaseEstimator):
    """Fit a linear or MLP head by cross-entropy to distributions, with the interface of scikit-learn.

    `fit(X, Y)` takes labels, counts (n, k), probabilities (n, k), Votes, Distributions or Beliefs. On hard labels it is
    logistic regression. Each item has the same weight, however many votes it has; `sample_weight` changes that. The
    trained `Head` is `head_`, over the classes that had mass; `as_model` makes a model of the estimator.

    Parameters
    ----------
    head : "linear", the exact optimum by L-BFGS, equal to LogisticRegression(C=C) if Y are labels; or "mlp", two layers
        with GELU and dropout (Singh 2025, sec. 3.2), trained by Adam in mini-batches
    C : inverse strength of the L2 penalty (linear)
    fit_intercept : whether logits have a constant (linear)
    tol, max_iter : when the solver stops (linear)
    hidden, dropout, learning_rate, weight_decay, batch_size, epochs : of the MLP
    warm_start : start from the last fit
    missing_classes : "refuse" targets with a class to which no row gives mass, or give it probability "zero"
    classes : the k labels of the columns of Y
    random_state : seed of initial weights, batches and dropout (mlp)

    Examples
    --------
    >>> X, Y = np.array([[0.0], [1.0]]), np.array([[3, 1], [1, 3]])
    >>> SoftLabelClassifier(C=1e6).fit(X, Y).predict_proba(X).round(2)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """

    classes_: np.ndarray
    learned_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    head_: Head
    n_iter_: np.ndarray

    def __init__(
        self,
        head: Literal["linear", "mlp"] = "linear",
        *,
        C: float = 1.0,  # noqa: N803
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 1000,
        hidden: int = 128,
        dropout: float = 0.1,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        batch_size: int = 32,
        epochs: int = 20,
        warm_start: bool = False,
        missing_classes: Literal["refuse", "zero"] = "refuse",
        classes: Any = None,
        random_state: Any = None,
    ) -> None:
        self.head = head
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.hidden = hidden
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.epochs = epochs
        self.warm_start = warm_start
        self.missing_classes = missing_classes
        self.classes = classes
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SoftLabelClassifier:  # noqa: N803
        """X: (n, d) dense or sparse; Y: as for the class; sample_weight: (n,) or None"""
        one_of("head", self.head, ("linear", "mlp"))
        before = getattr(self, "classes_", None) if self.warm_start else None
        X, targets, weights = check_rows(self, X, y, sample_weight, self.classes)  # noqa: N806
        learned = self._learnable(targets, weights)  # (k,)
        if before is not None and not np.array_equal(before, targets.classes):
            raise ValueError(f"a warm start from the classes {before.tolist()} cannot learn {targets.classes.tolist()}")
        warm = before is not None
        if warm and not np.array_equal(self.learned_, np.flatnonzero(learned)):
            known, now = (self.classes_[which].tolist() for which in (self.learned_, learned))
            raise ValueError(f"a warm start from a fit in which {known} had mass cannot learn {now}: fit anew")
        self.classes_ = targets.classes
        self.learned_ = np.flatnonzero(learned)
        probs = targets.probs[:, self.learned_]
        if self.head == "linear":
            self._fit_linear(X, probs, weights, warm)
        else:
            self._fit_mlp(X, probs, weights, warm)
        return self

    def decision_function(self, X: Any) -> np.ndarray:  # noqa: N803
        """Logits of the classes; for two classes those of the second against the first.  (n, d) -> (n, k) or (n,)"""
        logits = self._logits(X)
        if self.classes_.size == 2:
            return logits[:, 1] - logits[:, 0]
        return np.log(np.maximum(self._spread(softmax(logits)), np.finfo(float).tiny)) if self._partial else logits

    def predict_proba(self, X: Any) -> np.ndarray:  # noqa: N803
        """Probability of each class.  (n, d) -> (n, k), rows sum to 1"""
        return self._spread(softmax(self._logits(X)))

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """The most probable label of each row.  (n, d) -> (n,)"""
        most = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Compute the mean mass Y gives to the predicted class: accuracy, if Y are labels; higher is better."""
        return share_of_predicted(self.predict(X), y, self.classes_, sample_weight)

    @property
    def _partial(self) -> bool:
        return bool(self.learned_.size < self.classes_.size)

    def _logits(self, x: Any) -> np.ndarray:
        """Logits of the learned classes.  (n, d) -> (n, learned)"""
        check_is_fitted(self)
        return self.head_.logits(validate_data(self, x, accept_sparse="csr", reset=False))

    def _spread(self, learned: np.ndarray) -> np.ndarray:
        """Probabilities of all classes, 0 for those not learned.  (n, learned) -> (n, k)"""
        probs = np.zeros((len(learned), self.classes_.size))
        probs[:, self.learned_] = learned
        return probs

    def _learnable(self, targets: Targets, weights: np.ndarray) -> np.ndarray:
        mass = weights @ targets.probs  # (k,)
        absent = np.flatnonzero(mass == 0)
        if absent.size >= mass.size - 1:
            only = targets.classes.tolist()[mass.argmax()]
            raise ValueError(f"all mass is on one class, {only!r}; expected at least two classes to tell apart")
        if absent.size and self.missing_classes != "zero":
            first = targets.classes.tolist()[absent[0]]
            raise Refusal(
                f"class {first!r} gets no mass from any of the {len(weights)} training rows, so its probability cannot "
                f"be learned; {absent.size} of {mass.size} classes get none",
                ways=[
                    Way("leave them out"),
                    Way("smooth the targets"),
                    Way("pass {missing_classes}", missing_classes="zero"),
                ],
            )
        return mass > 0

    def _fit_linear(self, x: Any, probs: np.ndarray, weights: np.ndarray, warm: bool) -> None:
        if not self.C > 0:
            raise ValueError(f"C is {self.C}; expected a number above 0, the inverse strength of the penalty")
        start = (self.coef_, self.intercept_) if warm else None
        solved = soft_logistic(
            x,
            probs,
            weights,
            penalty=1 / self.C,
            intercept=self.fit_intercept,
            tolerance=self.tol,
            most_iterations=self.max_iter,
            start=start,
        )
        if not solved.converged and solved.iterations >= self.max_iter:
            warnings.warn(
                f"the solver had not converged after max_iter={self.max_iter} steps: scale X, or allow more",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.coef_, self.intercept_ = solved.coef, solved.intercept
        self.head_ = Head((solved.layer,), self._names)
        self.n_iter_, self.loss_ = np.array([solved.iterations]), solved.loss

    def _fit_mlp(self, x: Any, probs: np.ndarray, weights: np.ndarray, warm: bool) -> None:
        from dissensus.train.heads.config import HeadConfig
        from dissensus.train.heads.training import train_heads

        config = HeadConfig(
            hidden=self.hidden,
            dropout=self.dropout,
            learning_rate=self.learning_rate,
            patience=None,
            keep="last",
            weight_decay=self.weight_decay,
            batch=min(self.batch_size, x.shape[0]),
            epochs=self.epochs,
            seed=int(check_random_state(self.random_state).randint(2**31)),
        )
        start = [self.head_.layers] if warm else None
        scaled = weights / weights.mean()  # Adam's steps are of one size, so only ratios matter
        (trained,) = train_heads(as_array(x), probs, [config], weights=scaled, start=start)
        self.head_ = Head(trained.head.layers, self._names)
        self.n_iter_ = np.array([self.epochs])

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(str(label) for label in self.classes_[self.learned_].tolist())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
