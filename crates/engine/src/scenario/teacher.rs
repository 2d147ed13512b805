//! The shape of a distillation's teacher, from its size and the student's family.

use super::data::UNSAID;
use super::{Model, Scenario};
use crate::model::family::{between, beyond, params};
use crate::model::objective::Teacher;
use crate::model::transformer::{Architecture, Experts, ExtraParams, LLAMA_STYLE, Pattern, Tower};

/// The smallest and the largest teacher, in parameters.
const SIZES: (f64, f64) = (1e7, 1e13);
/// Experts that a token of a mixture reads, as in Qwen3's and Qwen3.5's mixtures, whose widths add
/// up to the MLP's of a dense model with the active parameters.
const EXPERTS_OF_A_TOKEN: u32 = 8;

impl Scenario {
    /// Returns the parameters of the teacher: as said, whatever that is, else as many as the
    /// student has.
    pub(crate) fn said_teacher_size(&self) -> f64 {
        let (said, student) = (self.objective.teacher.size, params(&self.model.architecture()));
        if said == UNSAID { student.clamp(SIZES.0, SIZES.1) } else { said }
    }

    /// Returns the valid number of parameters nearest to that of the teacher.
    pub(crate) fn teacher_size(&self) -> f64 {
        // NaN is the smallest.
        self.said_teacher_size().max(SIZES.0).min(SIZES.1)
    }
}

/// Returns the shape of a teacher of `teacher.size` parameters.
///
/// It is the published model of the student's family within a hundredth of the size, if that is
/// dense or the active parameters agree too; else the family's at this size, or the student's own
/// in proportion. A mixture of experts of another family has attention and active parameters of
/// the dense shape with the active parameters, and as many experts as its size needs. The
/// vocabulary is the student's, as the loss compares distributions over it.
pub(crate) fn teacher_shape(student: &Model, teacher: &Teacher) -> Architecture {
    let Teacher { size, active, .. } = *teacher;
    let is_mixture = active > 0.0 && active < size;
    if let Some(shape) = published(student, size, is_mixture.then_some(active)) {
        return shape;
    }
    if is_mixture { mixture(&dense(student, active.max(SIZES.0)), size) } else { dense(student, size) }
}

/// Returns the published model of the student's family that has these parameters.
fn published(student: &Model, size: f64, active: Option<f64>) -> Option<Architecture> {
    const NEAR: f64 = 0.01;
    let near = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < NEAR;
    let own = student.unscaled().architecture();
    let members = student.family().map_or(&[][..], |family| family.members);
    let mut shapes = members.iter().map(|member| member.architecture).chain([student.architecture(), own]);
    shapes.find(|shape| {
        let used = active.unwrap_or_else(|| if shape.has_experts() { 0.0 } else { shape.active_params() as f64 });
        near(params(shape), size) && near(shape.active_params() as f64, used)
    })
}

/// Returns a dense shape of this size.
fn dense(student: &Model, size: f64) -> Architecture {
    let is_plain = |shape: &Architecture| !shape.has_experts() && !shape.pattern.is_used();
    let student_shape = student.architecture();
    let is_mixture = student_shape.has_experts();
    let own = Architecture { tower: Tower::NONE, experts: Experts::NONE, extra: ExtraParams::NONE, ..student_shape };
    let family = student.family().filter(|family| !family.on_ladder);
    if let Some(family) = family.filter(|family| family.members.iter().all(|member| is_plain(&member.architecture))) {
        match family.around(size) {
            (Some(below), Some(above)) => return between(&below.architecture, &above.architecture, size),
            (Some(end), None) | (None, Some(end)) => return beyond(&end.architecture, size),
            (None, None) => {}
        }
    }
    let proportions = if !is_mixture && is_plain(&own) {
        own
    } else {
        // The proportions of Llama 3.1 8B (arXiv 2407.21783, table 3).
        Architecture {
            num_hidden_layers: 32,
            hidden_size: 4096,
            num_attention_heads: 32,
            num_key_value_heads: 8,
            head_dim: 128,
            intermediate_size: 14_336,
            vocab_size: own.vocab_size,
            ..LLAMA_STYLE
        }
    };
    beyond(&proportions, size)
}

/// Returns the dense shape with its MLP split into experts, and as many of them as give `size`
/// parameters.
fn mixture(dense: &Architecture, size: f64) -> Architecture {
    let width = (dense.intermediate_size / EXPERTS_OF_A_TOKEN).max(1);
    let matrices = if dense.gated_mlp { 3.0 } else { 2.0 };
    let of_expert = matrices * f64::from(dense.num_hidden_layers) * f64::from(dense.hidden_size) * f64::from(width);
    let beside = (size - params(dense)).max(0.0) / of_expert.max(1.0);
    Architecture {
        experts: Experts {
            // A cast saturates at the largest number.
            num_experts: EXPERTS_OF_A_TOKEN.saturating_add(beside.round().min(1e6) as u32),
            num_experts_per_tok: EXPERTS_OF_A_TOKEN,
            moe_intermediate_size: width,
            ..Experts::NONE
        },
        pattern: Pattern::NONE,
        ..*dense
    }
}
