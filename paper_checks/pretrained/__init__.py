"""`leadterms pretrained`: a pretrained model beside the theory of its corpus, and what it says of claims."""
