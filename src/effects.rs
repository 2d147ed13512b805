//! Every browser side effect. Nothing else in the page touches `window`.

mod clipboard;
mod dom;
mod drop;
pub mod fetch;
mod frame;
mod link;
mod outside;
mod parent;
mod pause;
mod print;
mod ranking;
mod read;
mod rows;
mod save;
mod seen;
mod size;
mod theme;

pub use clipboard::copy;
pub use dom::{
    field_text, focus, hold, is_open, selected_index, show_failure, show_panel, slider_index, to_top, use_card_focus,
    use_fill, use_selected, use_shortcuts,
};
pub use drop::{Arrived, Origin, area_text, bytes_of, chosen_file, settled_text, use_drop};
pub use frame::use_frame_queue;
pub use link::{arrival, full_link, use_address};
pub use outside::{leaves, use_press_outside};
pub use parent::{use_height, use_parent};
pub use pause::{use_after_pause, use_commit, use_rested, use_settled};
pub use print::use_printing;
pub use ranking::use_ranking;
pub use read::{Read, read_text};
pub use rows::{Rows, use_rows};
pub use save::{Kind, save_file, save_picture, save_text};
pub use seen::use_seen;
pub use size::{use_restorations, use_size};
pub use theme::{chosen_theme, use_theme};
