"""`leadterms predict`: what a run will show, from its corpus alone, beside what was published."""
