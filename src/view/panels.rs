//! Panels that a link names, and the controls of an embed.

/// A panel of the page that a link can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// Headline and tiles.
    Verdict,
    /// The feasible region.
    Map,
    /// The curves.
    Curve,
    /// The best MFU over GPU memory and link bandwidth.
    Best,
    /// The memory bar with its parts.
    Memory,
    /// Breakdown of the step time.
    Waterfall,
    /// Memory over one step.
    StepMemory,
    /// One step in time.
    Timeline,
    /// The roofline.
    Roofline,
    /// Scaling to more GPUs.
    Scaling,
    /// One layer of experts.
    Layer,
    /// Parameters that the result is most sensitive to.
    Sensitivity,
    /// Predicted against measured.
    Agreement,
    /// The layouts that change only the strategy.
    Strategies,
    /// The best layouts.
    Ranking,
    /// The pinned scenarios beside the run.
    Compare,
    /// Planning backwards.
    Plan,
    /// Time, cost and energy of the whole run.
    Run,
    /// The scenario as settings of a framework.
    Settings,
}

impl Panel {
    /// All panels.
    pub const ALL: [Self; 19] = [
        Self::Verdict,
        Self::Map,
        Self::Curve,
        Self::Best,
        Self::Memory,
        Self::Waterfall,
        Self::StepMemory,
        Self::Timeline,
        Self::Roofline,
        Self::Scaling,
        Self::Layer,
        Self::Sensitivity,
        Self::Agreement,
        Self::Strategies,
        Self::Ranking,
        Self::Compare,
        Self::Plan,
        Self::Run,
        Self::Settings,
    ];

    /// Returns the panel's name in links, which is also the identifier of its element on the page.
    pub fn key(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Map => "map",
            Self::Curve => "curve",
            Self::Best => "best",
            Self::Memory => "memory",
            Self::Waterfall => "waterfall",
            Self::StepMemory => "step-memory",
            Self::Timeline => "timeline",
            Self::Roofline => "roofline",
            Self::Scaling => "scaling",
            Self::Layer => "layer",
            Self::Sensitivity => "sensitivity",
            Self::Agreement => "agreement",
            Self::Strategies => "strategies",
            Self::Ranking => "ranking",
            Self::Compare => "compare",
            Self::Plan => "plan",
            Self::Run => "run",
            Self::Settings => "settings",
        }
    }
}

impl Panel {
    /// Returns the height in CSS pixels of the panel in a frame 680 wide, with its sliders: for
    /// frames that do not learn the height of their content.
    fn frame_height(self) -> u32 {
        match self {
            Self::Verdict => 460,
            Self::Map | Self::Memory => 580,
            Self::Curve | Self::Best => 660,
            Self::Waterfall => 1100,
            Self::StepMemory | Self::Plan => 920,
            Self::Timeline => 540,
            Self::Roofline => 830,
            Self::Scaling => 700,
            Self::Layer | Self::Strategies | Self::Agreement => 760,
            Self::Sensitivity => 1060,
            Self::Ranking => 860,
            Self::Compare => 640,
            Self::Run => 500,
            Self::Settings => 1000,
        }
    }

    /// Whether the panel stands beside another plot in a frame.
    fn is_plot(self) -> bool {
        matches!(self, Self::Map | Self::Curve | Self::Best)
    }
}

/// Panels in their order, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panels([Option<Panel>; Panel::ALL.len()]);

impl Panels {
    /// Reads names joined by dots; unknown names and repetitions are left out.
    pub fn from_names(names: &str) -> Self {
        let mut read = Self::default();
        for name in names.split('.') {
            read.add(Panel::ALL.into_iter().find(|panel| panel.key() == name));
        }
        read
    }

    /// Collects panels in this order; repetitions are left out.
    pub fn from_panels(panels: &[Panel]) -> Self {
        let mut all = Self::default();
        for panel in panels {
            all.add(Some(*panel));
        }
        all
    }

    /// Returns these panels with one of them exchanged for another.
    #[must_use]
    pub fn exchanged(self, one: Panel, other: Panel) -> Self {
        let panels: Vec<Panel> = self.all().map(|panel| if panel == one { other } else { panel }).collect();
        Self::from_panels(&panels)
    }

    fn add(&mut self, panel: Option<Panel>) {
        if panel.is_some_and(|panel| !self.has(panel))
            && let Some(free) = self.0.iter_mut().find(|place| place.is_none())
        {
            *free = panel;
        }
    }

    /// Returns the names of the panels, joined by dots.
    pub fn text(&self) -> String {
        self.all().map(Panel::key).collect::<Vec<_>>().join(".")
    }

    /// Returns the panels in their order.
    pub fn all(&self) -> impl Iterator<Item = Panel> {
        self.0.iter().flatten().copied()
    }

    /// Returns the height in CSS pixels of a frame that shows these: plots stand two to a row.
    pub fn frame_height(&self) -> u32 {
        let rows = self.all().filter(|panel| panel.is_plot()).count().div_ceil(2) as u32;
        let highest = self.all().filter(|panel| panel.is_plot()).map(Panel::frame_height).max().unwrap_or(0);
        rows * highest + self.all().filter(|panel| !panel.is_plot()).map(Panel::frame_height).sum::<u32>()
    }

    /// Whether a panel is among these.
    pub fn has(&self, panel: Panel) -> bool {
        self.0.contains(&Some(panel))
    }
}

/// Controls of an embed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controls {
    /// No controls: figures to be read, whose scenario stays.
    None,
    /// The sliders of the first screen.
    #[default]
    Few,
    /// The whole column.
    All,
}

impl Controls {
    /// Returns the name in links.
    pub fn key(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Few => "few",
            Self::All => "all",
        }
    }

    /// Returns the choice with this name.
    pub fn from_key(key: &str) -> Option<Self> {
        [Self::None, Self::Few, Self::All].into_iter().find(|choice| choice.key() == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_survive_their_names_in_any_order() {
        for names in ["map", "curve.map", "strategies.verdict.timeline", &Panels::from_panels(&Panel::ALL).text()] {
            assert_eq!(Panels::from_names(names).text(), names);
        }
        assert_eq!(Panels::from_panels(&Panel::ALL).all().count(), Panel::ALL.len());
    }

    #[test]
    fn unknown_names_and_repetitions_are_left_out() {
        assert_eq!(Panels::from_names("maps.curve..MAP.curve.nothing.map").text(), "curve.map");
        assert_eq!(Panels::from_names("nothing"), Panels::default());
    }
}
