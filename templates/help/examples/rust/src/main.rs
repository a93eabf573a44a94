mod license;

use license::{call, root_key, verify_release, verify_token, CallError, Machine};
use serde_json::{json, Value};
use std::{env, error::Error, fs, path::Path, process, time::SystemTime};

const USAGE: &str = "usage: license activate | validate | token | verify-token FILE | verify-release BUNDLE
Settings: LICENSE_URL, LICENSE_API_KEY, LICENSE_PRODUCT, LICENSE_KEY, LICENSE_MACHINE, LICENSE_VERSION,
LICENSE_ROOT_KEY, and LICENSE_NOW (Unix seconds) to try another time.";

fn main() {
    match run() {
        Ok(code) => {
            println!("{code}");
            let good = ["ACTIVATED", "VALID", "GRACE"].contains(&code.as_str()) || code.starts_with("license/");
            process::exit(if good { 0 } else { 1 });
        }
        Err(failed) => {
            eprintln!("{failed}");
            process::exit(1);
        }
    }
}

fn setting(name: &str) -> String {
    env::var(format!("LICENSE_{name}")).unwrap_or_default()
}

/// The code to print, or the token.
fn run() -> Result<String, Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let command = args.first().map_or("", String::as_str);
    let file = args.get(1).map_or("", String::as_str);
    let now = match setting("NOW").parse() {
        Ok(now) => now,
        Err(_) => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs() as i64,
    };
    let (product, id, version) = (setting("PRODUCT"), setting("MACHINE"), setting("VERSION"));
    let roots: Vec<Vec<u8>> = root_key(&setting("ROOT_KEY")).into_iter().collect();
    let ask = |operation: &str| {
        let body = json!({ "licenseKey": setting("KEY"), "machineId": id, "appVersion": version });
        call(&setting("URL"), &setting("API_KEY"), operation, body)
    };
    let text = |answer: Result<Value, CallError>, field: &str| match answer {
        Ok(answer) => Ok(answer[field].as_str().unwrap_or("ACTIVATED").to_string()),
        Err(CallError::Refused { code, .. }) => Ok(code),
        Err(failed) => Err(failed.to_string()),
    };
    match command {
        "activate" => Ok(text(ask("activate"), "none")?),
        "validate" => Ok(text(ask("validate"), "code")?),
        "token" => Ok(text(ask("offline-token"), "token")?),
        "verify-token" => {
            let machine = Machine { roots: &roots, product: &product, id: &id, version: &version, now, last_seen: 0 };
            Ok(verify_token(&fs::read_to_string(file)?, &machine).0.to_string())
        }
        "verify-release" => {
            let signed = serde_json::from_str(&fs::read_to_string(format!("{file}.sig.json"))?)?;
            Ok(verify_release(Path::new(file), &signed, &roots, &product, now, 0)?.0.to_string())
        }
        _ => {
            eprintln!("{USAGE}");
            process::exit(2);
        }
    }
}
