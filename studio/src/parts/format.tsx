/** Numbers, costs and times as text. English, because all texts of the page are. */
import { useEffect, useState } from "preact/hooks";
import type { MeasureUnit } from "../wire/operations";

const whole = new Intl.NumberFormat("en");
export const count = (value: number): string => whole.format(value);

/** `1 crux`, `2 cruxes`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** Millionths of a US dollar as dollars: at least two digits that matter. */
export function dollars(micros: number): string {
  const value = micros / 1e6;
  if (value === 0) return "$0";
  return value >= 0.1 ? `$${value.toFixed(2)}` : `$${Number(value.toPrecision(2))}`;
}

/** A value of a measure, as the command line prints it. Turns and tokens are numbers like others. */
export function measured(value: number, unit: MeasureUnit): string {
  switch (unit) {
    case "SHARE":
      return `${(value * 100).toFixed(1)} %`;
    case "US_DOLLARS":
      return `$${value.toFixed(4)}`;
    case "SECONDS":
      return `${value.toFixed(2)} s`;
    default:
      return Number.isInteger(value) ? count(value) : value.toFixed(2);
  }
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `TOTALLY_UNKNOWN` as `Totally unknown`. */
export const plain = (value: string): string => value.charAt(0) + value.slice(1).toLowerCase().replaceAll("_", " ");

const full = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

function ago(then: number, now: number): string {
  const seconds = Math.round((now - then) / 1000);
  if (seconds < 45) return "just now";
  if (seconds < 3_600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`;
  return seconds < 7 * 86_400 ? `${Math.round(seconds / 86_400)} d ago` : day.format(then);
}

/** A time, relative while it is recent; the exact time is in the title. */
export function When({ at }: { at: string }) {
  const then = Date.parse(at);
  const [now, tick] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={full.format(then)}>
      {ago(then, now)}
    </time>
  );
}
