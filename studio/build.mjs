// Builds `dist`: index.html, studio.js, debate.js, sections.js, pages.js, studio.css, SOURCES and FILES. Run with `node build.mjs`; `--dev` adds a source map.
//
// `dist` contains what our own sources compile to and nothing else. Preact stays external: every import of it becomes an
// import of `./preact.js`, which the service serves from a pinned package. Only names in PREACT_EXPORTS exist there.
//
// studio.js is what every view needs, and the list. The other scripts are fetched when they are shown first, sections.js
// beside the data of a debate; what they share they import from studio.js. A module is in one file only.
//
// FILES lists the files to serve, one per line, except index.html, which is the page itself.
//
// SOURCES is the SHA-256, in lower-case hexadecimal and with a line feed, of the following bytes, so that a test without
// node can tell whether `dist` is current. Take the paths of all files under `src`, and `package.json`,
// `package-lock.json`, `tsconfig.json` and `build.mjs`, relative to this folder, with `/` as separator; sort them by
// their UTF-8 bytes; for each file append: the path, a NUL byte, the length of the file in bytes as a decimal number, a
// NUL byte, the bytes of the file.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
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
    it.onLoad({ filter: /src.*\.tsx?$/, namespace: "file" }, ({ path }) => ({
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
const paths = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath ?? entry.path, entry.name)
      .slice(here.length + 1)
      .replaceAll("\\", "/"),
  );
const hash = createHash("sha256");
for (const path of [...paths, "package.json", "package-lock.json", "tsconfig.json", "build.mjs"].sort((a, b) =>
  Buffer.compare(Buffer.from(a), Buffer.from(b)),
)) {
  const bytes = readFileSync(join(here, path));
  hash.update(`${path}\0${bytes.length}\0`).update(bytes);
}
const sources = hash.digest("hex");

const options = {
  absWorkingDir: here,
  bundle: true,
  write: false,
  metafile: true,
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
  define: { BUILD: JSON.stringify(sources.slice(0, 16)) },
  logLevel: "warning",
};
// Modules that other files import from studio.js: everything below the pages that studio.js contains.
const MAIN = "src/pages/main.tsx";
const PARTS = { "part-debate": "debate.js", "part-sections": "sections.js", "part-pages": "pages.js" };
// Modules of pages that several parts need.
const SHARED = ["links.tsx", "refs.tsx", "state.ts", "view.ts"].map((name) => `src/pages/debate/${name}`);
const isModule = (path) =>
  SHARED.includes(path) || (/^src\/(wire|model|parts)\/.*\.tsx?$/.test(path) && path !== "src/model/jsx.ts");
const parts = {
  name: "parts",
  setup: (it) =>
    it.onResolve({ filter: /\/part-\w+$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./${PARTS[path.split("/").at(-1)]}`, external: true } : undefined,
    ),
};
const inStudio = Object.keys(
  (await build({ ...options, entryPoints: [MAIN, ...SHARED], plugins: [preact, documents, parts] })).metafile.inputs,
).filter(isModule);
// What each of them exports. In studio.js the names are unique, because they begin with the path.
const modules = await build({ ...options, entryPoints: inStudio, plugins: [preact, documents, parts] });
const exportsOf = new Map(
  Object.values(modules.metafile.outputs).map(({ entryPoint, exports }) => [
    entryPoint,
    exports.map((name) => [name, `${entryPoint.replace(/^src\/|\.tsx?$/g, "").replaceAll(/\W/g, "_")}_${name}`]),
  ]),
);
const reexport = (names, from) => `export { ${names.map(([a, b]) => `${a} as ${b}`).join(", ")} } from "${from}";`;
const studio = await build({
  ...options,
  stdin: {
    contents: [`import "./${MAIN}";`, ...inStudio.map((path) => reexport(exportsOf.get(path), `./${path}`))].join("\n"),
    resolveDir: here,
    sourcefile: "studio.ts",
  },
  plugins: [preact, documents, parts],
});
const shared = {
  name: "shared",
  setup(it) {
    it.onResolve({ filter: /^\./ }, ({ path, resolveDir, namespace }) => {
      if (namespace === "shared") return { path, external: true };
      const base = relative(here, join(resolveDir, path)).replaceAll("\\", "/");
      const known = [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((it) => exportsOf.has(it));
      return known && { path: known, namespace: "shared", sideEffects: false };
    });
    it.onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({
      contents: reexport(
        exportsOf.get(path).map(([name, unique]) => [unique, name]),
        "./studio.js",
      ),
    }));
  },
};
const rest = await build({
  ...options,
  entryPoints: Object.fromEntries(
    Object.entries(PARTS).map(([part, file]) => [file.replace(".js", ""), `src/pages/${part}.ts`]),
  ),
  plugins: [preact, documents, parts, shared],
});
const styles = await build({ ...options, inject: [], entryPoints: { studio: "src/pages/studio.css" } });

// Rules whose declarations are in the same order pack better: this order packs best. Declarations of one family, such as
// `border` and `border-color`, override one another and stay in the order in which they were written.
const ORDER = (
  "max-height grid-template-columns right position align-self flex inset left justify-self justify-content top bottom " +
  "flex-basis box-shadow align-items display flex-direction flex-wrap gap grid-column min-width max-width width " +
  "font-weight height overflow text-align line-height margin text-decoration cursor background border border-radius " +
  "white-space padding font color font-size"
).split(" ");
const familyOf = (name) =>
  name.startsWith("--")
    ? "--"
    : name
        .replace(/^-webkit-/, "")
        .replace(/^(left|top|right|bottom)$/, "inset")
        .replace("line-height", "font")
        .split("-")[0];
const rank = (name) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
const isBefore = ([a], [b]) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1);
function inOrder(css) {
  if (css.match(/"[^"]*"|\([^()]*\)/g)?.some((it) => /[;{}]/.test(it)))
    throw new Error("a value of the style sheet contains a semicolon or a brace");
  return css.replace(/\{([^{}]*)\}/g, (_, body) => {
    const families = new Map();
    for (const text of body.split(";")) {
      const name = text.split(":")[0];
      families.set(familyOf(name), [...(families.get(familyOf(name)) ?? []), { name, text }]);
    }
    const ordered = [];
    for (let left = [...families.values()]; left.length; left = left.filter((it) => it.length))
      ordered.push(left.sort(isBefore)[0].shift().text);
    return `{${ordered.join(";")}}`;
  });
}

const files = new Map();
for (const { path, contents } of [...studio.outputFiles, ...rest.outputFiles, ...styles.outputFiles])
  files.set(path.split("/").at(-1).replace("stdin", "studio"), contents);
if (!dev) files.set("studio.css", Buffer.from(inOrder(Buffer.from(files.get("studio.css")).toString("utf8"))));
const served = [...files.keys()].sort();
files.set("index.html", readFileSync(join(here, "src/pages/index.html")));
files.set("FILES", Buffer.from(served.join("\n") + "\n"));
files.set("SOURCES", Buffer.from(sources + "\n"));

// Names that a file imports from a file must exist there, and no module with state may be there twice.
const outputs = { ...studio.metafile.outputs, ...rest.metafile.outputs };
const exported = {
  "./preact.js": PREACT_EXPORTS,
  "./studio.js": new Set([...exportsOf.values()].flat().map(([, unique]) => unique)),
};
for (const name of ["studio.js", ...Object.values(PARTS)])
  for (const [, names, from] of Buffer.from(files.get(name))
    .toString("utf8")
    .matchAll(/import\s*\{([^}]*)\}\s*from\s*"(\.\/[\w.]+)"/g))
    for (const it of names.split(",").map((part) => part.trim().split(/\s+as\s+/)[0]))
      if (it && !exported[from]?.has(it)) throw new Error(`${name}: "${it}" is not exported by ${from}`);
const seen = new Map();
for (const [output, { inputs }] of Object.entries(outputs))
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    if (!bytesInOutput || path === "src/model/jsx.ts" || !path.startsWith("src/")) continue;
    if (seen.has(path)) throw new Error(`${path} is in ${seen.get(path)} and ${output}: import it in studio.js too`);
    seen.set(path, output);
  }

mkdirSync(dist, { recursive: true });
for (const [name, bytes] of files) {
  writeFileSync(join(dist, name), bytes);
  console.log(name.padEnd(12), String(bytes.length).padStart(7), "gz", gzipSync(bytes, { level: 9 }).length);
}
