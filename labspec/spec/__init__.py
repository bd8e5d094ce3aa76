"""The authoring model: one class for each object of the YAML file, one module for each section."""
