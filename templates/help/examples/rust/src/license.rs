//! Licensing for a Rust application: activate, validate, and verify offline tokens and releases.
//! Copy this file; main.rs is only for trying it out.

use ring::{digest, signature};
use serde_json::Value;
use std::{fmt, fs::File, io, io::Read, path::Path, time::Duration};

/// Seconds by which clocks may differ.
const TOLERANCE: i64 = 300;
/// 400 days in seconds.
const LONGEST_DELEGATION: i64 = 34_560_000;

/// An error from the server, or the reason why it did not answer.
#[derive(Debug)]
pub enum CallError {
    /// `code` for the program, `message` for people.
    Refused { code: String, message: String, retry_after: Option<String> },
    Failed(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CallError::Refused { message, .. } => write!(out, "{message}"),
            CallError::Failed(reason) => write!(out, "{reason}"),
        }
    }
}

/// Calls the license API and returns its answer.
pub fn call(url: &str, api_key: &str, operation: &str, body: Value) -> Result<Value, CallError> {
    let answer = ureq::post(&format!("{url}/api/v1/license/{operation}"))
        .timeout(Duration::from_secs(10))
        .set("X-API-Key", api_key)
        .send_json(body);
    match answer {
        Ok(answer) => answer.into_json().map_err(|e| CallError::Failed(e.to_string())),
        Err(ureq::Error::Status(status, answer)) => Err(refusal(status, answer)),
        Err(failed) => Err(CallError::Failed(failed.to_string())),
    }
}

fn refusal(status: u16, answer: ureq::Response) -> CallError {
    let retry_after = answer.header("Retry-After").map(str::to_string);
    let body: Value = answer.into_json().unwrap_or(Value::Null);
    match (body["error"]["code"].as_str(), body["error"]["message"].as_str()) {
        (Some(code), Some(message)) => {
            CallError::Refused { code: code.into(), message: message.into(), retry_after }
        }
        // A proxy answered, not the license server.
        _ => CallError::Failed(format!("unexpected answer with status {status}")),
    }
}

/// Base64 of either alphabet, with or without padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, bytes).as_ref().to_vec()
}

fn key_id(key: &[u8]) -> String {
    hex(&sha256(key))[..16].to_string()
}

fn is_signed(key: &[u8], message: &[u8], sig: &[u8]) -> bool {
    signature::UnparsedPublicKey::new(&signature::ED25519, key).verify(message, sig).is_ok()
}

/// The 32 bytes of a root key: `appctl keys export KEYID --public --format base64` prints it.
pub fn root_key(text: &str) -> Option<Vec<u8>> {
    let key = decode(text.trim())?;
    key.len().checked_sub(32).map(|start| key[start..].to_vec())
}

fn find<'a>(roots: &'a [Vec<u8>], id: &str) -> Option<&'a Vec<u8>> {
    roots.iter().find(|root| key_id(root) == id)
}

/// The machine that a token is checked for. `now` and `last_seen` are Unix seconds; `last_seen` is the latest time
/// ever seen on this machine, which you store.
pub struct Machine<'a> {
    pub roots: &'a [Vec<u8>],
    pub product: &'a str,
    pub id: &'a str,
    pub version: &'a str,
    pub now: i64,
    pub last_seen: i64,
}

/// Verifies an offline token. The license may be used for VALID and GRACE; the claims contain its features.
pub fn verify_token(token: &str, machine: &Machine) -> (&'static str, Value) {
    judge_token(token, machine).unwrap_or(("MALFORMED", Value::Null))
}

