// Hundreds of price clients in their own process. Each question opens some clients and is answered when all
// have joined; every answer has the number of frames that all clients received together.
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
