// Generates src/generated.ts: the types of the schema and of each operation in src/operations.graphql.
import { readFileSync, writeFileSync } from "node:fs";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import * as documents from "@graphql-codegen/typed-document-node";
import { parse } from "graphql";

const read = (path) => parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const config = {
  documentMode: "string",
  enumsAsTypes: true,
  onlyOperationTypes: true,
  scalars: { DateTime: "string", ID: "string", JSON: "unknown", Long: "number", Seed: { input: "string | number", output: "string" } },
  useTypeImports: true,
};
const text = await codegen({
  filename: "generated.ts",
  schema: read("../../schema.graphql"),
  documents: [{ location: "operations.graphql", document: read("src/operations.graphql") }],
  config,
  plugins: [{ typescript: {} }, { operations: {} }, { documents: {} }],
  pluginMap: { typescript, operations, documents },
});
writeFileSync(new URL("src/generated.ts", import.meta.url), text);
