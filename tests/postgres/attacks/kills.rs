//! Killing the service or the database server loses, doubles and hides nothing that was acknowledged.
