"""All networks."""

from zoo.lenet import lenet
from zoo.linear import linear
