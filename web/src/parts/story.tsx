// The history of one order, as `oddsmaker why` prints it.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { why } from '../api.ts';

/** Within this time the journal of a running bot has a step on disk, ms. */
const JOURNAL_MS = 1000;

/** The requested history. Undefined when none is shown. */
export const story = signal<{ readonly order: string; readonly text: string } | undefined>(undefined);

/** Shows the history of an order as soon as it is there, unless another one was asked for meanwhile. */
async function lookUp(order: string): Promise<void> {
  const text = await why(order);
  if (story.value?.order === order) story.value = { order, text };
}

export function Why({ order }: { readonly order: string }) {
  const isShown = story.value?.order === order;
  const toggle = (): void => {
    if (isShown) {
      story.value = undefined;
      return;
    }
    story.value = { order, text: 'Looking it up in the journal …' };
    void lookUp(order);
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

/** The history of an order that is listed no longer: it stays while someone reads it, and says how the order ended. */
export function EndedStory({ listed }: { readonly listed: readonly string[] }) {
  const shown = story.value;
  const ended = shown === undefined || listed.includes(shown.order) ? undefined : shown;
  const order = ended?.order;
  useEffect(() => {
    if (order === undefined) return;
    const timer = setTimeout(() => void lookUp(order), JOURNAL_MS);
    return () => clearTimeout(timer);
  }, [order]);
  return ended === undefined ? null : (
    <section class="whole">
      <h3>Order {ended.order}, no longer listed</h3>
      <pre class="story">{ended.text}</pre>
      <button type="button" onClick={() => void (story.value = undefined)}>
        Close
      </button>
    </section>
  );
}