fn judge_token(token: &str, m: &Machine) -> Option<(&'static str, Value)> {
    let text: String = token.split_whitespace().collect();
    let parts: Vec<&str> = text.strip_prefix("license/")?.split('.').collect();
    let [payload, sig, delegated, root_sig] = parts[..] else { return None };
    let claims: Value = serde_json::from_slice(&decode(payload)?).ok()?;
    let granted: Value = serde_json::from_slice(&decode(delegated)?).ok()?;
    let (sig, root_sig) = (decode(sig)?, decode(root_sig)?);
    let online = decode(granted["pub"].as_str()?)?;
    let (from, until) = (granted["nbf"].as_i64()?, granted["exp"].as_i64()?);
    let (iat, nbf, exp) = (claims["iat"].as_i64()?, claims["nbf"].as_i64()?, claims["exp"].as_i64()?);
    if claims["v"] != 1 {
        return None;
    }
    let root_signed = find(m.roots, granted["root"].as_str()?)
        .map_or(false, |root| is_signed(root, format!("delegation/{delegated}").as_bytes(), &root_sig));
    let trusted = root_signed
        && granted["v"] == 1
        && granted["prd"] == m.product
        && granted["use"].as_array()?.iter().any(|one| one == "license")
        && until - from <= LONGEST_DELEGATION
        && (from - TOLERANCE..until).contains(&m.now)
        && granted["kid"] == key_id(&online).as_str();
    if !trusted {
        return Some(("DELEGATION_INVALID", Value::Null));
    }
    let genuine = is_signed(&online, format!("license/{payload}").as_bytes(), &sig);
    if !genuine || claims["kid"] != granted["kid"] || claims["prd"] != m.product {
        return Some(("SIGNATURE_INVALID", Value::Null));
    }
    if decode(claims["mid"].as_str()?)? != sha256(m.id.as_bytes()) {
        return Some(("WRONG_MACHINE", Value::Null));
    }
    let runs = claims["st"] == "ACTIVE" && claims["vu"].as_i64().map_or(true, |end| m.now < end);
    let grace = claims["graceUntil"].as_i64().map_or(false, |end| m.now < end);
    let code = if m.now < iat.max(m.last_seen) - TOLERANCE {
        "CLOCK_ROLLED_BACK"
    } else if !(nbf..exp).contains(&m.now) {
        "TOKEN_EXPIRED"
    } else if !runs && !grace {
        "EXPIRED"
    } else if !version_allowed(claims["mxv"].as_str(), m.version) {
        "VERSION_NOT_ALLOWED"
    } else if runs {
        "VALID"
    } else {
        "GRACE"
    };
    Some((code, claims))
}

/// `2` allows all of 2.x and everything before.
fn version_allowed(max_version: Option<&str>, version: &str) -> bool {
    let Some(limit) = max_version else { return true };
    let numbers = |text: &str| -> Vec<u64> {
        let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let rest = text[start..].split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or("");
        rest.split('.').map_while(|part| part.parse().ok()).take(3).collect()
    };
    let (mut installed, limit) = (numbers(version), numbers(limit));
    if installed.is_empty() {
        return false;
    }
    installed.resize(3, 0);
    installed[..limit.len()] <= limit[..]
}

/// The answer of updates/check about a release, or a FILE.sig.json, whose statement's signature is called
/// `statementSignature`.
///
/// Verifies a downloaded bundle: install it only for VALID. `last_sequence` is the highest sequence that was ever
/// installed from this channel, which you store.
pub fn verify_release(
    path: &Path,
    signed: &Value,
    roots: &[Vec<u8>],
    product: &str,
    now: i64,
    last_sequence: i64,
) -> io::Result<(&'static str, Value)> {
    let mut bundle = File::open(path)?;
    let (mut hash, mut size, mut block) = (digest::Context::new(&digest::SHA256), 0, vec![0; 1 << 20]);
    loop {
        let read = bundle.read(&mut block)?;
        if read == 0 {
            break;
        }
        hash.update(&block[..read]);
        size += read as i64;
    }
    let found = hash.finish();
    let judged = judge_release(found.as_ref(), size, signed, roots, product, now, last_sequence);
    Ok(judged.unwrap_or(("STATEMENT_INVALID", Value::Null)))
}

fn judge_release(
    found: &[u8],
    size: i64,
    signed: &Value,
    roots: &[Vec<u8>],
    product: &str,
    now: i64,
    last_sequence: i64,
) -> Option<(&'static str, Value)> {
    if signed["sha256"].as_str()?.to_lowercase() != hex(found) {
        return Some(("HASH_MISMATCH", Value::Null));
    }
    let sig = decode(signed["signature"].as_str()?).unwrap_or_default();
    if !roots.iter().any(|root| is_signed(root, found, &sig)) {
        return Some(("BAD_SIGNATURE", Value::Null));
    }
    let text = signed["statement"].as_str()?;
    let sig = signed["statement_signature"].as_str().or(signed["statementSignature"].as_str())?;
    let statement: Value = serde_json::from_slice(&decode(text.strip_prefix("release/")?)?).ok()?;
    let root = find(roots, statement["kid"].as_str()?)?;
    let expires = unix_of(statement["expiresAt"].as_str()?)?;
    if !is_signed(root, text.as_bytes(), &decode(sig)?) || statement["v"] != 1 || statement["product"] != product {
        return None;
    }
    let code = if statement["sha256"] != hex(found).as_str() || statement["size"] != size {
        "STATEMENT_MISMATCH"
    } else if statement["sequence"].as_i64()? < last_sequence {
        "ROLLBACK"
    } else if now >= expires {
        "STATEMENT_EXPIRED"
    } else {
        "VALID"
    };
    Some((code, statement))
}

/// Unix seconds of a time such as 2027-11-28T09:30:00.000Z.
fn unix_of(time: &str) -> Option<i64> {
    let part = |from: usize, to: usize| time.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    // Years begin in March here, so that the day that leap years add is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468;
    Some(days * 86_400 + part(11, 13)? * 3600 + part(14, 16)? * 60 + part(17, 19)?)
}
