"""Singh, Tiwari, Hasanbeig, Gupta (2025), Soft-Label Training Preserves Epistemic Uncertainty."""
