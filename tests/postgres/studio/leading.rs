//! Leading a debate from the page: pause, resume, interject, cancel, fork; and a reader to whom that is refused.

use faultline::api::admission::token_file::new_token;
use faultline::api::admission::tokens::AccessControl;
use faultline::api::role::Role;
use serde_json::json;

use crate::studio::browser::Tab;
use crate::studio::scene::{close, of_debate, offline_debate, scene, scripted_debate};
use crate::support::debate_builder::DebateBuilder;
use crate::support::environment::project_path;
use crate::support::test_home::scripted_replies;
use crate::support::test_server::TestServer;

/// A running debate is paused, resumed, spoken into, and cancelled after a second question.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_is_paused_resumed_interjected_and_cancelled() {
    let Some((server, mut tab)) = scene(3_000).await else { return };
    let debate = scripted_debate(&server).await;
    tab.go(&format!("/debates/{debate}")).await;
    tab.click(".actions button", "Pause").await;
    tab.wait("document.querySelector('.facts .tag').textContent.startsWith('paused')").await;
    assert_eq!(of_debate(&server, debate, "status").await["status"], json!("PAUSED"));
    tab.click(".actions button", "Resume").await;
    tab.wait("document.querySelector('.facts .tag').textContent.startsWith('running')").await;
    tab.click(".actions button", "Interject").await;
    tab.fill("dialog textarea", "Mind the ferry.").await;
    tab.click("dialog button", "Say it").await;
    tab.wait("!document.querySelector('dialog') && document.querySelector('.transcript').innerText.includes('Mind the ferry.')")
        .await;
    tab.click(".actions button", "Cancel").await;
    tab.fill("dialog input", "enough").await;
    tab.click("dialog .dialog-foot button", "Cancel the debate").await;
    tab.wait("document.querySelector('.facts .tag').textContent.startsWith('cancelled')").await;
    tab.wait("![...document.querySelectorAll('.actions button')].some(it => it.textContent === 'Pause')").await;
    assert_eq!(of_debate(&server, debate, "status").await["status"], json!("CANCELLED"));
    close((server, tab)).await;
}

/// A fork goes on from the shown version with changed options, names its origin, and is compared with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_starts_from_the_shown_version_and_links_its_origin() {
    let Some((server, mut tab)) = scene(0).await else { return };
    let debate = offline_debate(&server).await;
    tab.go(&format!("/debates/{debate}?at=6")).await;
    tab.click(".actions button", "Fork from event 6").await;
    tab.wait("document.querySelector('dialog form')").await;
    tab.click("dialog summary", "Options").await;
    let rounds = "[...document.querySelectorAll('dialog .field')].find(it => it.querySelector('label').textContent === 'rounds').querySelector('input')";
    tab.wait(&format!("({rounds}).id && (({rounds}).setAttribute('data-rounds', ''), true)")).await;
    tab.fill("[data-rounds]", "99").await;
    tab.wait("document.querySelector('dialog .wrong')").await; // refused at its field, before it is sent
    tab.fill("[data-rounds]", "1").await;
    tab.click("dialog button", "Fork from event 6").await;
    tab.wait(&format!("location.pathname.startsWith('/debates/') && !location.pathname.includes('{debate}')")).await;
    let origin = format!("a[href='/debates/{debate}?at=6']");
    assert!(tab.text(&origin).await.starts_with("fork of"));
    let path = tab.eval("location.pathname.split('/').at(-1)").await;
    let fork = path.as_str().expect("an id").parse().expect("an id");
    server.wait_for_end(fork).await;
    let told = of_debate(&server, fork, "forkedFrom { debateId at }").await;
    assert_eq!(told["forkedFrom"], json!({ "debateId": debate, "at": 6 }));
    tab.click(".facts a", "compare with it").await;
    tab.wait("document.querySelectorAll('.compare .side').length === 2").await;
    close((server, tab)).await;
}

/// Without a token the page asks for one; with a reader's, it offers nothing that would be refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_enters_a_token_and_is_offered_no_change() {
    let reader = new_token("page", Role::Reader, None).expect("a token");
    let access = AccessControl::by_tokens(&format!("{}\n", reader.line)).expect("a file");
    let server = TestServer::start_with_pages(&scripted_replies(0), &project_path("corpus"), access).await;
    let Some(mut tab) = Tab::open(&server.client).await else { return server.stop().await };
    let mut builder = DebateBuilder::new(&["ada", "ben"]);
    builder.add_argument("ada", "Yes", "Crews are rested.");
    builder.append_new(&server.log).await;
    tab.go(&format!("/debates/{}", builder.id)).await;
    tab.wait("document.querySelector('dialog input[type=password]')").await;
    tab.fill("dialog input", "nonsense").await;
    tab.click("dialog button", "Use this token").await;
    tab.wait_for_text("A token has a name, a dot and a secret").await;
    tab.fill("dialog input", &reader.token).await;
    tab.click("dialog button", "Use this token").await;
    tab.wait("document.querySelector('.debate-page h1')").await;
    tab.wait("document.querySelector('.link-state').textContent.startsWith('live')").await;
    tab.wait("![...document.querySelectorAll('.actions button')].some(it => /Pause|Cancel|Fork|Interject/.test(it.textContent))")
        .await;
    tab.forget_faults().await; // the browser reports each refusal
    close((server, tab)).await;
}
