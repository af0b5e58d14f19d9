// Files that the service makes of a debate.

import { token, WireError } from "../../../wire";

export interface Export {
  format: string;
  label: string;
  about: string;
  extension: string;
}

export const EXPORTS: readonly Export[] = [
  { format: "html", label: "Report", about: "the whole debate as one page", extension: "html" },
  { format: "md", label: "Markdown", about: "the same report as text", extension: "md" },
  { format: "svg", label: "Picture", about: "the map of the arguments", extension: "svg" },
  { format: "argdown", label: "Argdown", about: "arguments and questions", extension: "argdown" },
  { format: "dot", label: "Graphviz", about: "the map as a graph", extension: "dot" },
  { format: "aif", label: "AIF", about: "Argument Interchange Format", extension: "json" },
  { format: "json", label: "JSON", about: "verdict and events; can be imported", extension: "json" },
  { format: "jsonl", label: "Events", about: "one event a line; can be imported", extension: "jsonl" },
];

export function exportHref(id: string, format: string, at: number | null): string {
  return `/debates/${encodeURIComponent(id)}/export?format=${format}${at === null ? "" : `&at=${at}`}`;
}

/** Fetches a file with the token of this tab, and saves it. */
export async function download(id: string, format: string, extension: string, at: number | null): Promise<void> {
  const response = await fetch(exportHref(id, format, at), { headers: { authorization: `Bearer ${token() ?? ""}` } });
  if (!response.ok) throw new WireError((await response.text()).slice(0, 200) || `The service answered with status ${response.status}.`, "PROTOCOL");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = `debate-${id.slice(-8)}.${extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
