//! A debate's key is as durable as its first event.
