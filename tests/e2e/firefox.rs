//! The page in Firefox: it starts, its sliders move, and its console is as quiet. That a breach would be seen is tested too.

use xtask::browser::Kind;
use xtask::failure::Result;
use xtask::webdriver::{Key, wait_for};

use crate::page::{PATIENCE, Page};

#[test]
fn sliders_move_the_whole_picture_in_firefox() -> Result<()> {
    let page = Page::first_visit_in(Kind::Firefox)?;
    let before = page.settled()?;
    let slider = page.slider("Link bandwidth")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Left, 20)?;
    page.wait_for("the slider does not change headline, figures and plots", |now| {
        now.headline != before.headline
            && now.outputs != before.outputs
            && now.map != before.map
            && now.curve != before.curve
            && now.is_drawn()
    })?;
    page.leave_quietly()
}

#[test]
fn firefox_tells_of_a_breach_of_the_content_policy_and_of_an_error() -> Result<()> {
    let page = Page::first_visit_in(Kind::Firefox)?;
    page.leave_quietly()?;
    let breach = "const script = document.createElement('script');
        script.textContent = 'window.breached = true';
        document.body.append(script);
        setTimeout(() => { throw new Error('nobody expects this'); });
        return String(window.breached)";
    assert_eq!(page.session.text(breach, &[])?, "undefined");
    let mut said = Vec::new();
    wait_for("the console says nothing of a breach and an error", PATIENCE, || {
        said.extend(page.session.console()?.into_iter().filter(|(level, _)| level == "SEVERE"));
        let told = |words: &str| said.iter().any(|(_, message)| message.contains(words));
        Ok((told("Content-Security-Policy") && told("nobody expects this")).then_some(()))
    })?;
    let witnessed = page.session.text("return window.witness.join('; ')", &[])?;
    assert!(witnessed.contains("the policy forbids script-src"), "{witnessed}");
    Ok(())
}
