// Development server: `node serve.mjs PORT SERVICE_PORT PREACT_JS`.
//
// Serves `dist` with the policy of the service, Preact from a file, and hands everything else, WebSockets included, on
// to a running service. Run `node build.mjs --dev` after a change; there is no watcher.
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [port = "7800", service = "7777", preact = ""] = process.argv.slice(2);
const dist = join(dirname(fileURLToPath(import.meta.url)), "dist");
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const PAGES = /^\/(start|cruxes|projections|cost|personas(\/[^/]+)?|debates\/[^/]+)?$/;
const FILES = {
  ...Object.fromEntries(
    ["studio.js", "debate.js", "pages.js"].map((name) => [
      `/studio/${name}`,
      [() => join(dist, name), "text/javascript; charset=utf-8"],
    ]),
  ),
  "/studio/studio.css": [() => join(dist, "studio.css"), "text/css; charset=utf-8"],
  "/studio/preact.js": [() => preact, "text/javascript; charset=utf-8"],
};

const server = createServer((incoming, outgoing) => {
  const path = incoming.url.split("?")[0];
  const [file, type] =
    FILES[path] ??
    (PAGES.test(path) && incoming.method === "GET" ? [() => join(dist, "index.html"), "text/html; charset=utf-8"] : []);
  if (file) {
    try {
      const body = gzipSync(readFileSync(file()));
      outgoing.writeHead(200, {
        "content-type": type,
        "content-encoding": "gzip",
        "content-security-policy": POLICY,
        "cache-control": "no-cache",
      });
      outgoing.end(body);
    } catch (error) {
      outgoing.writeHead(404, { "content-type": "text/plain" });
      outgoing.end(String(error));
    }
    return;
  }
  const { headers } = incoming;
  const onward = request(
    {
      port: service,
      path: incoming.url,
      method: incoming.method,
      headers: {
        ...headers,
        host: `127.0.0.1:${service}`,
        ...(headers.origin && { origin: `http://127.0.0.1:${service}` }),
      },
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.on("error", () => outgoing.destroy());
  incoming.pipe(onward);
});
server.on("upgrade", (incoming, socket, head) => {
  const onward = connect(Number(service), "127.0.0.1", () => {
    const headers = { ...incoming.headers, host: `127.0.0.1:${service}`, origin: `http://127.0.0.1:${service}` };
    onward.write(
      `GET ${incoming.url} HTTP/1.1\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n`,
    );
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  onward.on("error", () => socket.destroy());
  socket.on("error", () => onward.destroy());
});
server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/`));
