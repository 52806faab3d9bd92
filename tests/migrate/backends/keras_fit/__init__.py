"""Estimators that `Model.fit` trains."""
