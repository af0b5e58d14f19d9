//! Chromium, driven over the `DevTools` protocol as a reader of the studio uses it.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::studio::browser_process::devtools_address;
use crate::support::client::Client;
use crate::support::waiting::with_timeout;

/// Codes by which the browser itself knows keys, for example the one that closes a dialog.
const KEY_CODES: [(&str, u32); 7] =
    [("Tab", 9), ("Escape", 27), ("End", 35), ("Home", 36), ("ArrowLeft", 37), ("ArrowRight", 39), ("ArrowDown", 40)];
/// Time between two looks at the page.
const PAUSE: Duration = Duration::from_millis(25);
/// Time after which something that a test waits for will not happen any more.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tab of the browser that shows pages of one service, or several of them.
pub struct Tab {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Session of the tab that commands go to.
    session: String,
    /// Sessions of all tabs, in the order in which they were opened.
    sessions: Vec<String>,
    /// Id of the browser context: the cookies and storage that these tabs share with no others.
    context: String,
    sent: u64,
    origin: String,
    /// Reports of the browser that nobody caused on purpose.
    faults: Vec<String>,
}

impl Tab {
    /// Opens a tab, with cookies and storage of its own. Returns `None`, and says so, where no browser is installed.
    pub async fn open(client: &Client) -> Option<Tab> {
        let address = devtools_address()?;
        let (socket, _) = with_timeout("connect", connect_async(address)).await.expect("the browser listens");
        let origin = client.url("");
        let (session, sessions, context, faults) = (String::new(), Vec::new(), String::new(), Vec::new());
        let mut tab = Tab { socket, session, sessions, context, sent: 0, origin, faults };
        // It ends with the connection, also of a test that panics.
        let context = tab.send("Target.createBrowserContext", json!({ "disposeOnDetach": true })).await;
        context["browserContextId"].as_str().expect("a context").clone_into(&mut tab.context);
        tab.attach().await;
        // Several tests have the keyboard at once.
        tab.send("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })).await;
        Some(tab)
    }

    /// Opens an empty tab, to which commands go from now on.
    async fn attach(&mut self) {
        self.session.clear();
        let empty = json!({ "url": "about:blank", "browserContextId": self.context });
        let target = self.send("Target.createTarget", empty).await;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.send("Target.attachToTarget", attach).await;
        attached["sessionId"].as_str().expect("a session").clone_into(&mut self.session);
        self.sessions.push(self.session.clone());
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            self.send(domain, json!({})).await;
        }
        self.resize(1440, 900).await;
    }

    /// Opens one more tab of the same browser, which shows the page at a path. Commands go to it from now on.
    pub async fn open_another(&mut self, path: &str) {
        self.attach().await;
        self.go(path).await;
    }

    /// Brings a tab to the front, numbered from 0 in the order of opening. Commands go to it from now on.
    pub async fn show_tab(&mut self, number: usize) {
        self.sessions[number].clone_into(&mut self.session);
        self.send("Page.bringToFront", json!({})).await;
    }

