// The verdict, the last line of a sweep. It may be no.
import { moneyText } from '../domain/index.ts';
import type { Held, Judgement } from './judge.ts';
import { BLOCKS, LEAST_DAYS, LEAST_GAMES } from './judge.ts';
import type { Objective } from './objective.ts';
import { partsOf } from './objective.ts';
import { LEAST_PAIRED } from './paired.ts';
import { settingsText } from './point.ts';

/** Limits that the best point must reach to count as better than chance. */
export const BOUNDS = { overfitting: 0.1, deflatedSharpe: 0.95, realityCheck: 0.05, plateau: 0.5 } as const;

export type Verdict = {
  readonly text: string;
  /** Null when there are too few days or games for an answer. */
  readonly isBetter: boolean | null;
};

/** What further objectives and constraints add. */
export type VerdictGoals = {
  /** The constraints as text, with the numbers of judged points that miss them and that are not known. */
  readonly constraints?: { readonly text: string; readonly miss: number; readonly unknown: number };
  /** Points of the front, when there are several objectives. */
  readonly front?: number;
};

export function verdictOf(
  judgement: Judgement | undefined,
  trials: number,
  objective: Objective,
  { constraints, front }: VerdictGoals = {},
): Verdict {
  const best = judgement?.ranked[0];
  if (judgement === undefined && constraints !== undefined && constraints.miss + constraints.unknown > 0)
    return {
      text: `best of ${trials}: none · no point meets ${constraints.text} (${constraints.miss} miss it, ${constraints.unknown} unknown)`,
      isBetter: null,
    };
  if (judgement === undefined || best === undefined)
    return { text: `best of ${trials}: no point could be judged`, isBetter: null };
  if (best.figure === undefined) return { text: `best of ${trials}: not known`, isBetter: null };
  const { overfitting, sharpe, realityCheck, plateau, held } = judgement;
  const { nothing } = realityCheck;
  // a figure that is not a sum may be best at 0 or below
  const isNothing = objective.parts !== undefined && best.figure <= 0;
  const findings = [
    ...(overfitting === undefined ? [] : [`overfitting ${share(overfitting.probability)}`]),
    ...(sharpe === undefined ? [] : [`deflated Sharpe ${share(sharpe.deflated)}`]),
    ...(nothing === undefined ? [] : [`reality check ${share(nothing.p)}`]),
    ...(plateau?.share !== undefined && plateau.share < BOUNDS.plateau
      ? [`a spike: its neighbours ${objective.isLess ? 'have more than twice as much' : 'reach less than half'}`]
      : []),
    ...(isNothing ? ['it earns nothing'] : []),
  ];
  const checks = [
    overfitting === undefined ? undefined : overfitting.probability <= BOUNDS.overfitting,
    sharpe === undefined ? undefined : sharpe.deflated >= BOUNDS.deflatedSharpe,
    nothing === undefined ? undefined : nothing.p <= BOUNDS.realityCheck,
    plateau?.share === undefined ? true : plateau.share >= BOUNDS.plateau,
    !isNothing,
  ];
  const isBetter = checks.includes(false) ? false : checks.includes(undefined) ? null : true;
  const shortage = shortageText(judgement);
  const better = [...findings, ...(isBetter === null || (!isBetter && shortage !== '') ? [shortage] : [])].filter(
    (text) => text !== '',
  );
  const answer = isBetter === null ? '' : `: ${isBetter ? 'yes' : 'no'}`;
  return {
    text: [
      ...(front === undefined ? [] : [`front of ${front} ${front === 1 ? 'point' : 'points'}`]),
      `best of ${trials}${front === undefined ? '' : ` by ${objective.name}`}: ${settingsText(best.point)}`,
      // a figure that is not a sum over games is judged by edge
      `better than chance${objective.parts === undefined ? ', by edge' : ''}? ${better.join(', ')}${answer}`,
      ...neededText(judgement, objective),
      heldText(held, objective),
    ].join(' · '),
    isBetter,
  };
}

/** How many games would show that the best point differs from others; empty when there are none. */
function neededText({ needed, games }: Judgement, { parts }: Objective): readonly string[] {
  const others = [
    ['the present setting', needed.present],
    ['the second best', needed.second],
  ] as const;
  const texts = others.flatMap(([name, need]) =>
    need === undefined ? [] : [`from ${name}: ${need.games?.toLocaleString('en') ?? 'unknown'}`],
  );
  if (texts.length === 0) return [];
  const isUnknown = others.some(([, need]) => need !== undefined && need.difference === undefined);
  const why = !isUnknown
    ? ''
    : parts === undefined
      ? ', and the figure is no sum over games'
      : games < LEAST_PAIRED
        ? `, and ${LEAST_PAIRED} are the fewest`
        : '';
  return [`games needed to show a difference ${texts.join(', ')} (played: ${games}${why})`];
}

/** Which days or games are missing for the statistics. */
function shortageText({ days, games, overfitting, sharpe, ranked }: Judgement): string {
  const needs = [
    ...(overfitting === undefined && ranked.length > 1 ? [`overfitting needs ${BLOCKS}`] : []),
    ...(sharpe === undefined ? [`Sharpe ${LEAST_DAYS}`] : []),
  ];
  return [
    ...(needs.length > 0 ? [`too few days: ${days} (${needs.join(', ')})`] : []),
    ...(games < LEAST_GAMES ? [`too few games: ${games} (an interval needs ${LEAST_GAMES})`] : []),
    ...(overfitting === undefined && ranked.length < 2 ? ['only one point was judged'] : []),
  ].join(', ');
}

function heldText(held: Judgement['held'], objective: Objective): string {
  if (held === undefined) return 'no hold-out';
  const name = held.kind === 'holdout' ? 'hold-out' : 'walk-forward';
  const misses = held.result.meets === false ? ', where it does not meet the constraints' : '';
  return `${name} ${heldSum(held.result, objective)}${misses}`;
}

/** The result on days that judge: the sum, and before it the figure when that is not a sum. */
export function heldSum(held: Held, objective: Objective): string {
  if (objective.parts !== undefined) return sumText(held, objective);
  const figure = held.figure === undefined ? 'not known' : figureText(held.figure);
  return `${figure}, edge ${sumText(held, objective)}`;
}

const DIGITS = 4;
const figureText = (figure: number): string => String(Number(figure.toPrecision(DIGITS)));

function sumText({ sum, interval, games }: Held, objective: Objective): string {
  const { isMoney } = partsOf(objective);
  const amount = (value: number): string => (isMoney ? moneyText(Math.round(value * 100) / 100) : value.toFixed(4));
  if (sum === undefined) return 'not known';
  const signed = sum >= 0 ? `+${amount(sum)}` : amount(sum);
  if (interval === undefined) return `${signed} (too few games: ${games})`;
  const half = (interval.high - interval.low) / 2;
  return `${signed} ± ${isMoney ? half.toFixed(half < 10 ? 2 : 0) : half.toFixed(4)}`;
}

const share = (value: number): string => value.toFixed(2).replace(/^0(?=\.)/, '');
