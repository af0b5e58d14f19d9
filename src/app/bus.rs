//! Message bus over which processes exchange events: optional, and only in programs that are built with it.

#[cfg(not(feature = "nats"))]
use std::convert::Infallible as Settings;

use crate::app::error::AppError;
use crate::app::workers::Workers;
use crate::config::Config;
#[cfg(feature = "nats")]
use faultline_nats::settings::NatsSettings as Settings;
use faultline_store::log::log::Log;

/// Settings of a bus. There are none in a program that is built without one.
pub type BusSettings = Settings;

/// Returns the settings of the configured bus; `None` if there is none.
///
/// # Errors
/// [`AppError::Configuration`] if they are invalid, or if the program was built without a bus.
pub fn settings(config: &Config) -> Result<Option<BusSettings>, AppError> {
    let Some(urls) = &config.nats_url else { return Ok(None) };
    parse(urls, &config.nats_subject).map(Some).map_err(AppError::Configuration)
}

#[cfg(feature = "nats")]
fn parse(urls: &str, subject: &str) -> Result<BusSettings, String> {
    BusSettings::parse(urls, subject).map_err(|error| error.to_string())
}

#[cfg(not(feature = "nats"))]
fn parse(_urls: &str, _subject: &str) -> Result<BusSettings, String> {
    let reason = "FAULTLINE_NATS_URL is set, but this program was built without NATS. Build it with `cargo build --release \
                  --features nats`, or unset FAULTLINE_NATS_URL";
    Err(reason.to_owned())
}

/// Exchanges events with other processes over a bus until the workers are stopped.
///
/// # Errors
/// [`AppError::Store`] if the database cannot be reached; [`AppError::Configuration`] if the bus refuses its settings.
#[cfg(feature = "nats")]
pub async fn join(settings: &BusSettings, log: &Log, workers: &mut Workers) -> Result<(), AppError> {
    use faultline_nats::bus::{NatsBus, NatsError};
    match NatsBus::connect(log, settings).await {
        Ok(bus) => {
            workers.start(|stop| bus.run(stop));
            Ok(())
        }
        Err(NatsError::Store(fault)) => Err(fault.into()),
        Err(error) => Err(AppError::Configuration(error.to_string())),
    }
}

/// Checks that a server of the bus answers, and returns its version and address.
///
/// # Errors
/// [`AppError::Configuration`] if none does.
#[cfg(feature = "nats")]
pub async fn check(settings: &BusSettings) -> Result<String, AppError> {
    faultline_nats::bus::check(settings).await.map_err(|error| AppError::Configuration(error.to_string()))
}

/// Checks a bus: there is none in this program.
///
/// # Errors
/// None.
#[cfg(not(feature = "nats"))]
pub async fn check(settings: &BusSettings) -> Result<String, AppError> {
    match *settings {}
}

/// Exchanges events over a bus: there is none in this program.
///
/// # Errors
/// None.
#[cfg(not(feature = "nats"))]
pub async fn join(settings: &BusSettings, _log: &Log, _workers: &mut Workers) -> Result<(), AppError> {
    match *settings {}
}