    /// Sends a command and returns its result.
    pub async fn send(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).await.expect("sent");
        loop {
            let received =
                with_timeout(method, self.socket.next()).await.expect("the browser runs").expect("a message");
            let Message::Text(text) = received else { continue };
            let mut message: Value = serde_json::from_str(&text).expect("JSON");
            if message["id"] == json!(self.sent) {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].take();
            }
            self.note(&message);
        }
    }

    /// Notes an exception of the page, what its policy refused, and a request to another server.
    fn note(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.faults.push(parameters["exceptionDetails"].to_string()),
            "Log.entryAdded" if ["error", "warning"].iter().any(|level| parameters["entry"]["level"] == *level) => {
                self.faults.push(parameters["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                let is_own = url.starts_with(&self.origin) || url.starts_with("data:") || url.starts_with("about:");
                if !is_own {
                    self.faults.push(format!("another server was asked: {url}"));
                }
            }
            _ => {}
        }
    }

    /// Evaluates an expression in the page and returns its value, or what it threw.
    pub async fn try_eval(&mut self, script: &str) -> Result<Value, String> {
        let asked = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.send("Runtime.evaluate", asked).await;
        match &answer["exceptionDetails"] {
            Value::Null => Ok(answer["result"]["value"].take()),
            thrown => Err(thrown.to_string()),
        }
    }

    /// Evaluates an expression in the page; panics if it throws.
    pub async fn eval(&mut self, script: &str) -> Value {
        self.try_eval(script).await.unwrap_or_else(|thrown| panic!("{script}: {thrown}"))
    }

    /// Waits until an expression is neither false nor empty, and returns its value.
    pub async fn wait(&mut self, script: &str) -> Value {
        let began = tokio::time::Instant::now();
        loop {
            let found = self.try_eval(script).await;
            let is_there = |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && *value != json!("");
            if let Ok(value) = &found
                && is_there(value)
            {
                return value.clone();
            }
            if began.elapsed() > PATIENCE {
                let shown = self.eval("document.body.innerText").await;
                panic!("never: {script}: {found:?}, faults {:?}, on the page:\n{shown:#}", self.faults);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Shows the page at a path, and waits until its scripts run.
    pub async fn go(&mut self, path: &str) {
        let url = format!("{}{path}", self.origin);
        self.eval("window.isOld = true").await;
        self.send("Page.navigate", json!({ "url": url })).await;
        self.wait("!window.isOld && document.readyState === 'complete' && !!document.querySelector('main')").await;
    }

    /// Sets the size of the window.
    pub async fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.send("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Sets `light` or `dark`.
    pub async fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.send("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Presses and releases a key, such as `ArrowLeft`.
    pub async fn press(&mut self, key: &str) {
        let code = KEY_CODES.iter().find(|(name, _)| *name == key).map_or(0, |(_, code)| *code);
        for kind in ["keyDown", "keyUp"] {
            self.send(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code }),
            )
            .await;
        }
    }

    /// Waits for an element that is shown, and clicks it. With a text, the first element that begins with it.
    pub async fn click(&mut self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        let find = format!(
            "[...document.querySelectorAll({selector})].find(it => it.checkVisibility() && !it.disabled && it.textContent.trim().startsWith({text}))"
        );
        self.wait(&format!("(it => it && (it.click(), true))({find})")).await;
    }

    /// Enters a value into a field, as typing does, or chooses it as soon as it is among the choices.
    pub async fn fill(&mut self, selector: &str, value: &str) {
        let (selector, value) = (json!(selector), json!(value));
        self.wait(&format!(
            "(it => {{ if (!it || it.options && ![...it.options].some(one => one.value === {value})) return false; \
             it.focus(); \
             Object.getOwnPropertyDescriptor(Object.getPrototypeOf(it), 'value').set.call(it, {value}); \
             it.dispatchEvent(new Event('input', {{ bubbles: true }})); \
             it.dispatchEvent(new Event('change', {{ bubbles: true }})); return true; }})(document.querySelector({selector}))"
        ))
        .await;
    }

    /// Waits for an element and returns its text.
    pub async fn text(&mut self, selector: &str) -> String {
        let text = self.wait(&format!("document.querySelector({})?.textContent.trim()", json!(selector))).await;
        text.as_str().expect("a text").to_owned()
    }

    /// Returns the texts of all elements, in order.
    pub async fn texts(&mut self, selector: &str) -> Vec<String> {
        let texts = format!("[...document.querySelectorAll({})].map(it => it.textContent.trim())", json!(selector));
        serde_json::from_value(self.eval(&texts).await).expect("texts")
    }

    /// Waits until the page shows a text.
    pub async fn wait_for_text(&mut self, text: &str) {
        self.wait(&format!("document.body.innerText.includes({})", json!(text))).await;
    }

    /// Forgets what the browser reported, where a test caused it.
    pub async fn forget_faults(&mut self) {
        self.eval("0").await;
        self.faults.clear();
    }

    /// Closes the tabs; panics if the browser reported anything.
    pub async fn close(mut self) {
        self.eval("0").await;
        self.session.clear();
        let context = json!({ "browserContextId": self.context });
        self.send("Target.disposeBrowserContext", context).await;
        assert_eq!(self.faults, [""; 0]);
    }
}
