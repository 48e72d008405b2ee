//! A streamed answer while it comes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::assembly::Assembly;
use super::event_stream::{Event, EventReader, EventTooLong};
use super::failure::Failure;
use super::hearing::Hearing;
use super::open_ai_model::Shared;
use super::piece::Piece;
use super::spoken::Spoken;
use super::transport::Answer;
use crate::model::{ModelDelta, ModelError, ModelStream};

/// Longest wait for what may follow the end of the message: the usage, and the end of the stream.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// A streamed answer while it comes. Dropping it closes the connection.
pub(super) struct LiveAnswer {
    model: Arc<Shared>,
    answer: Answer,
    reader: EventReader,
    assembly: Assembly,
    spoken: Spoken,
    hearing: Hearing,
    /// What is handed out before the next bytes are asked for.
    ready: VecDeque<ModelDelta>,
    deadline: Instant,
    has_ended: bool,
}

impl LiveAnswer {
    pub(super) fn new(
        model: Arc<Shared>,
        answer: Answer,
        spoken: Spoken,
        deadline: Instant,
    ) -> Self {
        Self {
            assembly: Assembly::new(&model.transport.endpoint.origin),
            model,
            answer,
            reader: EventReader::default(),
            hearing: Hearing::new(spoken.scrubber()),
            spoken,
            ready: VecDeque::new(),
            deadline,
            has_ended: false,
        }
    }

    pub(super) fn into_stream(self) -> ModelStream {
        ModelStream::new(futures::stream::unfold(Some(self), async |live| {
            let mut live = live?;
            match live.next().await {
                Ok(ModelDelta::Done(response)) => Some((Ok(ModelDelta::Done(response)), None)),
                Ok(delta) => Some((Ok(delta), Some(live))),
                Err(error) => Some((Err(error), None)),
            }
        }))
    }

    /// The next piece.
    async fn next(&mut self) -> Result<ModelDelta, ModelError> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Ok(delta);
            }
            match self.reader.pop().map_err(too_long)? {
                Some(Event::Chunk(chunk)) => {
                    let piece = self.assembly.add(&chunk)?;
                    let heard = self.hearing.hear(piece);
                    self.hand_out(heard);
                }
                Some(Event::Done) => self.finish()?,
                Some(Event::Error(body)) => return Err(self.failed(&body)),
                // The last line was cut off, or is beyond the end.
                Some(Event::Unreadable(_)) if self.has_ended => {}
                Some(Event::Unreadable(_)) => {
                    return Err(ModelError::InvalidResponse(
                        "an event is no JSON".to_owned(),
                    ));
                }
                None if self.has_ended => self.finish_early()?,
                None => self.read().await?,
            }
        }
    }

    /// Waits for the next bytes.
    async fn read(&mut self) -> Result<(), ModelError> {
        let is_finished = self.assembly.is_finished();
        let until = if is_finished {
            self.deadline.min(Instant::now() + LAST_WAIT)
        } else {
            self.deadline
        };
        match self.model.transport.next(&mut self.answer, until).await {
            Ok(Some(bytes)) => {
                self.reader.push(&bytes);
                Ok(())
            }
            Ok(None) => {
                self.has_ended = true;
                self.reader.finish().map_err(too_long)
            }
            // The message is complete; that the end of the stream doesn't come, or not properly, takes nothing from it.
            Err(_) if is_finished => {
                self.has_ended = true;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn hand_out(&mut self, piece: Piece) {
        if !piece.reasoning.is_empty() {
            self.ready.push_back(ModelDelta::Reasoning(piece.reasoning));
        }
        if !piece.text.is_empty() {
            self.ready.push_back(ModelDelta::Text(piece.text));
        }
    }

    /// The stream ended without `[DONE]`.
    fn finish_early(&mut self) -> Result<(), ModelError> {
        if self.assembly.is_finished() {
            return self.finish();
        }
        Err(ModelError::Unavailable {
            source: anyhow::anyhow!("the answer broke off before it was complete"),
            retry_after: None,
        })
    }

    fn finish(&mut self) -> Result<(), ModelError> {
        let last = self.hearing.end();
        self.hand_out(last);
        let response = std::mem::take(&mut self.assembly).finish()?;
        self.ready
            .push_back(ModelDelta::Done(self.spoken.read(response)));
        Ok(())
    }

    fn failed(&self, body: &serde_json::Value) -> ModelError {
        let failure = Failure {
            status: None,
            body,
            retry_after: None,
            has_tools: false,
        };
        failure.into_error(&self.model.transport.secrets)
    }
}

fn too_long(EventTooLong: EventTooLong) -> ModelError {
    ModelError::InvalidResponse("an event has no end".to_owned())
}
