//! Streamed replies of both HTTP providers, from servers that behave and from servers that do not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use faultline_core::events::receipt::{Failure, FailureKind, ProviderAnswer, Usage};
use faultline_providers::anthropic::{Anthropic, AnthropicConfig};
use faultline_providers::http::MAX_RETRIES;
use faultline_providers::openai::{OpenAi, OpenAiConfig};
use faultline_providers::pacing::ProviderLimits;
use faultline_providers::ports::Model;
use faultline_providers::prices::Prices;
use faultline_providers::settings::CallTimeouts;
use serde_json::{Value, json};

use crate::support::model_servers::provider_server::{
    KEY, USAGE, anthropic_config, ask, completion, message, openai_config, timeouts,
};
use crate::support::model_servers::stream_server::{
    Seen, Step, StreamServer, Streamed, chunks, completed, message_end, message_events,
};

/// Wire format of a stream.
#[derive(Clone, Copy)]
struct Format {
    begin: fn(&[&str]) -> String,
    end: fn(&str) -> String,
    done: &'static str,
}

const ANTHROPIC: Format = Format { begin: message_events, end: message_end, done: "end_turn" };
const OPENAI: Format = Format { begin: chunks, end: completed, done: "stop" };

impl Format {
    fn whole(self, pieces: &[&str]) -> String {
        (self.begin)(pieces) + &(self.end)(self.done)
    }
}

struct Outcome {
    answer: Result<ProviderAnswer, Failure>,
    seen: Vec<String>,
    bodies: Vec<Value>,
}

/// Asks both providers, whose servers give the responses that `responses` builds in their formats.
async fn both(responses: impl Fn(Format) -> Vec<Streamed>, timeouts: CallTimeouts) -> [Outcome; 2] {
    let prices = Prices::parse("[deep-model]\ninput = 1_000_000\noutput = 1_000_000").unwrap();
    let servers = [StreamServer::start(responses(ANTHROPIC)).await, StreamServer::start(responses(OPENAI)).await];
    let config =
        AnthropicConfig { timeouts: timeouts.clone(), prices: prices.clone(), ..anthropic_config(&servers[0].base) };
    let anthropic = Anthropic::new(config).unwrap();
    let openai = OpenAi::new(OpenAiConfig { timeouts, prices, ..openai_config(&servers[1].base) }).unwrap();
    let (ask, seen) = (ask(), [Seen::default(), Seen::default()]);
    let answers = tokio::join!(anthropic.stream(&ask, &seen[0]), openai.stream(&ask, &seen[1]));
    let outcome = |answer, at: usize| Outcome { answer, seen: seen[at].pieces(), bodies: servers[at].bodies() };
    [outcome(answers.0, 0), outcome(answers.1, 1)]
}

async fn both_fail(responses: impl Fn(Format) -> Vec<Streamed>, kind: FailureKind, calls: usize, saying: &str) {
    for Outcome { answer, bodies, .. } in both(responses, timeouts()).await {
        let failure = answer.unwrap_err();
        assert_eq!((failure.kind, bodies.len()), (kind, calls), "{failure}");
        assert!(failure.message.contains(saying) && failure.message.chars().count() < 500, "{failure}");
    }
}

#[tokio::test]
async fn pieces_are_handed_on_and_the_answer_is_that_of_a_whole_reply() {
    let pieces = ["{\"te", "xt\":\"é🙂", "\"}"];
    for outcome in both(|format| vec![Streamed::text(&format.whole(&pieces))], timeouts()).await {
        let answer = outcome.answer.unwrap();
        let priced = Usage { cost_micros: USAGE.tokens(), unpriced: false, ..USAGE };
        assert!(answer.by.ends_with("/deep-model-20261101"), "{}", answer.by);
        assert_eq!((answer.text.as_str(), answer.usage, answer.tries), ("{\"text\":\"é🙂\"}", priced, 1));
        assert_eq!(answer.request_id.as_deref(), Some("req_1"));
        assert_eq!(outcome.seen, pieces);
        assert_eq!(outcome.bodies[0]["stream"], true);
    }
}

#[tokio::test]
async fn a_request_asks_an_openai_server_for_the_usage_of_its_stream() {
    let [anthropic, openai] = both(|format| vec![Streamed::text(&format.whole(&["{}"]))], timeouts()).await;
    assert_eq!(openai.bodies[0]["stream_options"], json!({ "include_usage": true }));
    assert_eq!(anthropic.bodies[0].get("stream_options"), None);
}

