"""The page's templates, its style and its script."""
