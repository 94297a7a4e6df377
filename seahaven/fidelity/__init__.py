"""How true to the real product is a world? Record the product's API, replay the recording in the world, and compare."""
