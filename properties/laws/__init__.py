"""The laws, one family of statements a file; `properties.catalogue` lists them all."""
