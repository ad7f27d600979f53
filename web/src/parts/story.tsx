// The history of one order, as `oddsmaker why` prints it.
import { signal } from '@preact/signals';
import { why } from '../api.ts';

/** The requested history. Undefined when none is shown. */
export const story = signal<{ readonly order: string; readonly text: string } | undefined>(undefined);

export function Why({ order }: { readonly order: string }) {
  const isShown = story.value?.order === order;
  const toggle = (): void => {
    if (isShown) {
      story.value = undefined;
      return;
    }
    story.value = { order, text: 'Looking it up in the journal …' };
    void why(order).then((text) => {
      if (story.value?.order === order) story.value = { order, text };
    });
  };
  return (
    <button type="button" aria-expanded={isShown} onClick={toggle}>
      why
    </button>
  );
}

/** The row with the history, below its order. */
export const StoryRow = ({ order, columns }: { readonly order: string; readonly columns: number }) =>
  story.value?.order === order ? (
    <tr class="history">
      <td colSpan={columns}>
        <pre class="story">{story.value.text}</pre>
      </td>
    </tr>
  ) : null;
