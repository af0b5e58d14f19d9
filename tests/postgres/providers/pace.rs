//! The setting `FAULTLINE_PACE`: the offline and the scripted provider wait before each answer, and answer the same.

use std::sync::Arc;
use std::time::{Duration, Instant};

use faultline::app::paced_model::PacedModel;
use faultline_core::kernel::effect::EffectAttempt;
use faultline_providers::ports::Model;
use faultline_providers::scripted::Scripted;
use serde_json::json;

use crate::support::model_servers::provider_server::ask;

#[tokio::test]
async fn paced_providers_give_the_same_answers_later() {
    let script = json!({ "*": [{ "$text": "said" }, { "$fail": "declined" }] }).to_string();
    let plain: Arc<dyn Model> = Arc::new(Scripted::parse(&script).expect("a script"));
    assert!(Arc::ptr_eq(&plain, &PacedModel::wrap(Arc::clone(&plain), Duration::ZERO)), "no pause, no wrapper");
    let pause = Duration::from_millis(40);
    let paced = PacedModel::wrap(Arc::clone(&plain), pause);
    let started = Instant::now();
    for attempt in [1, 2] {
        let ask = EffectAttempt { attempt, ..ask() };
        assert_eq!(paced.complete(&ask).await, plain.complete(&ask).await);
    }
    assert!(started.elapsed() >= pause * 2);
    assert_eq!((paced.name(), paced.about()), (plain.name(), plain.about()));
    assert!(paced.is_reproducible() && !paced.keeps_time());
}
