// Makes graphiql.js.gz, graphiql.css.gz and licences.txt.gz from npm packages. How to run it: README.md.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const ENTRY = `
export { createElement } from "react";
export { createRoot } from "react-dom/client";
export { GraphiQL } from "graphiql";
export { createGraphiQLFetcher } from "@graphiql/toolkit";
export { createClient } from "graphql-ws";
`;

/** For packages that name their licence and bring no text of it: all are under this one. */
const MIT = (holder) => `Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
const HOLDERS = {
  "@graphiql/plugin-doc-explorer": "GraphQL Contributors",
  "@graphiql/plugin-history": "GraphQL Contributors",
  "react-compiler-runtime": "Meta Platforms, Inc. and affiliates",
  "react-remove-scroll-bar": "Anton Korzunov",
  "toggle-selection": "sudodoki",
};

/** GraphiQL's style sheet has its fonts in it, 360 kB of them: the machine's own will do. */
const withoutFonts = {
  name: "without-fonts",
  setup: (it) =>
    it.onLoad({ filter: /\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/@font-face\s*\{[^}]*\}/g, ""),
      loader: "css",
    })),
};

const common = { bundle: true, minify: true, write: false, target: "es2020", legalComments: "none" };
const js = await build({
  ...common,
  stdin: { contents: ENTRY, resolveDir: process.cwd() },
  format: "iife",
  globalName: "Vendored",
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
});
const css = await build({ ...common, entryPoints: ["node_modules/graphiql/dist/style.css"], plugins: [withoutFonts] });

const folder = (path) => path.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
const inputs = Object.values(js.metafile.outputs).flatMap((it) => Object.entries(it.inputs));
const used = inputs.filter(([, it]) => it.bytesInOutput > 0).map(([path]) => folder(path));
const licences = [...new Set(used)].filter(Boolean).sort().map((it) => {
  const { name, version, license } = JSON.parse(readFileSync(`${it}/package.json`, "utf8"));
  const files = readdirSync(it).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(`${it}/${file}`, "utf8").trim());
  if (texts.length === 0 && (license !== "MIT" || !HOLDERS[name])) throw new Error(`no licence text for ${name}`);
  return `${name} ${version}\nLicence: ${license}\n\n${texts.join("\n\n") || MIT(HOLDERS[name])}\n`;
});

const save = (name, text) => {
  const body = gzipSync(text, { level: 9 });
  writeFileSync(name, body);
  console.log(name, body.length);
};
save("graphiql.js.gz", js.outputFiles[0].contents);
save("graphiql.css.gz", css.outputFiles[0].contents);
save("licences.txt.gz", licences.join(`\n${"-".repeat(80)}\n\n`));
