//! Files of an inference model: where they are, their contents, and the name that identifies them.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::nli::error::NliError;
use crate::nli::labels::{LabelOrder, ModelConfig};

/// Maximum length of a model's name, in characters.
const MAX_NAME_CHARS: usize = 60;

/// Settings of an inference model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NliConfig {
    /// Folder of the model, or its ONNX file.
    pub model: PathBuf,
    /// Tokenizer, if it is not `tokenizer.json` beside the model.
    pub tokenizer: Option<PathBuf>,
    /// Labels in the order of the network's output; empty for those of `config.json`.
    pub labels: Vec<String>,
}

/// Files of a model, read.
pub struct ModelFiles {
    /// Name of the model: that of its folder or file.
    pub name: String,
    /// Path of the network.
    pub network_path: PathBuf,
    /// Network.
    pub network: Vec<u8>,
    /// Path of the tokenizer.
    pub tokenizer_path: PathBuf,
    /// Tokenizer.
    pub tokenizer: Vec<u8>,
    /// Order of the labels.
    pub labels: LabelOrder,
    /// Maximum number of tokens that the network takes, if its configuration says so.
    pub max_tokens: Option<usize>,
}

impl ModelFiles {
    /// Reads the files of a model. A folder contains `model.onnx` or `onnx/model.onnx`, `tokenizer.json` and, unless the
    /// labels are configured, `config.json`.
    ///
    /// # Errors
    /// [`NliError::Unread`] if a file is missing or cannot be read, and [`NliError::Labels`] if the labels are unknown.
    pub fn read(config: &NliConfig) -> Result<ModelFiles, NliError> {
        let network_path = network_path(&config.model);
        let network = read(
            "network",
            &network_path,
            "set FAULTLINE_NLI_MODEL to an ONNX file, or to a folder with model.onnx or onnx/model.onnx",
        )?;
        let tokenizer_path = config.tokenizer.clone().unwrap_or_else(|| beside(&network_path, "tokenizer.json"));
        let remedy = "put tokenizer.json beside the network, or set FAULTLINE_NLI_TOKENIZER to its path";
        let tokenizer = read("tokenizer", &tokenizer_path, remedy)?;
        let config_path = beside(&network_path, "config.json");
        let beside = model_config(&config_path)?;
        let labels = match &config.labels {
            given if !given.is_empty() => labels(given, "FAULTLINE_NLI_LABELS")?,
            _ => labels(&beside.labels().unwrap_or_default(), &config_path.display().to_string())?,
        };
        let (name, max_tokens) = (name(&config.model), beside.max_position_embeddings);
        Ok(ModelFiles { name, network_path, network, tokenizer_path, tokenizer, labels, max_tokens })
    }

    /// Returns the name under which readings are recorded: the model's name, the first digits of the network's SHA-256,
    /// and of that of everything else that determines a reading, which includes `rules`.
    pub fn identity(&self, rules: &str) -> String {
        let setup = Sha256::new()
            .chain_update(&self.tokenizer)
            .chain_update(format!("{:?} {:?} {rules}", self.labels, self.max_tokens))
            .finalize();
        format!("{}@{}.{}", self.name, digits(&Sha256::digest(&self.network), 6), digits(&setup, 3))
    }
}

fn digits(hash: &[u8], bytes: usize) -> String {
    hash.iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
}

fn network_path(model: &Path) -> PathBuf {
    if !model.is_dir() {
        return model.to_owned();
    }
    let nested = model.join("onnx").join("model.onnx");
    if !model.join("model.onnx").exists() && nested.exists() { nested } else { model.join("model.onnx") }
}

/// Returns the path of a file in the network's folder, or in the folder above it if the network is in a folder `onnx`.
fn beside(network: &Path, file: &str) -> PathBuf {
    let folder = network.parent().unwrap_or(Path::new(""));
    let above = folder.parent().filter(|_| folder.ends_with("onnx")).map(|above| above.join(file));
    let near = folder.join(file);
    above.filter(|above| !near.exists() && above.exists()).unwrap_or(near)
}

fn name(model: &Path) -> String {
    let absolute = std::path::absolute(model).unwrap_or_else(|_| model.to_owned());
    let name = absolute.file_stem().filter(|_| !model.is_dir()).or(absolute.file_name());
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_fit = |letter: &char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let name: String = name.chars().filter(is_fit).take(MAX_NAME_CHARS).collect();
    if name.is_empty() { "model".to_owned() } else { name }
}

fn read(what: &'static str, path: &Path, remedy: &'static str) -> Result<Vec<u8>, NliError> {
    std::fs::read(path).map_err(|source| NliError::Unread { what, path: path.to_owned(), source, remedy })
}

fn model_config(path: &Path) -> Result<ModelConfig, NliError> {
    let unread = |source: io::Error| {
        let remedy = "fix the file, or remove it and set FAULTLINE_NLI_LABELS";
        NliError::Unread { what: "configuration", path: path.to_owned(), source, remedy }
    };
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unread(error.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ModelConfig::default()),
        Err(error) => Err(unread(error)),
    }
}

fn labels(labels: &[String], origin: &str) -> Result<LabelOrder, NliError> {
    let shown: Vec<String> = labels.iter().take(8).map(|label| label.chars().take(40).collect()).collect();
    let shown = if shown.is_empty() { "unknown".to_owned() } else { shown.join(", ") };
    let why = match labels {
        [] => Err("it has no complete id2label".to_owned()),
        labels => LabelOrder::of(labels),
    };
    why.map_err(|why| NliError::Labels { labels: shown, origin: origin.to_owned(), why })
}
