/** JSX for the build: it is compiled to calls of `h`, and the package that provides Preact has no `Fragment`. */
import { h } from "preact";
import type { ComponentChildren } from "preact";

export { h };
export const Fragment = (properties: { children?: ComponentChildren }) => properties.children;
