//! Cross-encoder: scores pairs of texts by an ONNX network.

use std::sync::{Arc, Mutex, PoisonError};

use rten::{Model as Network, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::{AsView, Layout, NdTensor};
use tokenizers::Tokenizer;

use crate::nli::error::NliError;
use crate::nli::files::ModelFiles;
use crate::nli::labels::LabelOrder;

/// Maximum number of tokens of a pair, with its markers, unless the model's configuration allows fewer.
const MAX_TOKENS: usize = 512;

/// Probability of the classes of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Probability that the premise entails the hypothesis.
    pub entailment: f32,
    /// Probability that the premise contradicts it; `None` for a model of two classes.
    pub contradiction: Option<f32>,
}

/// Network with its tokenizer. Texts are not padded or batched, so the scores of a pair depend on the pair alone.
pub struct CrossEncoder {
    network: Network,
    /// Inputs that the network has, in the order of [`INPUTS`].
    inputs: Vec<NodeId>,
    output: NodeId,
    tokenizer: Tokenizer,
    labels: LabelOrder,
    max_tokens: usize,
    /// Idle thread pools; created on demand.
    pools: Mutex<Vec<Arc<ThreadPool>>>,
}

/// Names of the network's inputs: token ids, attention mask, segment ids. The last one is optional.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

impl CrossEncoder {
    /// Loads a model, and scores one pair to see that it works.
    ///
    /// # Errors
    /// Every [`NliError`] but those of reading files.
    pub fn load(files: ModelFiles) -> Result<CrossEncoder, NliError> {
        let path = files.network_path;
        let network = Network::load(files.network);
        let network = network.map_err(|error| NliError::Network { path: path.clone(), why: error.to_string() })?;
        let names: Vec<String> = network
            .input_ids()
            .iter()
            .map(|id| network.node_info(*id).and_then(|node| node.name()).unwrap_or_default().to_owned())
            .collect();
        let is_known = names.iter().all(|name| INPUTS.contains(&name.as_str()));
        let inputs: Vec<NodeId> = INPUTS.iter().filter_map(|name| network.find_node(name)).collect();
        let has_needed = INPUTS[..2].iter().all(|name| names.iter().any(|found| found == name));
        if !is_known || !has_needed || inputs.len() != names.len() {
            return Err(NliError::Inputs { path, found: names.join(", ") });
        }
        let Some(output) = network.output_ids().first().copied() else {
            return Err(NliError::Network { path, why: "it has no output".to_owned() });
        };
        let unusable = |error: tokenizers::Error| NliError::Tokenizer {
            path: files.tokenizer_path.clone(),
            why: error.to_string(),
        };
        let mut tokenizer = Tokenizer::from_bytes(&files.tokenizer).map_err(unusable)?;
        tokenizer.with_truncation(None).map_err(unusable)?;
        tokenizer.with_padding(None);
        let max_tokens = files.max_tokens.unwrap_or(MAX_TOKENS).min(MAX_TOKENS);
        let (labels, pools) = (files.labels, Mutex::default());
        let encoder = CrossEncoder { network, inputs, output, tokenizer, labels, max_tokens, pools };
        match encoder.logits("It rains.", "It is wet.") {
            Ok(Some(logits)) if logits.len() == labels.classes => Ok(encoder),
            Ok(Some(logits)) => {
                let found = if logits.len() == 1 { "1 number".to_owned() } else { format!("{} numbers", logits.len()) };
                Err(NliError::Output { path, found, labels: labels.classes })
            }
            Ok(None) => Err(NliError::Network { path, why: format!("it takes {max_tokens} tokens only") }),
            Err(why) => Err(NliError::Network { path, why }),
        }
    }

    /// Scores a pair; `None` if it is longer than the network can read.
    ///
    /// # Errors
    /// The cause in words, if the tokenizer or the network fails.
    pub fn score(&self, premise: &str, hypothesis: &str) -> Result<Option<Scores>, String> {
        let Some(logits) = self.logits(premise, hypothesis)? else { return Ok(None) };
        let probabilities = softmax(&logits);
        let at = |class: usize| probabilities.get(class).copied().unwrap_or_default();
        let contradiction = self.labels.contradiction.map(at);
        Ok(Some(Scores { entailment: at(self.labels.entailment), contradiction }))
    }

    fn logits(&self, premise: &str, hypothesis: &str) -> Result<Option<Vec<f32>>, String> {
        let pair = self.tokenizer.encode_fast((premise, hypothesis), true).map_err(|error| error.to_string())?;
        let n_tokens = pair.get_ids().len();
        if n_tokens > self.max_tokens {
            return Ok(None);
        }
        let signed = |ids: &[u32]| ids.iter().map(|id| id.cast_signed()).collect::<Vec<i32>>();
        let columns = [signed(pair.get_ids()), vec![1; n_tokens], signed(pair.get_type_ids())];
        let tensors = self.inputs.iter().zip(columns).map(|(id, column)| {
            let tensor = NdTensor::from_data([1, n_tokens], column);
            (*id, ValueOrView::from(tensor))
        });
        let pool = self.pools.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let pool = pool.unwrap_or_else(|| Arc::new(ThreadPool::with_num_threads(1)));
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&pool)));
        let run = self.network.run_n(tensors.collect(), [self.output], Some(options));
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
        let [logits] = run.map_err(|error| error.to_string())?;
        let logits: NdTensor<f32, 2> =
            logits.try_into().map_err(|_| "its first output is not a table of scores".to_owned())?;
        if logits.shape()[0] != 1 {
            return Err(format!("its output has the unexpected shape {:?}", logits.shape()));
        }
        Ok(Some(logits.to_vec()))
    }
}

/// Returns the probabilities of logits, which sum up to 1.
fn softmax(logits: &[f32]) -> Vec<f32> {
    let highest = logits.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = logits.iter().map(|logit| (logit - highest).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}
