//! WebSocket frames, messages, pings and write buffers are bounded.
