/** State of the form: what is entered, what of it is wrong, and what is sent. */
import type { StartDebateInput } from "../../wire/operations";
import type { Engine, Option } from "./start-documents";

/** Everything entered, as text. An empty text stands for the default. */
export interface Draft {
  topic: string;
  engine: string;
  personas: readonly string[];
  provider: string;
  seed: string;
  options: Readonly<Record<string, string>>;
  limits: Readonly<Record<string, string>>;
  models: Readonly<Record<string, string>>;
}

export const LIMITS: readonly { name: string; label: string; hint: string; step?: string }[] = [
  { name: "turns", label: "Turns", hint: "taken by participants" },
  { name: "calls", label: "Requests", hint: "to the provider" },
  { name: "tokens", label: "Tokens", hint: "read and written" },
  { name: "cost", label: "Cost in US dollars", hint: "as the provider charges", step: "any" },
  { name: "seconds", label: "Seconds", hint: "of running, without pauses" },
  { name: "attempts", label: "Attempts", hint: "at one task before it is given up" },
];

/** What is wrong, by field: `topic`, `personas`, `option.rounds`, `limit.turns`, …; `form` is about the whole. */
export type Errors = Record<string, string>;

const MAX_TOPIC_BYTES = 2_000;

/** Reads a draft from an address, so that links can open the form filled in. */
export function draftFrom(query: URLSearchParams): Draft {
  const group = (prefix: string) =>
    Object.fromEntries(
      [...query]
        .filter(([name, value]) => name.startsWith(prefix) && value)
        .map(([name, value]) => [name.slice(prefix.length), value]),
    );
  return {
    topic: query.get("topic") ?? "",
    engine: query.get("engine") ?? "graph",
    personas: [...new Set(query.get("personas")?.split(",").filter(Boolean) ?? [])],
    provider: query.get("provider") ?? "",
    seed: query.get("seed") ?? "",
    options: group("option."),
    limits: group("limit."),
    models: group("model."),
  };
}

/** The query of an address that opens the form with this draft. */
export function queryOf(draft: Draft): string {
  const query = new URLSearchParams();
  const set = (name: string, value: string) => value && query.set(name, value);
  set("topic", draft.topic);
  set("engine", draft.engine === "graph" ? "" : draft.engine);
  set("personas", draft.personas.join(","));
  set("provider", draft.provider);
  set("seed", draft.seed);
  for (const [prefix, group] of [
    ["option.", draft.options],
    ["limit.", draft.limits],
    ["model.", draft.models],
  ] as const)
    for (const [name, value] of Object.entries(group)) set(prefix + name, value);
  return query.toString();
}

/** Checks what can be checked here, so that mistakes show before anything is sent. The service checks everything. */
export function check(draft: Draft, engine: Engine | undefined, options: readonly Option[]): Errors {
  const errors: Errors = {};
  if (!draft.topic.trim()) errors.topic = "Enter a topic.";
  const bytes = new TextEncoder().encode(draft.topic.trim()).length;
  if (bytes > MAX_TOPIC_BYTES) errors.topic = `The topic has ${bytes} bytes; at most ${MAX_TOPIC_BYTES} are allowed.`;
  if (engine) {
    const n = draft.personas.length;
    const { minParticipants: min, maxParticipants: max } = engine;
    if (n < min)
      errors.personas =
        n === 0 ? `Choose at least ${min} personas.` : `The engine ${engine.name} needs at least ${min} personas.`;
    if (n > max) errors.personas = `The engine ${engine.name} takes at most ${max} personas; remove ${n - max}.`;
  }
  for (const option of options) {
    const text = draft.options[option.name]?.trim();
    const wrong = (text ? checkOption(text, option) : undefined) ?? checkOrder(draft, option, options);
    if (wrong) errors[`option.${option.name}`] = wrong;
  }
  for (const limit of LIMITS) {
    const text = draft.limits[limit.name]?.trim();
    if (!text) continue;
    const value = Number(text);
    if (!(value > 0) || (!limit.step && !Number.isSafeInteger(value)))
      errors[`limit.${limit.name}`] =
        `Enter a ${limit.step ? "number greater than 0" : "whole number from 1"}, or leave it empty.`;
  }
  if (draft.seed.trim() && !/^\d{1,20}$/.test(draft.seed.trim()))
    errors.seed = "Enter a whole number from 0 to 18446744073709551615, or leave it empty.";
  return errors;
}

/** A number field keeps a text that is no number to itself: its value is empty then. */
export function unreadable(form: HTMLFormElement): Errors {
  const fields = [...form.querySelectorAll<HTMLInputElement>("input[type=number]")];
  return Object.fromEntries(fields.filter((it) => it.validity.badInput).map((it) => [it.name, "Enter a number."]));
}

export const isNumeric = ({ type }: Option): boolean => type === "INTEGER" || type === "NUMBER";

