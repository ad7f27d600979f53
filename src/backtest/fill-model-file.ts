// Reads the fill model of a backtest: a file that `fit-fills` wrote, or the built-in model.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { FillFeature, FillModel } from './fill-model.ts';
import { FILL_FEATURES, FILL_HORIZON_MS } from './fill-model.ts';
import { TENTHS } from './fill-fit.ts';
import { SHIPPED_FILL_MODEL } from './shipped-fill-model.ts';
import { messageOf, OddsmakerError, userText } from '../domain/index.ts';

const count = z.int().min(0);

const FEATURES = Object.keys(FILL_FEATURES) as [FillFeature, ...FillFeature[]];

const schema = z.strictObject({
  fillModel: z.literal(1),
  name: z.string(),
  horizonMs: z.literal(FILL_HORIZON_MS),
  bias: z.number(),
  features: z
    .array(
      z.strictObject({
        name: z.enum(FEATURES),
        mean: z.number(),
        deviation: z.number().positive(),
        weight: z.number(),
      }),
    )
    .min(1)
    .readonly(),
  lean: z.number().min(0).max(1),
  score: z
    .strictObject({
      offers: count,
      brier: z.number(),
      brierOfConstant: z.number(),
      stakes: z.number(),
      stakesOfConstant: z.number(),
      reliability: z
        .array(z.strictObject({ offers: count, expected: z.number(), taken: count }))
        .length(TENTHS)
        .readonly(),
    })
    .optional(),
});

export type NamedFillModel = {
  readonly model: FillModel;
  /** The file and its hash. Null: the built-in model. */
  readonly file: { readonly file: string; readonly sha256: string } | null;
};

/**
 * Reads a fill model; without a file, the built-in one.
 * @throws OddsmakerError FILL_MODEL_INVALID
 */
export function fillModelOf(file: string | undefined): NamedFillModel {
  if (file === undefined) return { model: SHIPPED_FILL_MODEL, file: null };
  const invalid = (problem: string): OddsmakerError =>
    new OddsmakerError('FILL_MODEL_INVALID', `${file}: no fill model as fit-fills writes it: ${problem}`);
  let bytes: Buffer;
  let json: unknown;
  try {
    bytes = readFileSync(file);
    json = JSON.parse(userText(bytes));
  } catch (error) {
    throw invalid(messageOf(error));
  }
  const read = schema.safeParse(json);
  if (!read.success)
    throw invalid(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  return { model: read.data, file: { file, sha256: createHash('sha256').update(bytes).digest('hex') } };
}

export const fillModelText = (model: FillModel): string => `${JSON.stringify(model, null, 2)}\n`;
