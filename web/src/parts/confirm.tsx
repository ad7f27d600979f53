// A button that asks for confirmation before an action that cannot be undone.
import { useEffect, useRef } from 'preact/hooks';

export function Confirm({
  label,
  question,
  yes,
  kind,
  onYes,
}: {
  readonly label: string;
  readonly question: string;
  readonly yes: string;
  readonly kind: string;
  readonly onYes: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => () => dialog.current?.close(), []);
  return (
    <>
      <button
        type="button"
        class={kind}
        onClick={() => {
          dialog.current?.showModal();
          no.current?.focus();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog}>
        <p>{question}</p>
        <div class="buttons">
          <button
            type="button"
            class={kind}
            onClick={() => {
              dialog.current?.close();
              onYes();
            }}
          >
            {yes}
          </button>
          <button type="button" ref={no} onClick={() => dialog.current?.close()}>
            No
          </button>
        </div>
      </dialog>
    </>
  );
}
