//! The address of the site, which previews of links need.

use anyhow::{Result, bail};
use std::path::Path;

use crate::shell::{read_text, write};

/// Environment variable with the address.
const VARIABLE: &str = "SHARDWISE_URL";
/// Attribute with the page's picture.
const PICTURE: &str = "content=\"static/";
/// Line of the page before which the lines with the address are inserted.
const BEFORE: &str = "<meta property=\"og:type\"";

/// Writes the address into the built page, if it is set: link previews require absolute addresses
/// of pictures. Without an address, all paths stay relative and work under any path.
pub(super) fn write_address(folder: &Path) -> Result<()> {
    let Some(url) = std::env::var(VARIABLE).ok().filter(|url| !url.trim().is_empty()) else { return Ok(()) };
    let page = folder.join("index.html");
    write(&page, with_address(&read_text(&page)?, url.trim())?)
}

/// Returns the page with absolute addresses.
fn with_address(html: &str, url: &str) -> Result<String> {
    let is_plain = !url.contains(['"', '<', '>', '&', '#', '?', ' ']);
    if !(is_plain && (url.starts_with("https://") || url.starts_with("http://"))) {
        let example = "https://example.org/shardwise/";
        bail!("{VARIABLE} is `{url}`, which is not the address of a site, such as `{example}`.");
    }
    let url = format!("{}/", url.trim_end_matches('/'));
    let own =
        format!("<link rel=\"canonical\" href=\"{url}\">\n<meta property=\"og:url\" content=\"{url}\">\n{BEFORE}");
    Ok(html.replace(PICTURE, &format!("content=\"{url}static/")).replacen(BEFORE, &own, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../index.html");

    #[test]
    fn the_picture_and_the_page_get_whole_addresses() {
        let html = with_address(PAGE, "https://example.org/calc").unwrap();
        assert_eq!(html.matches("https://example.org/calc/").count(), 4);
        for line in [
            "<meta property=\"og:image\" content=\"https://example.org/calc/static/og.png\">",
            "<meta name=\"twitter:image\" content=\"https://example.org/calc/static/og.png\">",
            "<link rel=\"canonical\" href=\"https://example.org/calc/\">",
        ] {
            assert!(html.contains(line), "{line}");
        }
        // Files that the page loads stay relative.
        assert!(html.contains("src=\"static/theme.js\""));
    }

    #[test]
    fn the_picture_is_as_large_as_the_page_says_and_light() {
        let picture = include_bytes!("../../../static/og.png");
        let size = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| picture[at + byte]));
        assert!(PAGE.contains(&format!("og:image:width\" content=\"{}\"", size(16))));
        assert!(PAGE.contains(&format!("og:image:height\" content=\"{}\"", size(20))));
        assert!(picture.len() < 80_000);
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for url in ["example.org", "https://example.org/?a=1", "https://exa\"mple.org", "ftp://example.org"] {
            assert!(with_address(PAGE, url).unwrap_err().to_string().contains(url));
        }
    }
}
