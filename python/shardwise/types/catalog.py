"""The catalog, and the table of parameters."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union


class LatentAttention(TypedDict):
    """Ranks and widths of multi-head latent attention."""

    kv_lora_rank: int
    q_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int


class CatalogExperts(TypedDict):
    """The experts of a model."""

    num_experts: int
    num_experts_per_tok: int
    moe_intermediate_size: int
    shared_intermediate_size: int
    first_k_dense_replace: int
    moe_layer_step: int
    n_group: int
    topk_group: int
    moe_layers: int
    params_per_expert: float


class CatalogModel(TypedDict):
    """A model; its shape has the names of a Hugging Face ``config.json``."""

    id: str
    name: str
    family: str
    params: float
    active_params: float
    num_hidden_layers: int
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    intermediate_size: int
    vocab_size: int
    tie_word_embeddings: bool
    max_position_embeddings: int
    sliding_window: int
    global_every: int
    attention_chunks: bool
    latent_attention: Optional[LatentAttention]
    experts: Optional[CatalogExperts]
    source: str


class CatalogPrice(TypedDict):
    """An on-demand list price: whose it is, and the day it was read."""

    usd_per_hour: float
    source: str
    date: str


class CatalogAccelerator(TypedDict):
    """A GPU; peaks are dense."""

    id: str
    name: str
    memory_gib: float
    usable_memory_gib: float
    memory_bandwidth_gb_per_s: float
    peak_16bit_tflops: float
    peak_8bit_tflops: float
    peak_4bit_tflops: float
    peak_32bit_tflops: float
    host_link_gb_per_s: float
    power_w: float
    price: Optional[CatalogPrice]
    source: str


class CatalogInterconnect(TypedDict):
    """A link; rates are per GPU and per direction."""

    id: str
    name: str
    scope: Literal["intra_node", "inter_node"]
    bandwidth_gb_per_s: float
    bandwidth_gbit_per_s: float
    latency_us: float
    efficiency: float
    source: str


class CatalogCluster(TypedDict):
    """A cluster, by the ids of its parts."""

    id: str
    name: str
    accelerator: str
    gpus_per_node: int
    gpus_per_host: int
    host_memory_gib: float
    intra_node: str
    inter_node: str
    source: str


class CatalogScenario(TypedDict):
    """A scenario worth looking at."""

    id: str
    name: str
    notice: str
    link: str
    view: str
    say: str
    source: str


class Catalog(TypedDict):
    """Everything that can be picked."""

    revision: int
    models: List[CatalogModel]
    accelerators: List[CatalogAccelerator]
    interconnects: List[CatalogInterconnect]
    clusters: List[CatalogCluster]
    scenarios: List[CatalogScenario]


class Option(TypedDict):
    """One of the values of a choice."""

    key: str
    label: str
    help: str


class _Parameter(TypedDict):
    key: str
    label: str
    #: Its name in tables, unit included, and what else it is called.
    name: str
    names: List[str]
    group: str
    help: str
    #: Whether it has an effect in the scenario.
    applies: bool


class NumberParameter(_Parameter):
    """A parameter that is a number."""

    kind: Literal["number"]
    unit: str
    min: float
    max: float
    scale: Literal["linear", "log", "doublings"]
    integer: bool
    default: float
    value: float


class ChoiceParameter(_Parameter):
    """A parameter that is one of several options."""

    kind: Literal["choice"]
    options: List[Option]
    default: str
    value: str


Parameter = Union[NumberParameter, ChoiceParameter]
