// Games with fills: what each may bring by the distribution of its score, and at which scores it loses.
import { day, money, percent, signed } from '../format.ts';
import { Figure, toneOf } from '../parts/figure.tsx';
import { periodText } from '../place.ts';
import { rows } from '../stream.ts';
import type { Game, GamePicture } from '../wire.ts';

/** The largest shortfall first; the worst case where nothing is known of the score. */
const lossOf = ({ shortfall, worst }: Game): number => shortfall ?? worst;

export function GamesView() {
  const games = Object.entries(rows.games.value).sort(([, a], [, b]) => lossOf(a) - lossOf(b));
  if (games.length === 0) return <p class="empty">No game has fills that are not settled.</p>;
  return (
    <>
      {games.map(([id, game]) => (
        <OneGame key={id} game={game} />
      ))}
      <p class="note whole">
        With what is filled now, open orders aside. 5 % loss: in 95 % of games the result is at least this. Shortfall:
        the mean of the worst 5 %. In a picture large squares are likely scores; green gains and red loses, the stronger
        the more.
      </p>
    </>
  );
}

function OneGame({ game }: { readonly game: Game }) {
  const { game: name, source, picture } = game;
  const figure = (title: string, amount: number | null, hasTone = true) => (
    <Figure name={title} tone={hasTone ? toneOf(amount) : ''}>
      {amount === null ? '–' : signed(amount)}
    </Figure>
  );
  return (
    <section class="game">
      <h3>
        {name}
        {game.period === 'full' ? '' : ` · ${periodText(game.period)}`}
      </h3>
      <p class="note">
        {game.league} · {game.live ? 'in play' : `${day(game.start)} UTC`} · {game.markets}{' '}
        {game.markets === 1 ? 'market' : 'markets'} ·{' '}
        {source === 'odds'
          ? 'score by the odds feed'
          : source === 'book'
            ? 'score by the exchange’s own book'
            : 'nothing is known of the score: the worst case alone'}
      </p>
      <dl class="figures">
        {figure('expected', game.expected)}
        <Figure name="deviation">{game.deviation === null ? '–' : money(game.deviation)}</Figure>
        {figure('5 % loss', game.quantile)}
        {figure('shortfall', game.shortfall)}
        {figure('worst', game.worst)}
      </dl>
      {picture !== null && <Picture name={name} picture={picture} />}
      {game.hurting.length > 0 && (
        <ul class="hurting">
          {game.hurting.map(([scores, value, p]) => (
            <li key={scores}>
              <b class="bad">{signed(value)}</b> {scores} <span class="note">{percent(p)} of games</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const [WIDTH, ROW, LEFT, BOTTOM] = [420, 11, 34, 14];
const NOTHING = 'j'.charCodeAt(0);
const STEPS = 9;

function Picture({ name, picture }: { readonly name: string; readonly picture: GamePicture }) {
  const [low, step, columns] = picture.margins;
  const [lowest, height, lines] = picture.totals;
  const column = (WIDTH - LEFT) / columns;
  const bottom = lines * ROW + BOTTOM;
  const every = Math.max(1, Math.ceil(columns / 6));
  const rangeText = (from: number, width: number): string =>
    width === 1 ? `${from}` : `${from} to ${from + width - 1}`;
  return (
    <svg
      class="scores"
      viewBox={`0 0 ${WIDTH} ${bottom}`}
      role="img"
      aria-label={`what ${name} brings over margin and total`}
    >
      {Array.from(picture.sizes, (digit, index) => {
        if (digit === ' ') return null;
        const [x, y] = [index % columns, Math.floor(index / columns)];
        const size = Math.max(0.25, Number(digit) / 9);
        const share = (picture.values.charCodeAt(index) - NOTHING) / STEPS;
        return (
          <rect
            key={index}
            class={share < 0 ? 'loss' : 'gain'}
            x={LEFT + column * (x + (1 - size) / 2)}
            y={ROW * (lines - 1 - y + (1 - size) / 2)}
            width={column * size}
            height={ROW * size}
            fill-opacity={0.12 + 0.88 * Math.abs(share)}
          >
            <title>
              {`home − away ${rangeText(low + x * step, step)}, total ${rangeText(lowest + y * height, height)}: about ${signed(Math.round(share * picture.largest))}`}
            </title>
          </rect>
        );
      })}
      {Array.from({ length: Math.ceil(columns / every) }, (_none, index) => (
        <text key={`m${index}`} x={LEFT + column * (index * every + 0.5)} y={bottom - 3} text-anchor="middle">
          {low + index * every * step}
        </text>
      ))}
      {Array.from({ length: Math.ceil(lines / 2) }, (_none, index) => (
        <text key={`t${index}`} x={LEFT - 4} y={ROW * (lines - 2 * index) - 2} text-anchor="end">
          {lowest + 2 * index * height}
        </text>
      ))}
    </svg>
  );
}
