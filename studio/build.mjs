// Builds `dist`: index.html, studio.js, studio.css and SOURCES. Run with `node build.mjs`; `--dev` adds a source map.
//
// `dist` contains what our own sources compile to and nothing else. Preact stays external: every import of it becomes an
// import of `./preact.js`, which the service serves from a pinned package. Only names in PREACT_EXPORTS exist there.
//
// SOURCES is the SHA-256, in lower-case hexadecimal and with a line feed, of the following bytes, so that a test without
// node can tell whether `dist` is current. Take the paths of all files under `src`, and `package.json`,
// `package-lock.json`, `tsconfig.json` and `build.mjs`, relative to this folder, with `/` as separator; sort them by
// their UTF-8 bytes; for each file append: the path, a NUL byte, the length of the file in bytes as a decimal number, a
// NUL byte, the bytes of the file.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const dev = process.argv.includes("--dev");
const PREACT_EXPORTS = new Set(
  (
    "Component createContext h html render useCallback useContext useDebugValue useEffect useErrorBoundary " +
    "useImperativeHandle useLayoutEffect useMemo useReducer useRef useState"
  ).split(" "),
);

const preact = {
  name: "preact",
  setup: (it) => it.onResolve({ filter: /^preact(\/hooks)?$/ }, () => ({ path: "./preact.js", external: true })),
};
// Line breaks and indentation of GraphQL documents are for people. No document contains a block string.
const documents = {
  name: "documents",
  setup: (it) =>
    it.onLoad({ filter: /src.*\.tsx?$/ }, ({ path }) => ({
      loader: path.endsWith("x") ? "tsx" : "ts",
      contents: readFileSync(path, "utf8").replace(
        /(\/\* GraphQL \*\/)\s*`([^`]*)`/g,
        (_, mark, text) =>
          `${mark} \`${text
            .replace(/\s+/g, " ")
            .replace(/ ?([{}():,!]) ?/g, "$1")
            .trim()}\``,
      ),
    })),
};
const result = await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/pages/main.tsx", "studio-css": "src/pages/studio.css" },
  bundle: true,
  write: false,
  outdir: "dist",
  minify: !dev,
  sourcemap: dev ? "inline" : false,
  format: "esm",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  charset: "utf8",
  legalComments: "none",
  // Classic JSX: the package that provides Preact has no `jsx-runtime`.
  tsconfigRaw: {
    compilerOptions: {
      target: "es2022",
      jsx: "react",
      jsxFactory: "h",
      jsxFragmentFactory: "Fragment",
      useDefineForClassFields: true,
      verbatimModuleSyntax: true,
    },
  },
  inject: ["src/model/jsx.ts"],
  plugins: [preact, documents],
  logLevel: "warning",
});

mkdirSync(dist, { recursive: true });
const files = new Map(
  result.outputFiles.map((file) => [
    file.path.endsWith(".css") ? "studio.css" : file.path.split("/").at(-1),
    file.contents,
  ]),
);
files.delete("studio-css.js");
files.set("index.html", readFileSync(join(here, "src/pages/index.html")));

const script = Buffer.from(files.get("studio.js")).toString("utf8");
for (const [, names] of script.matchAll(/import\s*\{([^}]*)\}\s*from\s*"\.\/preact\.js"/g))
  for (const name of names.split(",").map((part) => part.trim().split(/\s+as\s+/)[0]))
    if (!PREACT_EXPORTS.has(name)) throw new Error(`"${name}" is not exported by preact.js`);

const sources = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath ?? entry.path, entry.name)
      .slice(here.length + 1)
      .replaceAll("\\", "/"),
  );
const hash = createHash("sha256");
for (const path of [...sources, "package.json", "package-lock.json", "tsconfig.json", "build.mjs"].sort((a, b) =>
  Buffer.compare(Buffer.from(a), Buffer.from(b)),
)) {
  const bytes = readFileSync(join(here, path));
  hash.update(`${path}\0${bytes.length}\0`).update(bytes);
}
files.set("SOURCES", Buffer.from(hash.digest("hex") + "\n"));

for (const [name, bytes] of files) {
  writeFileSync(join(dist, name), bytes);
  console.log(name.padEnd(12), String(bytes.length).padStart(7), "gz", gzipSync(bytes, { level: 9 }).length);
}
