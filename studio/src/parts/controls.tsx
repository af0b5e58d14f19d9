/** Buttons and form fields. Each field shows its hint and its error where it is. */
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";

interface ButtonProperties {
  children: ComponentChildren;
  onClick?: (event: MouseEvent) => void;
  kind?: "primary" | "danger" | "plain" | "icon" | "";
  type?: "button" | "submit";
  disabled?: boolean;
  /** For buttons that are on or off. */
  pressed?: boolean;
  /** Name for screen readers where the content is a sign. */
  label?: string;
  title?: string;
}
export function Button({ children, kind = "", type = "button", pressed, label, ...rest }: ButtonProperties) {
  return (
    <button class={`button ${kind}`} type={type} aria-pressed={pressed} aria-label={label} {...rest}>
      {children}
    </button>
  );
}

let ids = 0;
/** An id for `for`, `aria-describedby` and the like. */
export const useId = (): string => useMemo(() => `x${++ids}`, []);

interface FieldProperties {
  label: ComponentChildren;
  hint?: ComponentChildren;
  /** What is wrong with the value, as a sentence. */
  error?: string | undefined;
  /** Renders the control with what connects it to label, hint and error. */
  children: (control: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean | undefined;
  }) => ComponentChildren;
}
export function Field({ label, hint, error, children }: FieldProperties) {
  const id = useId();
  const described = [hint && `${id}h`, error && `${id}e`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {error && (
        <p class="wrong" id={`${id}e`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}h`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type TextProperties = Omit<FieldProperties, "children"> & {
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "search" | "number" | "password" | "date";
  attributes?: JSX.HTMLAttributes<HTMLInputElement> & Record<string, unknown>;
};
export function TextField({ value, onInput, type = "text", attributes, ...field }: TextProperties) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          class="input"
          type={type}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          {...control}
          {...attributes}
        />
      )}
    </Field>
  );
}

type AreaProperties = Omit<FieldProperties, "children"> & {
  value: string;
  onInput: (value: string) => void;
  onBlur?: () => void;
  rows?: number;
  name?: string;
};
export function AreaField({ value, onInput, onBlur, rows = 3, name, ...field }: AreaProperties) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          class="input"
          rows={rows}
          name={name}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          onBlur={onBlur}
          {...control}
        />
      )}
    </Field>
  );
}

type SelectProperties = Omit<FieldProperties, "children"> & {
  value: string;
  onChange: (value: string) => void;
  options: readonly (readonly [value: string, label: string])[];
  name?: string;
};
export function SelectField({ value, onChange, options, name, ...field }: SelectProperties) {
  return (
    <Field {...field}>
      {(control) => (
        <select
          class="input"
          name={name}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          {...control}
        >
          {options.map(([key, label]) => (
            <option key={key} value={key} selected={key === value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  hint,
  error,
  checked,
  onChange,
  name,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
  name?: string;
}) {
  const id = useId();
  return (
    <div class="field">
      <div class="check">
        <input
          type="checkbox"
          id={id}
          name={name}
          checked={checked}
          aria-describedby={[hint && `${id}h`, error && `${id}e`].filter(Boolean).join(" ") || undefined}
          aria-invalid={error ? true : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <label class="label" for={id}>
          {label}
        </label>
      </div>
      {error && (
        <p class="wrong" id={`${id}e`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}h`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Share from 0 to 1 as a bar; the number beside it is the text. */
export function Bar({ share, label }: { share: number; label: string }) {
  const width = `${Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10}%`;
  return (
    <span class="bar" role="img" aria-label={label}>
      <i style={{ width }} />
    </span>
  );
}
