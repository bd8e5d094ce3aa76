"""From specs to their repositories: work that specs share is done once, and what has not changed is not done at all."""

from labspec.building.build import Built, Outcome, build_all
from labspec.building.request import Mode, Request

__all__ = ["Built", "Mode", "Outcome", "Request", "build_all"]
