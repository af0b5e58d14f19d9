//! Attaches the databases of shards to a store. A database belongs to one store, under one name, for good.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Executor, PgPool};
use uuid::Uuid;

use crate::database::pool::{ConnectionSettings, connect};
use crate::database::transaction::begin;
use crate::error::StoreError;
use crate::reads_row;
use crate::shard::ShardError;
use crate::shard::{HOME, MAX_SHARDS, ShardAddress, is_shard_name};
use crate::shards::shards::{Shard, Shards};

/// Connects to the shards of a store, migrates their databases, and makes empty ones shards of this store.
///
/// # Errors
/// [`StoreError::Shard`] if an address cannot be parsed, a database belongs to something else, or a lane is on a shard
/// without an address; otherwise as [`connect`].
pub(crate) async fn attach(
    home: PgPool,
    addresses: &[ShardAddress],
    settings: &ConnectionSettings,
) -> Result<Shards, StoreError> {
    let at_home = identity(&home).await?;
    if at_home.shard != HOME {
        return Err(ShardError::NotHome { shard: at_home.shard }.into());
    }
    let mut others = Vec::with_capacity(addresses.len());
    if addresses.len() > MAX_SHARDS {
        return Err(ShardError::TooMany { n_shards: addresses.len() }.into());
    }
    for ShardAddress { name, url } in addresses {
        if !is_shard_name(name) {
            return Err(ShardError::Name { shard: name.clone() }.into());
        }
        let options = PgConnectOptions::from_str(url)
            .map_err(|error| ShardError::Address { shard: name.clone(), reason: error.to_string() })?;
        let pool = connect(options, settings).await.map_err(|fault| unusable(name, &fault))?;
        claim(&pool, &at_home, name).await?;
        others.push(Shard { name: name.clone(), pool });
    }
    Shards::with_others(home, others).await
}

/// Names the shard in an error of its connection, and the setting that has its address.
fn unusable(shard: &str, fault: &StoreError) -> ShardError {
    let reason = fault.to_string().replace("DATABASE_URL", "its address in FAULTLINE_SHARDS");
    ShardError::Unusable { shard: shard.to_owned(), reason }
}

/// Makes a database this shard of a store, unless it is that already.
async fn claim(pool: &PgPool, home: &Identity, name: &str) -> Result<(), StoreError> {
    let attempt = StoreError::database("attach the database of a shard");
    let taken = |reason: &str| Err(ShardError::Taken { shard: name.to_owned(), reason: reason.to_owned() }.into());
    let mut transaction = begin(pool).await.map_err(&attempt)?;
    transaction.execute("lock table store_identity in exclusive mode").await.map_err(&attempt)?;
    let own: Identity = sqlx::query_as(IDENTITY).fetch_one(&mut *transaction).await.map_err(&attempt)?;
    if (own.server, own.database) == (home.server, home.database) {
        return taken("is the one at DATABASE_URL");
    }
    match (own.store == home.store, own.shard.as_str()) {
        (_, HOME) => {}
        (true, shard) if shard == name => return Ok(()),
        (true, shard) => return taken(&format!("is shard {shard:?} of this store")),
        (false, shard) => return taken(&format!("is shard {shard:?} of another store")),
    }
    let is_used: bool = sqlx::query_scalar(
        "select exists (select from events)
        or exists (select from personas)
        or exists (select from documents)
        or exists (select from lane_shards)",
    )
    .fetch_one(&mut *transaction)
    .await
    .map_err(&attempt)?;
    if is_used {
        return taken("holds another store");
    }
    sqlx::query("update store_identity set store = $1, shard = $2")
        .bind(home.store)
        .bind(name)
        .execute(&mut *transaction)
        .await
        .map_err(&attempt)?;
    // Until a lane is moved here.
    transaction.execute("update lanes set closed_head = head").await.map_err(&attempt)?;
    transaction.commit().await.map_err(attempt)
}

/// Database, and the store to which it belongs.
struct Identity {
    store: Uuid,
    /// Name of the database in the store.
    shard: String,
    server: i64,
    database: i64,
}

reads_row!(Identity { store, shard, server, database });

const IDENTITY: &str = "
    select
        store,
        shard,
        (select system_identifier from pg_control_system()) as server,
        (select oid::bigint from pg_database where datname = current_database()) as database
    from store_identity";

async fn identity(pool: &PgPool) -> Result<Identity, StoreError> {
    let attempt = StoreError::database("read to which store the database belongs");
    sqlx::query_as(IDENTITY).fetch_one(pool).await.map_err(attempt)
}
