// The judgement of a sweep as it stands in `sweep.json`.
import type { Held, Judgement, Needed } from './judge.ts';
import type { Plan } from './plan.ts';
import { valuesIn } from './point.ts';

/** Number of points listed as the best. */
export const BEST = 3;

export const orNull = <T>(value: T | undefined): T | null => value ?? null;

export const heldJson = (held: Held | undefined): unknown =>
  held === undefined
    ? null
    : {
        days: held.days,
        games: held.games,
        objective: orNull(held.figure),
        sum: orNull(held.sum),
        interval: orNull(held.interval),
        ...(held.meets === undefined ? {} : { meets: held.meets }),
      };

export function judgementJson(judgement: Judgement | undefined, { split }: Plan): Readonly<Record<string, unknown>> {
  if (judgement === undefined) return { best: [], statistics: null, judgedOn: null };
  const { overfitting, sharpe, realityCheck, plateau, atEndOf, interval, held, days, games } = judgement;
  const { unknownDays, partly } = judgement;
  // a point without a known figure is not among the best
  const ranked = judgement.ranked.filter(({ figure }) => figure !== undefined);
  return {
    best: ranked.slice(0, BEST).map(({ point, figure, judgedOn }) => ({
      point: point.number,
      settings: valuesIn(point),
      objective: orNull(figure),
      ...(split.kind === 'holdout' ? { holdout: heldJson(judgedOn) } : {}),
    })),
    statistics: {
      days,
      unknownDays,
      games,
      overfitting: orNull(overfitting),
      sharpe: orNull(sharpe),
      known: partly === undefined ? null : knownJson(partly),
      realityCheck: { nothing: orNull(realityCheck.nothing), present: orNull(realityCheck.present) },
      plateau: orNull(plateau),
      atEndOf,
      interval: orNull(interval),
      gamesNeeded: { present: neededJson(judgement.needed.present), second: neededJson(judgement.needed.second) },
    },
    judgedOn: held === undefined ? null : { kind: held.kind, ...(heldJson(held.result) as object) },
  };
}

const neededJson = (needed: Needed | undefined): unknown =>
  needed === undefined
    ? null
    : {
        games: orNull(needed.games),
        played: needed.difference?.games ?? null,
        difference: needed.difference?.mean ?? null,
        deviation: needed.difference?.deviation ?? null,
      };

const knownJson = ({ knownFills, ofFills, knownPayout, ofPayout }: NonNullable<Judgement['partly']>): unknown => ({
  fills: knownFills,
  ofFills,
  payoutShare: ofPayout === 0 ? null : knownPayout / ofPayout,
});
