//! Server-Sent Events as model providers send them: an incremental parser.
//!
//! Takes bytes in pieces of any size. Lines end with LF, CR or CRLF, and letters may be split over pieces. Comments,
//! `id:`, `retry:` and unknown fields are ignored.

use std::collections::VecDeque;

/// Maximum size of one event, in bytes.
pub(super) const MAX_EVENT_BYTES: usize = 1 << 20;

/// Event of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SseEvent {
    /// Name of the event; empty if the server gave none.
    pub(super) name: String,
    /// Data, its lines joined by line feeds.
    pub(super) data: String,
}

/// Error of a stream that is not made of Server-Sent Events.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SseError {
    /// An event has more than [`MAX_EVENT_BYTES`] bytes.
    TooLong,
    /// A line is not UTF-8.
    NotUtf8,
}

/// Parser of one stream.
#[derive(Debug, Default)]
pub(super) struct SseParser {
    /// Bytes of the unfinished line.
    line: Vec<u8>,
    name: String,
    /// Data of the unfinished event; `None` before its first data line.
    data: Option<String>,
    /// True if the last byte was a CR: an LF after it ends no further line.
    after_cr: bool,
    /// True once the first line, which may begin with a byte order mark, has ended.
    has_begun: bool,
    complete: VecDeque<SseEvent>,
}

impl SseParser {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// [`SseError`]; the parser must not be used afterwards.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        for byte in bytes {
            let is_second_half = std::mem::replace(&mut self.after_cr, *byte == b'\r') && *byte == b'\n';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => self.end_line()?,
                byte => {
                    self.line.push(*byte);
                    self.check_size()?;
                }
            }
        }
        Ok(())
    }

    /// Ends the stream. An event whose last lines were not followed by an empty line counts as complete, because some
    /// servers omit it.
    ///
    /// # Errors
    /// [`SseError`] as for [`SseParser::feed`].
    pub(super) fn finish(&mut self) -> Result<(), SseError> {
        self.end_line()?;
        self.end_event();
        Ok(())
    }

    /// Returns the next complete event.
    pub(super) fn next(&mut self) -> Option<SseEvent> {
        self.complete.pop_front()
    }

    fn end_line(&mut self) -> Result<(), SseError> {
        let bytes = std::mem::take(&mut self.line);
        let line = str::from_utf8(&bytes).map_err(|_| SseError::NotUtf8)?;
        let line = if std::mem::replace(&mut self.has_begun, true) {
            line
        } else {
            line.strip_prefix('\u{feff}').unwrap_or(line)
        };
        if line.is_empty() {
            self.end_event();
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            _ => {}
        }
        self.check_size()
    }

    fn end_event(&mut self) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            self.complete.push_back(SseEvent { name, data });
        }
    }

    fn check_size(&self) -> Result<(), SseError> {
        let size = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if size > MAX_EVENT_BYTES { Err(SseError::TooLong) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a stream that arrives in pieces of `size` bytes; returns names and data.
    fn parse(stream: &[u8], size: usize) -> Result<Vec<(String, String)>, SseError> {
        let mut parser = SseParser::default();
        for piece in stream.chunks(size) {
            parser.feed(piece)?;
        }
        parser.finish()?;
        Ok(std::iter::from_fn(|| parser.next()).map(|event| (event.name, event.data)).collect())
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_split() {
        let stream = "\u{feff}: hello\r\nevent: a\r\ndata: {\"x\":\r\ndata:\"é🙂\"}\r\n\r\n\
                      id: 7\rdata:  two\r\rretry: 5\ndata\n\nevent: empty\n\nunknown: 1\ndata: [DONE]";
        let expected = [("a", "{\"x\":\n\"é🙂\"}"), ("", " two"), ("", ""), ("", "[DONE]")];
        let expected: Vec<(String, String)> =
            expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect();
        for size in 1..=stream.len() {
            assert_eq!(parse(stream.as_bytes(), size), Ok(expected.clone()), "in pieces of {size} bytes");
        }
    }

    #[test]
    fn a_stream_of_other_bytes_is_refused() {
        assert_eq!(parse(b"data: \xff\n\n", 64), Err(SseError::NotUtf8));
        assert_eq!(parse(&vec![b'x'; MAX_EVENT_BYTES + 1], 4_096), Err(SseError::TooLong));
        let lines = "data: 0123456789\n".repeat(MAX_EVENT_BYTES / 10 + 1);
        assert_eq!(parse(lines.as_bytes(), 4_096), Err(SseError::TooLong));
        assert_eq!(parse(b"<html>\n<body>no stream</body>\n", 7), Ok(Vec::new()));
    }
}
