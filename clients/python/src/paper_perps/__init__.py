"""Account, billing, dashboard and explanations of a Paper perps exchange.

Orders are placed with the venue's own clients; this package has what those clients do not know.
"""

from ._generated import models
from .client import PaperPerps
from .errors import IncompleteExportError, ServiceError, UnknownIdError
from .export import ExportEnd
from .venue import Venue

__all__ = ["ExportEnd", "IncompleteExportError", "PaperPerps", "ServiceError", "UnknownIdError", "Venue", "models"]
