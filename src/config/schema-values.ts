// The kinds of values that a configuration has: durations, sizes, money, URLs.
import { z } from 'zod';
import { parseAge, parseDuration, parseSize } from '../domain/index.ts';

/** In the JSON schema of a text, what kind it is of: `duration`, `age` (days as well) or `size`. */
export const TEXT_KIND = 'x-oddsmaker-text';

/** Timers count to 24 days; a day is longer than any wait. */
export const LONGEST_MS = 24 * 3_600_000;

export const duration = (fallback: string) =>
  z
    .string('expected a duration such as 250ms, 5s, 10m or 2h')
    .meta({ [TEXT_KIND]: 'duration' })
    .default(fallback)
    .transform((text, context) => {
      const ms = parseDuration(text);
      if (ms !== undefined && ms > LONGEST_MS)
        context.addIssue({ code: 'custom', message: `expected at most 24h, received "${text}"` });
      if (ms !== undefined) return ms;
      context.addIssue({
        code: 'custom',
        message: `expected a duration such as 250ms, 5s, 10m or 2h, received "${text}"`,
      });
      return z.NEVER;
    });

/** What decides a market type. */
export const decider = (text: string) => z.string().trim().min(1).max(40).optional().describe(text);

export const age = z
  .string()
  .meta({ [TEXT_KIND]: 'age' })
  .transform((text, context) => {
    const ms = parseAge(text);
    if (ms !== undefined) return ms;
    context.addIssue({
      code: 'custom',
      message: `expected a duration such as 12h or 30d, received "${text}"`,
    });
    return z.NEVER;
  });

export const size = z
  .string()
  .meta({ [TEXT_KIND]: 'size' })
  .transform((text, context) => {
    const bytes = parseSize(text);
    if (bytes !== undefined) return bytes;
    context.addIssue({
      code: 'custom',
      message: `expected a size such as 500MB or 20GB, received "${text}"`,
    });
    return z.NEVER;
  });

/** Of the exchange: so many in any window of this length. */
export const EXCHANGE_LIMITS = {
  place: { requests: 25, window: '5s' },
  cancel: { requests: 30, window: '2s' },
} as const;

export const window = (most: { readonly requests: number; readonly window: string }, what: string) =>
  z
    .strictObject({
      requests: z.int().min(1).max(10_000).default(most.requests).describe(`the most ${what} in any window`),
      window: duration(most.window).describe(`length of the window that counts ${what}`),
    })
    .prefault({});

export const url = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .refine(
    (text) => !/^https?:\/\/[^/]*@/i.test(text),
    'expected a URL without user and password: the exchange logs in by itself',
  )
  .transform((text) => text.replace(/\/+$/, ''));
export const league = z.string().min(1);
/** The core's sweep comes every 500 ms, and half the deadline must hold two of them. */
export const LEAST_DEADLINE_MS = 2000;
/** Dollars. */
export const money = z.number().min(0).max(1e12);
