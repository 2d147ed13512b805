//! Every parameter, once: its identifier and its row, generated from `data/parameters.toml`.

use enum_map::{Enum, EnumMap};

use super::fields::{NO_YES, SWITCH};
use super::{AxisUse, Choice, ChoiceOption, Group, Number, PERCENT, Param, ParamKind, Scale, Unit, conditions, fields};
use crate::model::experts::{AllToAll, Dispatcher};
use crate::model::hardware::{Rails, Topology};
use crate::model::images::TowerTraining;
use crate::model::ladder;
use crate::model::lengths::Batching;
use crate::model::objective::{Divergence, LeavesGpu, Reference, RewardSource, Task, TeacherFormat, TeacherPlace};
use crate::model::parallel::{ContextExchange, LossParallel, Schedule};
use crate::model::software::{
    AttentionKernel, Framework, GradientSync, Graphs, Loss, NormKernel, Nvme, RepeatedHeads, RootUnit, Segments,
    StateKernel,
};
use crate::model::trained::{Method, Targets};
use crate::model::training::{
    ComputeFormat, HalfFormat, MfuConvention, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, UpdatePlace,
};
use crate::model::transformer::recurrent::RecurrentKind;
use crate::model::transformer::{AttentionBias, FusedProjections, Norm, QkNorm};
use crate::scenario::{Scenario, Strategy, data};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};

include!(concat!(env!("OUT_DIR"), "/parameters.rs"));

impl ParamId {
    /// Returns the row, which holds everything about the parameter.
    pub fn param(self) -> &'static Param {
        &ROWS[self]
    }

    /// Returns the key in links.
    pub fn key(self) -> &'static str {
        self.param().key
    }

    /// Returns the bounds, unit and accessors of a number; `None` for a choice.
    pub fn number(self) -> Option<&'static Number> {
        self.param().number()
    }

    /// Returns the key of the option that a scenario has; empty for a number.
    pub fn option(self, scenario: &Scenario) -> &'static str {
        let choice = self.param().choice();
        choice.and_then(|choice| choice.options.get((choice.get)(scenario))).map_or("", |option| option.key)
    }
}

impl From<ParamId> for &'static str {
    fn from(id: ParamId) -> Self {
        id.key()
    }
}

/// Iterates over every row: [`PARAMS`], then the rows without a control, [`CONSTANTS`] and
/// [`ARCHITECTURE`].
pub fn every() -> impl Iterator<Item = &'static Param> {
    ROWS.as_slice().iter()
}

/// Returns the row with this key, for text from outside; code names a [`ParamId`] instead.
pub fn find(key: &str) -> Option<&'static Param> {
    every().find(|param| param.key == key)
}
