//! The index that searches go to.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value;

use super::words::words;
use crate::registry::RegisteredTool;

/// How fast more of one word counts less. The usual value of BM25.
const K1: f32 = 1.2;
/// How much a long text counts less. The usual value of BM25.
const B: f32 = 0.75;

/// Words of a name count most: who knows a part of it means this tool.
const NAME: f32 = 3.0;
const FAMILY_AND_TAGS: f32 = 2.0;
const DESCRIPTION: f32 = 1.0;
const PROPERTY: f32 = 0.75;

/// BM25 over the fields of tools, with all that doesn't depend on the query computed once. Building it takes time linear
/// in the words; a search takes time in the tools that have a word of the query.
#[derive(Debug)]
pub(super) struct ToolIndex {
    words: HashMap<String, usize>,
    /// Of each word, the tools that have it, and what it adds to their scores.
    postings: Vec<Vec<(u32, f32)>>,
    names: Vec<String>,
}

impl ToolIndex {
    pub(super) fn new<'a>(tools: impl IntoIterator<Item = &'a RegisteredTool>) -> Self {
        let mut index = Self {
            words: HashMap::new(),
            postings: Vec::new(),
            names: Vec::new(),
        };
        let mut lengths: Vec<f32> = Vec::new();
        for tool in tools {
            let length = index.add(tool);
            lengths.push(length);
        }
        index.weigh(&lengths);
        index
    }

    /// Adds a tool with the weighted counts of its words, and returns the sum of them.
    fn add(&mut self, tool: &RegisteredTool) -> f32 {
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(tool.shown_name().to_owned());
        let mut length = 0.0;
        let mut add = |text: &str, weight: f32| {
            words(text, |word| {
                length += weight;
                let known = self.words.get(word).copied();
                let position = known.unwrap_or_else(|| {
                    self.words.insert(word.to_owned(), self.postings.len());
                    self.postings.push(Vec::new());
                    self.postings.len() - 1
                });
                let Some(posting) = self.postings.get_mut(position) else {
                    return;
                };
                match posting.last_mut() {
                    Some((last, count)) if *last == number => *count += weight,
                    _ => posting.push((number, weight)),
                }
            });
        };
        add(tool.shown_name(), NAME);
        add(&tool.shown_schema().description, DESCRIPTION);
        if let Some(tool) = tool.tool() {
            add(tool.family().unwrap_or_default(), FAMILY_AND_TAGS);
            for tag in tool.tags() {
                add(&tag, FAMILY_AND_TAGS);
            }
        }
        let properties = tool.shown_schema().parameters.get("properties");
        for name in properties.and_then(Value::as_object).into_iter().flatten() {
            add(name.0, PROPERTY);
        }
        length
    }

    /// Makes scores of the counts.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts, of which the order matters"
    )]
    fn weigh(&mut self, lengths: &[f32]) {
        let count = lengths.len() as f32;
        let average = (lengths.iter().sum::<f32>() / count.max(1.0)).max(1.0);
        for posting in &mut self.postings {
            let having = posting.len() as f32;
            let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for (number, weight) in posting {
                let length = lengths.get(*number as usize).copied().unwrap_or(average);
                let damping = K1 * (1.0 - B + B * length / average);
                *weight = rarity * *weight * (K1 + 1.0) / (*weight + damping);
            }
        }
    }

    /// Positions of the tools that fit a query best, the best first; none that has no word of it. A name that is the
    /// query comes before all else.
    pub(super) fn search(&self, query: &str, limit: usize) -> Vec<usize> {
        let mut scores = vec![0.0_f32; self.names.len()];
        let mut asked: Vec<usize> = Vec::new();
        words(query, |word| {
            if let Some(position) = self.words.get(word)
                && !asked.contains(position)
            {
                asked.push(*position);
            }
        });
        for posting in asked.iter().filter_map(|word| self.postings.get(*word)) {
            for (number, weight) in posting {
                if let Some(score) = scores.get_mut(*number as usize) {
                    *score += weight;
                }
            }
        }
        let query = query.trim();
        let mut found: Vec<(usize, f32)> = Vec::new();
        for (position, (score, name)) in scores.into_iter().zip(&self.names).enumerate() {
            if score > 0.0 || name == query {
                let exact = if name == query { f32::INFINITY } else { score };
                found.push((position, exact));
            }
        }
        let best_first = |left: &(usize, f32), right: &(usize, f32)| -> Ordering {
            right.1.total_cmp(&left.1).then(left.0.cmp(&right.0))
        };
        if limit < found.len() {
            found.select_nth_unstable_by(limit, best_first);
            found.truncate(limit);
        }
        found.sort_unstable_by(best_first);
        found.into_iter().map(|(position, _)| position).collect()
    }
}
