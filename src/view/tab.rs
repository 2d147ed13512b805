//! The tabs of the page's right figure. A link opens the tab that holds the first panel it names.

use super::View;
use super::panels::{Panel, Panels};

/// A tab of the page's right figure; the map of what fits stands beside every tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The curves.
    #[default]
    Speed,
    /// The best MFU over GPU memory and link bandwidth.
    Best,
    /// Memory at the peak and over one step.
    Memory,
    /// Breakdown of the step time.
    Step,
    /// Scaling to more GPUs, and sensitivity.
    Scaling,
    /// Time, money and energy of the whole run.
    Cost,
    /// Layouts, and those that change only the strategy.
    Layouts,
    /// The pinned scenarios beside the run.
    Compare,
    /// The scenario as settings of a framework.
    Settings,
    /// Predicted against measured.
    Accuracy,
}

impl Tab {
    /// All tabs, in the order of the page.
    pub const ALL: [Self; 10] = [
        Self::Speed,
        Self::Best,
        Self::Memory,
        Self::Step,
        Self::Layouts,
        Self::Scaling,
        Self::Cost,
        Self::Compare,
        Self::Settings,
        Self::Accuracy,
    ];

    /// Returns the label of the tab's button.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speed => "How fast",
            Self::Best => "Memory × bandwidth",
            Self::Memory => "Memory",
            Self::Step => "Step",
            Self::Scaling => "Scaling",
            Self::Cost => "Cost",
            Self::Layouts => "Layouts",
            Self::Compare => "Compare",
            Self::Settings => "Settings",
            Self::Accuracy => "Accuracy",
        }
    }

    /// Returns the panels of the tab, from the top; a link to the first is a link to the tab.
    pub fn panels(self) -> &'static [Panel] {
        match self {
            Self::Speed => &[Panel::Curve],
            Self::Best => &[Panel::Best],
            Self::Memory => &[Panel::StepMemory, Panel::Memory],
            Self::Step => &[Panel::Waterfall, Panel::Timeline, Panel::Layer],
            Self::Scaling => &[Panel::Scaling, Panel::Roofline, Panel::Sensitivity],
            Self::Cost => &[Panel::Run],
            Self::Layouts => &[Panel::Ranking, Panel::Strategies],
            Self::Compare => &[Panel::Compare],
            Self::Settings => &[Panel::Settings],
            Self::Accuracy => &[Panel::Agreement],
        }
    }

    /// Returns the panel that a link to the tab names.
    pub fn first(self) -> Panel {
        self.panels().first().copied().unwrap_or(Panel::Curve)
    }

    /// Returns the tab that holds a panel; `None` for the verdict, the map and the plan, which are
    /// outside the tabs.
    pub fn holding(panel: Panel) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.panels().contains(&panel))
    }
}

/// The two doors of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// The run on screen: verdict and figure.
    Run,
    /// The plan: from a deadline, a budget or GPUs back to hardware and layout.
    Plan,
}

impl View {
    /// Returns the open door: the plan, if the link names it first.
    pub fn door(&self) -> Door {
        if self.panels.all().next() == Some(Panel::Plan) { Door::Plan } else { Door::Run }
    }

    /// Returns the open tab: that of the first panel that has one.
    pub fn tab(&self) -> Tab {
        self.panels.all().find_map(Tab::holding).unwrap_or_default()
    }

    /// Whether the layouts are filtered to those that change only the strategy: the first panel of
    /// a tab is theirs.
    pub fn only_strategies(&self) -> bool {
        self.panels.all().find(|panel| Tab::holding(*panel).is_some()) == Some(Panel::Strategies)
    }

    /// Returns the view of the page with a panel shown.
    #[must_use]
    pub fn showing(self, panel: Panel) -> Self {
        let panels = match panel {
            // The map stands beside every tab.
            Panel::Map if self.door() == Door::Run => self.panels,
            Panel::Map | Panel::Verdict => Panels::default(),
            _ if Tab::holding(panel) == Some(Tab::default()) => Panels::default(),
            _ => Panels::from_panels(&[panel]),
        };
        Self { panels, ..self }
    }

    /// Whether a panel is shown: in an embed, the panels that its link names; on the page, the
    /// verdict and the panels of the open tab or the open door.
    pub fn shows(&self, panel: Panel) -> bool {
        if self.embed {
            return self.embedded().has(panel);
        }
        match (self.door(), Tab::holding(panel)) {
            (_, None) if panel == Panel::Verdict => true,
            (door, None) => (door == Door::Plan) == (panel == Panel::Plan),
            (Door::Plan, Some(_)) => false,
            (Door::Run, Some(Tab::Layouts)) if self.tab() == Tab::Layouts => {
                self.only_strategies() == (panel == Panel::Strategies)
            }
            (Door::Run, Some(tab)) => tab == self.tab(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_stands_in_one_tab_but_the_verdict_the_map_and_the_plan() {
        for panel in Panel::ALL {
            let tabs = Tab::ALL.into_iter().filter(|tab| tab.panels().contains(&panel)).count();
            assert_eq!(tabs, usize::from(!matches!(panel, Panel::Verdict | Panel::Map | Panel::Plan)), "{panel:?}");
            let view = View::default().showing(panel);
            assert!(view.shows(panel) || panel == Panel::Verdict, "{panel:?}");
            assert_eq!(view.only_strategies(), panel == Panel::Strategies);
        }
    }

    #[test]
    fn old_addresses_lead_to_the_tab_of_their_panel() {
        for (query, tab, door) in [
            ("", Tab::Speed, Door::Run),
            ("?view=verdict.map.curve", Tab::Speed, Door::Run),
            ("?view=map", Tab::Speed, Door::Run),
            ("?map=best", Tab::Best, Door::Run),
            ("?view=map&map=best", Tab::Best, Door::Run),
            ("?view=curve.map", Tab::Speed, Door::Run),
            ("?view=timeline", Tab::Step, Door::Run),
            ("?view=memory", Tab::Memory, Door::Run),
            ("?view=strategies.verdict", Tab::Layouts, Door::Run),
            ("?view=plan", Tab::Speed, Door::Plan),
            ("?view=nonsense", Tab::Speed, Door::Run),
        ] {
            let view = View::from_query(query);
            assert_eq!((view.tab(), view.door()), (tab, door), "{query}");
        }
    }

    #[test]
    fn a_tab_survives_its_link() {
        for tab in Tab::ALL {
            let view = View::default().showing(tab.first());
            assert_eq!((view.tab(), View::from_query(&view.query())), (tab, view));
        }
        assert_eq!(View::default().showing(Panel::Map).query(), "");
    }
}
