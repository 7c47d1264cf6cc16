"""Account, billing, dashboard and explanations of a Paper perps exchange.

Orders are placed with the venue's own clients; this package has what those clients do not know.
"""

from ._generated import models
from .client import PaperPerps
from .errors import ServiceError, UnknownIdError

__all__ = ["PaperPerps", "ServiceError", "UnknownIdError", "models"]
