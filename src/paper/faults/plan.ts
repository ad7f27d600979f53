// The schema of a fault plan: rules of what goes wrong, when, and for which account. The YAML file and the
// admin route share it.
import { z } from 'zod';
import { parseDuration } from '../../domain/index.ts';

const DURATION = 'a duration such as 250ms, 5s, 10m, or a number of milliseconds';
const duration = z.union([z.number().min(0), z.string()], `expected ${DURATION}`).transform((value, context) => {
  const ms = typeof value === 'number' ? value : parseDuration(value);
  if (ms === undefined) context.addIssue(`expected ${DURATION}`);
  return ms ?? 0;
});

/** A fixed duration, or one drawn uniformly between two. */
const span = z.union(
  [
    duration.transform((ms) => ({ min: ms, max: ms })),
    z.strictObject({ min: duration, max: duration }).refine(({ min, max }) => min <= max, 'min is above max'),
  ],
  `expected ${DURATION}, or {min, max} of two`,
);

/**
 * Conditions of a rule: which requests or frames it hits, and when. Without `rate` and `nth` it hits every
 * time.
 */
const when = {
  /** Probability for each request or frame. */
  rate: z.number().min(0).max(1).optional(),
  /** Hits only these of the matching requests or frames, counted from 1. */
  nth: z.array(z.int().min(1)).min(1).optional(),
  /** Maximum number of hits. */
  times: z.int().min(1).optional(),
  /** Between these times since the plan was set. */
  from: duration.optional(),
  until: duration.optional(),
  account: z.string().min(1).optional(),
};

/**
 * Conditions of a timed rule. `at`: once at each of these times since the plan was set. `every`: repeatedly.
 */
const timed = {
  at: z
    .union([duration.transform((ms) => [ms]), z.array(duration).min(1)], `expected ${DURATION}, or a list of them`)
    .optional(),
  every: span.optional(),
  times: z.int().min(1).optional(),
  account: z.string().min(1).optional(),
};

export const FAULTY_REQUESTS = ['place', 'edit', 'cancel', 'cancelAll', 'read', 'mode', 'login'] as const;
export const FEED_NAMES = ['prices', 'user'] as const;

const on = z.array(z.enum(FAULTY_REQUESTS)).min(1).optional();
const feeds = z.array(z.enum(FEED_NAMES)).min(1).optional();

const ruleSchema = z.discriminatedUnion('fault', [
  // requests
  z.strictObject({
    fault: z.literal('delay'),
    on,
    by: span,
    /** `before`: it reaches the venue late. `after`: it is carried out at once and answered late. */
    side: z.enum(['before', 'after']).default('before'),
    ...when,
  }),
  z.strictObject({
    fault: z.literal('status'),
    on,
    status: z.union([z.literal([401, 403, 409, 423, 429, 500, 502, 503, 504])]),
    code: z.enum(['RATE_LIMITED', 'CANCEL_QUEUE_FULL', 'CANCEL_ALL_IN_PROGRESS']).optional(),
    retryAfter: duration.optional(),
    /** Whether the request is carried out nevertheless. */
    acted: z.boolean().default(false),
    ...when,
  }),
  z.strictObject({
    fault: z.literal('no-answer'),
    on,
    acted: z.boolean().default(true),
    /** `never`: the connection stays open without an answer. `reset`: it is reset. */
    close: z.enum(['never', 'reset']).default('never'),
    ...when,
  }),
  z.strictObject({ fault: z.literal('nonsense'), on, acted: z.boolean().default(true), ...when }),
  z.strictObject({ fault: z.literal('rotate-token'), on, ...when }),
  // frames
  z.strictObject({ fault: z.literal('drop'), feeds, ...when }),
  z.strictObject({ fault: z.literal('duplicate'), feeds, ...when }),
  z.strictObject({ fault: z.literal('late-frame'), feeds, by: span, ...when }),
  z.strictObject({ fault: z.literal('reorder'), feeds, by: span.default({ min: 100, max: 100 }), ...when }),
  // connections
  z.strictObject({ fault: z.literal('disconnect'), feeds, ...timed }),
  z.strictObject({ fault: z.literal('half-open'), feeds, ...timed }),
  // the venue by itself
  z.strictObject({ fault: z.literal('cancel-order'), orders: z.int().min(1).default(1), ...timed }),
  z.strictObject({ fault: z.literal('cancel-all'), ...timed }),
  z.strictObject({ fault: z.literal('expire-tokens'), ...timed }),
  z.strictObject({ fault: z.literal('switch-mode'), ...timed }),
  /** Closes a random game, and opens it again after `for`. Without `for` it stays closed. */
  z.strictObject({ fault: z.literal('close-game'), for: duration.optional(), ...timed }),
]);

const TIMED: ReadonlySet<string> = new Set([
  'disconnect',
  'half-open',
  'cancel-order',
  'cancel-all',
  'expire-tokens',
  'switch-mode',
  'close-game',
]);

export const faultPlanSchema = z.strictObject({
  seed: z.int().min(0).default(1),
  rules: z
    .array(
      ruleSchema.superRefine((rule, context) => {
        if (!TIMED.has(rule.fault)) return;
        if (!('at' in rule && rule.at !== undefined) && !('every' in rule && rule.every !== undefined))
          context.addIssue({ code: 'custom', message: `${rule.fault} needs "at" or "every"` });
      }),
    )
    .default([]),
});

export type FaultPlan = z.infer<typeof faultPlanSchema>;
export type FaultRule = FaultPlan['rules'][number];
export type FaultyRequest = (typeof FAULTY_REQUESTS)[number];
export type FeedName = (typeof FEED_NAMES)[number];

type Timed = Extract<FaultRule, { every?: unknown }>;
export type TimedRule = Timed;
export const isTimed = (rule: FaultRule): rule is TimedRule => TIMED.has(rule.fault);