function checkOption(text: string, option: Option): string | undefined {
  const { type, minimum, maximum, choices } = option;
  if (text === "null" && option.default === null) return;
  if (type === "JSON" && valueOf(text, option) === undefined) return "Enter JSON; texts stand in quotation marks.";
  if (type === "BOOLEAN" && text !== "true" && text !== "false") return "Enter true or false.";
  if (type === "CHOICE" && !choices.includes(text)) return `“${text}” cannot be chosen.`;
  if (!isNumeric(option)) return;
  const value = Number(text);
  if (Number.isNaN(value) || (type === "INTEGER" && !Number.isInteger(value)))
    return `Enter a ${type === "INTEGER" ? "whole " : ""}number.`;
  if ((minimum !== null && value < minimum) || (maximum !== null && value > maximum))
    return minimum === null
      ? `Enter a number up to ${maximum}.`
      : `Enter a number from ${minimum}${maximum === null ? "" : ` to ${maximum}`}.`;
}

/** Checks that an option is not less than the one that it names. Either may have its default. */
function checkOrder(draft: Draft, option: Option, options: readonly Option[]): string | undefined {
  const other = options.find((it) => it.name === option.notBelow);
  if (!other) return;
  const number = (it: Option) => {
    const text = draft.options[it.name]?.trim();
    return text ? Number(text) : typeof it.default === "number" ? it.default : NaN;
  };
  if (number(option) < number(other))
    return `Enter at least ${number(other)}, the value of ${other.name.replaceAll("_", " ")}.`;
}

/** Value of an option as JSON; undefined if the text is not of its type. The service checks it once more. */
function valueOf(text: string, { type, default: standard }: Option): unknown {
  if (text === "null" && standard === null) return null;
  switch (type) {
    case "INTEGER":
    case "NUMBER":
      return Number(text);
    case "BOOLEAN":
      return text === "true";
    case "TEXT_LIST":
      return text
        .split(/[\n,]/)
        .map((it) => it.trim())
        .filter(Boolean);
    case "JSON":
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return undefined;
      }
    default:
      return text;
  }
}

/** Input of `startDebate`. The id makes a repeated call harmless. */
export function inputOf(draft: Draft, options: readonly Option[], id: string): StartDebateInput {
  const given = options.flatMap((option) => {
    const text = draft.options[option.name]?.trim();
    return text ? [[option.name, valueOf(text, option)] as const] : [];
  });
  const limit = (name: string) => (draft.limits[name]?.trim() ? Number(draft.limits[name]) : undefined);
  const cost = limit("cost");
  const limits = {
    turns: limit("turns"),
    calls: limit("calls"),
    tokens: limit("tokens"),
    seconds: limit("seconds"),
    attempts: limit("attempts"),
    costMicros: cost === undefined ? undefined : Math.round(cost * 1e6),
  };
  const models = draft.personas.flatMap((personaId) =>
    draft.models[personaId]?.trim() ? [{ personaId, model: draft.models[personaId]!.trim() }] : [],
  );
  return {
    id,
    topic: draft.topic.trim(),
    engine: draft.engine,
    personaIds: [...draft.personas],
    provider: draft.provider || undefined,
    seed: draft.seed.trim() || undefined,
    options: given.length ? Object.fromEntries(given) : undefined,
    limits: Object.values(limits).some((it) => it !== undefined) ? limits : undefined,
    models: models.length ? models : undefined,
  };
}

/** Field that a refusal is about. The service names what it refuses, but only in its sentence. */
export function fieldOf(message: string, options: readonly Option[]): string {
  const said = message.split(/; available|available options:/)[0]!;
  if (/annotated writings|the topic\b/.test(said)) return "topic";
  const option = options.find(
    ({ name }) => new RegExp(`(^|[^\\w])${name}([^\\w]|$)`).test(said) && (/option/.test(said) || name.includes("_")),
  );
  if (option) return `option.${option.name}`;
  // The form of JSON is what the page cannot check itself; an engine has at most one such option.
  const json = options.find(({ type }) => type === "JSON");
  if (json && /^the options are invalid/.test(said)) return `option.${json.name}`;
  if (/shared corpus/.test(said)) return "option.shared_corpus";
  if (/"Seed"|\bseed\b/.test(said)) return "seed";
  const limit = /the limit (\w+?)(_micros)? is/.exec(said)?.[1];
  if (limit && LIMITS.some(({ name }) => name === limit)) return `limit.${limit}`;
  if (/\bprovider\b/.test(said)) return "provider";
  if (/\bpersonas?\b|participant|a model is chosen/.test(said)) return "personas";
  if (/\bengine\b/.test(said)) return "engine";
  return "form";
}

/** A random UUID; `crypto.randomUUID` exists on secure origins only. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // Version 7 begins with the time, as the ids that the service makes itself.
  let now = Date.now();
  for (let at = 5; at >= 0; at--, now = Math.floor(now / 256)) bytes[at] = now % 256;
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = [...bytes].map((it) => it.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
