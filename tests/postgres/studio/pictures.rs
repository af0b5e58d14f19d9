//! Pictures of every page, light and dark. `FAULTLINE_PICTURES=target/pictures cargo test --test postgres pictures` keeps
//! them in that folder; docs/pictures has those that README.md shows.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use crate::studio::scene::{close, offline_debate, scene};
use crate::support::environment::project_path;
use crate::support::example_debates::append_debates;

/// First bytes of a PNG file.
const PNG: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// Pictures smaller than this show an empty page.
const MIN_BYTES: usize = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_has_a_picture_in_light_and_dark() {
    let Some((server, mut tab)) = scene(0).await else { return };
    append_debates(&server, 2).await;
    let debate = offline_debate(&server).await;
    let folder = std::env::var_os("FAULTLINE_PICTURES").map(|folder| project_path("").join(folder));
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    let pages = [
        ("list", "/".to_owned(), ".debate"),
        ("start", "/start".to_owned(), ".start"),
        ("debate", format!("/debates/{debate}?pick=a5"), ".picked .why p"),
        ("map", format!("/debates/{debate}?tab=map"), ".box"),
        ("replay", format!("/debates/{debate}?at=60"), ".box"),
        ("what-if", format!("/debates/{debate}?pick=a9&without=a9"), ".what-if-changes"),
        ("compare", format!("/debates/{debate}?versus=40"), ".differences"),
        ("cruxes", "/cruxes".to_owned(), ".crux-card"),
        ("persona", "/personas/edda-tolvane".to_owned(), "main h2"),
        ("projections", "/projections".to_owned(), ".projection"),
        ("cost", "/cost".to_owned(), "main h1"),
    ];
    for (name, path, selector) in pages {
        tab.go(&path).await;
        let is_ready = format!("document.querySelector({}) && !document.querySelector('.skeleton')", json!(selector));
        for scheme in ["light", "dark"] {
            tab.prefer(scheme).await;
            tab.wait(&is_ready).await;
            tab.wait("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))").await;
            let taken = tab.send("Page.captureScreenshot", json!({ "format": "png" })).await;
            let picture = BASE64_STANDARD.decode(taken["data"].as_str().expect("a picture")).expect("base64");
            assert!(picture.starts_with(&PNG) && picture.len() > MIN_BYTES, "{name} {scheme}: {} bytes", picture.len());
            if let Some(folder) = &folder {
                std::fs::write(folder.join(format!("{name}-{scheme}.png")), picture).expect("a file");
            }
        }
    }
    close((server, tab)).await;
}
