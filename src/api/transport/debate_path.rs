//! Id of a debate in the path of an address.

use faultline_store::error::StoreError;
use faultline_store::views::short_ids::ShortId;
use faultline_store::views::views::Views;

/// Returns the whole id for a part of one that a single listed debate has; any other text as it is.
///
/// # Errors
/// [`StoreError`] if the list cannot be read.
pub async fn whole_id(views: &Views, id: String) -> Result<String, StoreError> {
    let Some(short) = ShortId::parse(&id) else { return Ok(id) };
    Ok(match views.named(&short).await?.as_slice() {
        [debate] => debate.to_string(),
        _ => id,
    })
}
