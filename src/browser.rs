//! Every side effect in the browser. Nothing else in the page touches `window`.

mod background;
mod clock;
mod dom;
mod files;
mod files_worker;
mod focus;
mod jump;
mod link;
mod observers;
mod parent;
mod plans;
mod save;
mod sheet;
mod start;
mod theme;
mod timers;
mod worker;

pub use background::{Rows, use_complete, use_layouts, use_rows, use_searches};
pub use clock::today;
pub use dom::{
    field_text, fold_on_escape, hold, is_open, scroll_along, select_text, selected_index, show_failure, slider_index,
    to_top, use_beside, use_kept_in_sight, use_selected, use_title,
};
pub use files::{Arrived, Origin, area_text, chosen_files, pasted, set_area_text, settled_text, use_drop};
pub use files_worker::ask;
pub use focus::{focus, leaves, use_card_focus, use_press_outside, use_shortcuts};
pub use jump::{close_dialog, go_to, go_to_control, is_dialog, use_find_key, use_modal};
pub use link::{arrival, full_link, use_address};
pub use observers::{Size, use_passed, use_restorations, use_seen, use_size};
pub use parent::{use_height, use_parent};
pub use plans::{Planned, use_plan};
pub use save::{FileKind, copy, save_file, save_picture, save_text};
pub use sheet::use_sheet;
pub use theme::{chosen_theme, use_printing, use_theme};
pub use timers::{Phase, use_after_pause, use_commit, use_frame_queue, use_phase};
pub use worker::{PaintWorker, Thread, use_pictures, use_worker};
