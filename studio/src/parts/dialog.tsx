import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button, useId } from "./controls";

/** A modal dialog. It is open while it is rendered; Escape and the close button call `close`. Focus returns afterwards. */
export function Dialog({
  title,
  close,
  broad = false,
  children,
}: {
  title: string;
  close: () => void;
  broad?: boolean;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current!;
    if (!element.open) element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={broad ? "broad" : ""}
      aria-labelledby={id}
      onCancel={(event: Event) => (event.preventDefault(), close())}
      onMouseDown={(event: MouseEvent) => event.target === dialog.current && close()}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          <Button kind="icon" label="Close" onClick={close}>
            ✕
          </Button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** Asks once more before something that cannot be undone. */
export function Confirm({
  title,
  children,
  action,
  danger = false,
  busy = false,
  confirm,
  close,
}: {
  title: string;
  children: ComponentChildren;
  action: string;
  danger?: boolean;
  busy?: boolean;
  confirm: () => void;
  close: () => void;
}) {
  return (
    <Dialog title={title} close={close}>
      <div class="stack">{children}</div>
      <div class="dialog-foot">
        <Button onClick={close}>Back</Button>
        <Button kind={danger ? "danger" : "primary"} disabled={busy} onClick={confirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
