"""Collins, Bhatt, Weller (2022), Eliciting and Learning with Soft Labels from Every Annotator."""
