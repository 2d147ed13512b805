"""Types of the answers, for type checkers and readers: every answer is a plain dict.

Times are in seconds, memory in bytes, ratios from 0 to 1, as names say. ``None`` stands for what is
infinite or not known.
"""

from .._figure import Figure, Metric
from .._keys import StepValues, Values
from .._values import Scenario, Source
from .answers import (
    Mixed, MixedKind, MixedShare, MixedSplit, Plan, PlannedRun, Question, RankResult, RankedLayout,
    RefusedCluster, Sweep,
)
from .catalog import (
    Catalog, CatalogAccelerator, CatalogCluster, CatalogExperts, CatalogInterconnect, CatalogModel,
    CatalogPrice, CatalogScenario, ChoiceParameter, LatentAttention, NumberParameter, Option,
    Parameter,
)
from .files import (
    Asked, Asks, Assumption, Choice, Edit, Export, Mark, Offer, Read, Section, Shown, Spread,
    Understood, Unread, Unsaid,
)
from .report import (
    Band, Bands, BestBound, Bounds, Evidence, Experts, Issue, Limiter, Memory, MemoryParts,
    MemoryStates, Mesh, ModelSize, Report, Rollout, RolloutMemory, RolloutParts, RolloutTimes,
    RolloutUpdate, Run, StepTimes, Strategy, StrategyReach, Verdict, Versions,
)
from .watch import (
    Comparison, Expectation, Expected, Inside, Measured, MeasuredRow, WatchedComparison,
)

__all__ = [
    "Asked", "Asks", "Assumption", "Band", "Bands", "BestBound", "Bounds", "Catalog",
    "CatalogAccelerator", "CatalogCluster", "CatalogExperts", "CatalogInterconnect", "CatalogModel",
    "CatalogPrice", "CatalogScenario", "Choice", "ChoiceParameter", "Comparison", "Edit",
    "Evidence", "Expectation", "Expected", "Experts", "Export", "Figure", "Inside", "Issue",
    "LatentAttention", "Limiter", "Mark", "Measured", "MeasuredRow", "Memory", "MemoryParts",
    "MemoryStates", "Mesh", "Metric", "Mixed", "MixedKind", "MixedShare", "MixedSplit", "ModelSize",
    "NumberParameter", "Offer", "Option", "Parameter", "Plan", "PlannedRun", "Question",
    "RankResult", "RankedLayout", "Read", "RefusedCluster", "Report", "Rollout", "RolloutMemory",
    "RolloutParts", "RolloutTimes", "RolloutUpdate", "Run", "Scenario", "Section", "Shown",
    "Source", "Spread", "StepTimes", "StepValues", "Strategy", "StrategyReach", "Sweep",
    "Understood", "Unread", "Unsaid", "Values", "Verdict", "Versions", "WatchedComparison",
]
