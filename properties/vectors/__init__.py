"""Language-neutral test vectors: the cases, their answers, the files, and who is held to them."""
