// Price clients by the hundred, in a process of their own: each question opens some and is answered when all have joined;
// every answer says how many frames have come to all of them together.
import { serve } from './child.ts';
import { PriceLine } from './price-line.ts';

export type LoadQuestion = { readonly url: string; readonly tokens: readonly string[] };
export type LoadAnswer = { readonly frames: number };

let frames = 0;

serve(async ({ url, tokens }: LoadQuestion): Promise<LoadAnswer> => {
  const lines = tokens.map((token) => new PriceLine(url, token, () => frames++));
  await Promise.all(lines.map(({ joined }) => joined));
  return { frames };
});
