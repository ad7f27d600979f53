// The story of one order, as `oddsmaker why` tells it.
import { signal } from '@preact/signals';
import { why } from '../api.ts';

/** The one that was asked for last. */
export const story = signal<{ readonly order: string; readonly text: string } | undefined>(undefined);

export function Why({ order }: { readonly order: string }) {
  const isTold = story.value?.order === order;
  const tell = (): void => {
    if (isTold) {
      story.value = undefined;
      return;
    }
    story.value = { order, text: 'Looking it up in the journal …' };
    void why(order).then((text) => {
      if (story.value?.order === order) story.value = { order, text };
    });
  };
  return (
    <button type="button" aria-expanded={isTold} onClick={tell}>
      why
    </button>
  );
}

/** Right below the order that was asked for. */
export const StoryRow = ({ order, columns }: { readonly order: string; readonly columns: number }) =>
  story.value?.order === order ? (
    <tr class="told">
      <td colSpan={columns}>
        <pre class="story">{story.value.text}</pre>
      </td>
    </tr>
  ) : null;
