// The story of one order, as `oddsmaker why` tells it.
import { signal } from '@preact/signals';
import { why } from '../api.ts';

/** The one that was asked for last. */
export const story = signal<{ readonly order: string; readonly text: string } | undefined>(undefined);

export function Why({ order }: { readonly order: string }) {
  const tell = (): void => {
    story.value = { order, text: 'Looking it up in the journal …' };
    void why(order).then((text) => {
      if (story.value?.order === order) story.value = { order, text };
    });
  };
  return (
    <button type="button" onClick={tell}>
      why
    </button>
  );
}

export const Story = () => (story.value === undefined ? null : <pre class="story">{story.value.text}</pre>);
