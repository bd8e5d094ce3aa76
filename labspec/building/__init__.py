"""From specs to their repositories: work that specs share is done once, and what has not changed is not done at all."""

from labspec.building.build import Built, build_each
from labspec.building.request import Mode, Request

__all__ = ["Built", "Mode", "Request", "build_each"]
