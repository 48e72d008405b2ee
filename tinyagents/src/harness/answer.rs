//! A model's answer, told while it comes.

use crate::context::RunContext;
use crate::dialect::{Session, StreamScrubber, TextDelta};
use crate::events::AgentEvent;
use crate::middleware::{MiddlewareStack, ToldMask};
use crate::model::{ChatModel, ModelDelta, ModelError, ModelRequest, ModelResponse};

/// Asks the model. Where it can be heard while it speaks and somebody listens, what it says is told piece by piece; the
/// answer is the same.
pub(super) async fn answer(
    model: &dyn ChatModel,
    middleware: &MiddlewareStack,
    session: &Session,
    ctx: &RunContext,
    request: ModelRequest,
) -> Result<ModelResponse, ModelError> {
    if !model.profile().streaming || !ctx.has_sinks() {
        return model.complete(request).await;
    }
    let mut teller = Teller {
        ctx,
        request: ctx.meter().model_calls(),
        scrubber: session.scrubber(),
        text: middleware.told_mask(),
        reasoning: middleware.told_mask(),
    };
    let mut deltas = model.stream(request).await?;
    while let Some(delta) = deltas.next().await {
        match delta? {
            ModelDelta::Text(text) => teller.hear(text),
            ModelDelta::Reasoning(reasoning) => teller.tell(TextDelta {
                reasoning,
                ..TextDelta::default()
            }),
            ModelDelta::Done(response) => {
                teller.finish();
                return Ok(response);
            }
        }
    }
    Err(ModelError::broken_off())
}

/// Tells the run's sinks what the model says.
struct Teller<'a> {
    ctx: &'a RunContext,
    request: u32,
    /// Holds back the markup of calls, where they are written as text.
    scrubber: Option<StreamScrubber>,
    /// What must not be told of its text, and of its thoughts.
    text: ToldMask<'a>,
    reasoning: ToldMask<'a>,
}

impl Teller<'_> {
    fn hear(&mut self, text: String) {
        let delta = match &mut self.scrubber {
            Some(scrubber) => scrubber.push(&text),
            None => TextDelta {
                text,
                ..TextDelta::default()
            },
        };
        self.tell(delta);
    }

    /// What was held back and is no markup.
    fn finish(mut self) {
        if let Some(scrubber) = self.scrubber.take() {
            self.tell(scrubber.finish());
        }
        let (text, reasoning) = (self.text.finish(), self.reasoning.finish());
        self.emit(false, text, reasoning);
    }

    fn tell(&mut self, delta: TextDelta) {
        let TextDelta {
            restarted,
            text,
            mut reasoning,
            calls: _,
        } = delta;
        if restarted {
            // What was held back of the text was a thought as well.
            reasoning.insert_str(0, &self.text.finish());
        }
        let (text, reasoning) = (self.text.push(text), self.reasoning.push(reasoning));
        self.emit(restarted, text, reasoning);
    }

    fn emit(&self, restarted: bool, text: String, reasoning: String) {
        if !restarted && text.is_empty() && reasoning.is_empty() {
            return;
        }
        self.ctx.emit(AgentEvent::ModelDelta {
            request: self.request,
            text,
            reasoning,
            restarted,
        });
    }
}