#[tokio::test]
async fn letters_may_be_split_over_chunks() {
    let bytes = |format: Format| {
        let stream = format.whole(&["é🙂", "ß\\u00e9"]).replace('\n', "\r\n").into_bytes();
        vec![Streamed::events(stream.iter().map(|byte| Step::Send(vec![*byte])).collect::<Vec<_>>())]
    };
    for outcome in both(bytes, timeouts()).await {
        assert_eq!(outcome.answer.unwrap().text, "é🙂ß\\u00e9");
        assert_eq!(outcome.seen, ["é🙂", "ß\\u00e9"]);
    }
}

#[tokio::test]
async fn pieces_arrive_before_the_reply_ends() {
    let slow = |format: Format| {
        let (begin, end) = ((format.begin)(&["{\"text\":\""]).into_bytes(), (format.end)(format.done).into_bytes());
        vec![Streamed::events([Step::Send(begin), Step::Wait(Duration::from_secs(60)), Step::Send(end)])]
    };
    let server = StreamServer::start(slow(OPENAI)).await;
    let provider = OpenAi::new(openai_config(&server.base)).unwrap();
    let (ask, seen) = (ask(), Seen::default());
    let arrived = async {
        while seen.pieces().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        () = arrived => {}
        _ = provider.stream(&ask, &seen) => panic!("the reply has not ended"),
    }
    assert_eq!(seen.pieces(), ["{\"text\":\""]);
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_discarded_and_requested_again() {
    let broken = |format: Format| {
        let cut = Streamed::events([Step::Send((format.begin)(&["Half a reply"]).into_bytes()), Step::Cut]);
        vec![cut, Streamed::text(&format.whole(&["{}"]))]
    };
    for outcome in both(broken, timeouts()).await {
        let answer = outcome.answer.unwrap();
        assert_eq!((answer.text.as_str(), answer.tries), ("{}", 2));
        let usage = answer.usage;
        assert!(usage.estimated && usage.output_tokens >= 73, "the broken reply counts: {usage:?}");
        assert!(usage.input_tokens > 12 && usage.cost_micros > 0, "{usage:?}");
        let [first, discarded, second] = &outcome.seen[..] else { panic!("{:?}", outcome.seen) };
        assert_eq!((first.as_str(), second.as_str()), ("Half a reply", "{}"));
        assert!(discarded.starts_with("[broke off"), "{discarded}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_its_end_is_a_reply_that_broke_off() {
    let all = 1 + MAX_RETRIES as usize;
    let early = |format: Format| vec![Streamed::text(&(format.begin)(&["Half a reply"]))];
    both_fail(early, FailureKind::Unavailable, all, "the stream ended after 12 bytes of the reply").await;
    for outcome in both(early, timeouts()).await {
        let partial = outcome.answer.unwrap_err().answer.expect("the partial answer");
        assert_eq!((partial.text.as_str(), partial.tries as usize), ("Half a reply", all));
        assert!(partial.usage.estimated && partial.usage.output_tokens >= 9, "{:?}", partial.usage);
        assert!(partial.usage.cost_micros > 0, "{:?}", partial.usage);
    }
    // Many servers close the connection instead of sending the last mark.
    let unmarked = |format: Format| {
        let whole = format.whole(&["{}"]).replace("data: [DONE]\n\n", "").replace("event: message_stop", "event: x");
        vec![Streamed::text(whole.trim_end())]
    };
    for outcome in both(unmarked, timeouts()).await {
        assert_eq!(outcome.answer.unwrap().usage.tokens(), USAGE.tokens());
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_classified_by_its_code() {
    let failing = |code: &str| {
        let error = format!(
            "event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"{code}\",\"message\":\"no\"}}}}\n\n"
        );
        move |format: Format| {
            vec![Streamed::text(&((format.begin)(&["Half"]) + &error)), Streamed::text(&format.whole(&["{}"]))]
        }
    };
    for outcome in both(failing("overloaded_error"), timeouts()).await {
        assert_eq!((outcome.answer.unwrap().tries, outcome.seen.len()), (2, 3), "{:?}", outcome.seen);
    }
    both_fail(failing("insufficient_quota"), FailureKind::Hopeless, 1, "(insufficient_quota): \"no\"").await;
    both_fail(failing("invalid_request_error"), FailureKind::Hopeless, 1, "in the middle of its reply").await;
}

#[tokio::test]
async fn finish_reasons_mean_the_same_as_in_a_whole_reply() {
    for (kind, [anthropic, openai]) in
        [(FailureKind::Truncated, ["max_tokens", "length"]), (FailureKind::Declined, ["refusal", "content_filter"])]
    {
        let reason = |format: Format| if format.done == "stop" { openai } else { anthropic };
        let stopped =
            |format: Format| vec![Streamed::text(&((format.begin)(&["{\"a"]) + &(format.end)(reason(format))))];
        for outcome in both(stopped, timeouts()).await {
            let failure = outcome.answer.unwrap_err();
            let answer = failure.answer.as_ref().expect("the answer");
            assert_eq!((failure.kind, answer.usage.tokens()), (kind, USAGE.tokens()), "{failure}");
        }
    }
}

#[tokio::test]
async fn what_is_no_stream_of_replies_is_refused() {
    let page = "<html>\n<body>busy</body>\n</html>\n";
    both_fail(|_| vec![Streamed::text(page)], FailureKind::Unavailable, 3, "the stream ended after 0 bytes").await;
    let garbage = format!("data: {{\"oh\": {KEY}\n\n");
    both_fail(|_| vec![Streamed::text(&garbage)], FailureKind::Unavailable, 1, "an event that is not JSON").await;
    both_fail(|_| vec![Streamed::text(&garbage)], FailureKind::Unavailable, 1, "[redacted]").await;
    both_fail(|_| vec![Streamed::text("data: 5\n\n")], FailureKind::Unavailable, 1, "not the expected JSON").await;
    let binary = || vec![Streamed::events([Step::Send(b"data: \xff\xfe\n\n".to_vec())])];
    both_fail(|_| binary(), FailureKind::Unavailable, 1, "that is not UTF-8").await;
    let long = || vec![Streamed::events([Step::Forever(vec![b'x'; 64 << 10], Duration::ZERO)])];
    both_fail(|_| long(), FailureKind::Unavailable, 1, "an event of more than 1048576 bytes").await;
}

#[tokio::test]
async fn an_endless_reply_is_cut_at_a_limit() {
    let piece = "word ".repeat(2_000);
    let endless = |format: Format| {
        let begin = (format.begin)(&[]);
        let more = (format.begin)(&[&piece]).as_bytes()[begin.len()..].to_vec();
        vec![Streamed::events([Step::Send(begin.into_bytes()), Step::Forever(more, Duration::ZERO)])]
    };
    for outcome in both(endless, timeouts()).await {
        let failure = outcome.answer.unwrap_err();
        assert!(failure.message.contains("with a text of more than 1048576 bytes"), "{failure}");
        let partial = failure.answer.expect("the partial answer");
        assert!((1 << 20..(1 << 20) + 20_000).contains(&partial.text.len()), "{}", partial.text.len());
        assert_eq!(outcome.bodies.len(), 1);
    }
}

#[tokio::test]
async fn a_slow_stream_times_out_with_the_tokens_that_were_counted() {
    let drip = |format: Format| {
        let begin = (format.begin)(&["Slowly, "]).into_bytes();
        vec![Streamed::events([Step::Send(begin), Step::Forever(b": alive\n\n".to_vec(), Duration::from_millis(10))])]
    };
    let timeouts = CallTimeouts { call: Duration::from_millis(300), ..timeouts() };
    let started = Instant::now();
    for outcome in both(drip, timeouts.clone()).await {
        let failure = outcome.answer.unwrap_err();
        assert_eq!((failure.kind, outcome.bodies.len()), (FailureKind::TimedOut, 1), "{failure}");
        let partial = failure.answer.expect("the partial answer");
        assert_eq!(partial.text, "Slowly, ");
        assert!(partial.usage.estimated && partial.usage.input_tokens > 0, "{:?}", partial.usage);
    }
    let silent = |_| vec![Streamed::events([Step::Wait(Duration::from_secs(60))])];
    for outcome in both(silent, timeouts).await {
        let failure = outcome.answer.unwrap_err();
        assert!(failure.message.ends_with("did not answer within 0.3 s"), "{failure}");
        let partial = failure.answer.expect("the partial answer");
        assert!(partial.usage.estimated && partial.usage.input_tokens > 0 && partial.usage.output_tokens == 0);
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn the_time_for_a_question_covers_its_retries() {
    let cut = |format: Format| {
        let begin = (format.begin)(&["Half"]).into_bytes();
        vec![Streamed::events([Step::Send(begin), Step::Wait(Duration::from_millis(250)), Step::Cut])]
    };
    let timeouts = CallTimeouts { call: Duration::from_millis(400), ..timeouts() };
    let started = Instant::now();
    for outcome in both(cut, timeouts).await {
        assert_eq!(outcome.answer.unwrap_err().kind, FailureKind::TimedOut);
    }
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_server_that_cannot_stream_answers_all_the_same() {
    let refusal =
        json!({ "error": { "type": "invalid_request_error", "message": "'stream' is not supported by this model" } });
    let whole = |format: Format| {
        let body = if format.done == "stop" { completion("stop", json!("{}")) } else { message("end_turn", "{}") };
        Streamed::json("200 OK", &body)
    };
    let refusing = |format: Format| vec![Streamed::json("400 Bad Request", &refusal), whole(format)];
    for outcome in both(refusing, timeouts()).await {
        assert_eq!((outcome.answer.unwrap().usage.tokens(), outcome.seen.len()), (USAGE.tokens(), 0));
        assert_eq!((outcome.bodies.len(), outcome.bodies[1].get("stream")), (2, None));
    }
    for outcome in both(|format| vec![whole(format)], timeouts()).await {
        assert_eq!((outcome.answer.unwrap().text.as_str(), outcome.bodies.len()), ("{}", 1), "the request was ignored");
    }
    let upstream = json!({ "error": { "type": "invalid_request_error", "message": "upstream request failed" } });
    both_fail(|_| vec![Streamed::json("400 Bad Request", &upstream)], FailureKind::Hopeless, 1, "upstream").await;
}

#[tokio::test]
async fn a_refused_option_is_omitted_and_remembered() {
    let refusal = json!({ "error": { "message": "Unrecognized request argument supplied: stream_options" } });
    let uncounted =
        chunks(&["{}"]) + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = StreamServer::start([Streamed::json("400 Bad Request", &refusal), Streamed::text(&uncounted)]).await;
    let provider = OpenAi::new(openai_config(&server.base)).unwrap();
    for tries in [2, 1] {
        let answer = provider.stream(&ask(), &Seen::default()).await.unwrap();
        assert_eq!(answer.tries, tries);
        assert!(answer.usage.estimated && answer.usage.input_tokens > 0 && answer.usage.output_tokens == 1);
    }
    let bodies = server.bodies();
    assert!(bodies[1..].iter().all(|body| body["stream"] == true && body.get("stream_options").is_none()));
}

#[tokio::test]
async fn the_key_is_redacted_in_drafts_where_it_is_split() {
    let (one, two) = KEY.split_at(7);
    let telling = |format: Format| vec![Streamed::text(&format.whole(&["{\"text\":\"", one, two, "\"}"]))];
    for outcome in both(telling, timeouts()).await {
        assert_eq!(outcome.answer.unwrap().text, "{\"text\":\"[redacted]\"}");
        assert_eq!(outcome.seen.concat(), "{\"text\":\"[redacted]\"}");
    }
}

#[tokio::test]
async fn calls_wait_for_a_free_slot_and_that_time_does_not_count() {
    let slow = |pause: u64| {
        let (begin, end) = (chunks(&["{}"]).into_bytes(), completed("stop").into_bytes());
        vec![Streamed::events([Step::Send(begin), Step::Wait(Duration::from_millis(pause)), Step::Send(end)])]
    };
    let server = StreamServer::start(slow(150)).await;
    let limits = ProviderLimits { calls: Some(1), ..ProviderLimits::default() };
    let timeouts = CallTimeouts { call: Duration::from_millis(400), ..timeouts() };
    let provider = OpenAi::new(OpenAiConfig { limits, timeouts, ..openai_config(&server.base) }).unwrap();
    let (ask, seen, started) = (ask(), Seen::default(), Instant::now());
    let answers = futures_util::future::join_all((0..4).map(|_| provider.stream(&ask, &seen))).await;
    assert!(started.elapsed() >= Duration::from_millis(600), "one after the other: {:?}", started.elapsed());
    for answer in answers {
        let millis = answer.expect("no call timed out").millis;
        assert!((140..400).contains(&millis), "{millis} without the time in the queue");
    }
}

#[tokio::test]
async fn a_reply_is_granted_what_the_context_leaves() {
    let limits = ProviderLimits { context: Some(1_000), ..ProviderLimits::default() };
    for (text, most) in [("Is it so?".to_owned(), 300), ("word ".repeat(600), 220), ("word ".repeat(6_000), 1)] {
        let server = StreamServer::start([Streamed::text(&OPENAI.whole(&["{}"]))]).await;
        let provider = OpenAi::new(OpenAiConfig { limits: limits.clone(), ..openai_config(&server.base) }).unwrap();
        let mut ask = ask();
        ask.prompt.text = text;
        provider.stream(&ask, &Seen::default()).await.unwrap();
        let granted = server.bodies()[0]["max_completion_tokens"].as_u64().unwrap();
        assert!((1..=most).contains(&granted) && granted * 4 >= most, "{granted} of at most {most}");
    }
}
