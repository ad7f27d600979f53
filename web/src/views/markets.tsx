import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { age, day, line, money, odds, percent, signed } from '../format.ts';
import { toneOf } from '../parts/figure.tsx';
import { go, linkTo } from '../parts/route.ts';
import { VirtualList } from '../parts/virtual-list.tsx';
import { periodText } from '../place.ts';
import { rows, runTime } from '../stream.ts';
import { shortWhy } from '../why.ts';
import type { Market, Own } from '../wire.ts';

type Row = { readonly id: string; readonly market: Market };
const SORTS = {
  start: ({ market }: Row) => market.start ?? 0,
  game: ({ market }: Row) => market.game,
  fair: ({ market }: Row) => market.fair ?? -1,
  position: ({ market }: Row) => -Math.abs(market.position[0] - market.position[1]),
  worst: ({ market }: Row) => market.worstOfGame,
  rank: ({ market }: Row) => market.select?.rank ?? Number.POSITIVE_INFINITY,
  markout: ({ market }: Row) => market.markout ?? Number.POSITIVE_INFINITY,
  why: ({ market }: Row) => ['bad', 'wait', 'good', 'off'].indexOf(shortWhy(market).level),
} as const;
type Sort = keyof typeof SORTS;
const SHOWN = {
  all: 'all',
  own: 'with quotes',
  held: 'with a position',
  stuck: 'that wait or are held',
} as const;
type Shown = keyof typeof SHOWN;

const words = signal('');
const sort = signal<Sort>('start');
const isReversed = signal(false);
const shown = signal<Shown>('all');
const chosen = signal(0);

const KEEPS: Readonly<Record<Shown, (market: Market) => boolean>> = {
  all: () => true,
  own: ({ own }) => own.length > 0,
  held: ({ position }) => position[2] !== 0,
  stuck: (market) => ['bad', 'wait'].includes(shortWhy(market).level),
};

export const listed = computed((): readonly Row[] => {
  const wanted = words.value.toLowerCase().split(/\s+/);
  const by = SORTS[sort.value];
  const keeps = KEEPS[shown.value];
  const list = Object.entries(rows.markets.value)
    .map(([id, market]) => ({ id, market }))
    .filter(({ id, market }) => {
      const text = `${id} ${market.game} ${market.league ?? ''} ${market.period} ${market.type}`.toLowerCase();
      return keeps(market) && wanted.every((word) => text.includes(word));
    })
    .map((row) => ({ row, key: by(row) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.row.id < b.row.id ? -1 : 1))
    .map(({ row }) => row);
  return isReversed.value ? list.reverse() : list;
});

const narrow = matchMedia('(max-width: 700px)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => (isNarrow.value = matches));

export function MarketsView() {
  const filter = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.key === '/' && !isTyping) {
        event.preventDefault();
        filter.current?.focus();
      } else if (event.key === 'Escape' && isTyping) filter.current?.blur();
      else if (isTyping && event.key !== 'Enter') return;
      else if (event.key === 'j' || event.key === 'ArrowDown') move(event, 1);
      else if (event.key === 'k' || event.key === 'ArrowUp') move(event, -1);
      else if (event.key === 'Enter') {
        const row = listed.value[chosen.value];
        if (row !== undefined) go('market', row.id);
      }
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  const list = listed.value;
  return (
    <div class="markets">
      <div class="tools">
        <input
          ref={filter}
          type="search"
          placeholder="Filter ( / )"
          aria-label="Filter markets"
          value={words.value}
          onInput={({ currentTarget }) => {
            words.value = currentTarget.value;
            chosen.value = 0;
          }}
        />
        <select
          aria-label="Which markets"
          value={shown.value}
          onChange={({ currentTarget }) => (shown.value = currentTarget.value as Shown)}
        >
          {Object.entries(SHOWN).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
        <select
          aria-label="Sort by"
          value={sort.value}
          onChange={({ currentTarget }) => (sort.value = currentTarget.value as Sort)}
        >
          {Object.keys(SORTS).map((key) => (
            <option key={key} value={key}>
              by {key}
            </option>
          ))}
        </select>
        <button type="button" aria-label="Reverse the order" onClick={() => (isReversed.value = !isReversed.value)}>
          {isReversed.value ? '▲' : '▼'}
        </button>
        <span class="note">{list.length} markets</span>
      </div>
      {!isNarrow.value && (
        <div class="row head" aria-hidden="true">
          {[
            'game',
            'market',
            'fair',
            'best',
            'own quotes: rank, age',
            'position',
            'worst of game',
            'markout',
            'why',
          ].map((name) => (
            <span key={name}>{name}</span>
          ))}
        </div>
      )}
      <VirtualList
        items={list}
        height={isNarrow.value ? 104 : 46}
        chosen={chosen.value}
        draw={({ id, market }, index) => (
          <MarketRow key={id} id={id} market={market} isChosen={index === chosen.value} />
        )}
      />
    </div>
  );
}

function move(event: KeyboardEvent, by: number): void {
  event.preventDefault();
  chosen.value = Math.max(0, Math.min(listed.value.length - 1, chosen.value + by));
}

function MarketRow({ id, market, isChosen }: Row & { readonly isChosen: boolean }) {
  const { text, level } = shortWhy(market);
  const [first, second] = market.position;
  return (
    <a class={`row ${isChosen ? 'chosen' : ''}`} href={linkTo(id)}>
      <span class="game">
        {market.game}
        <small>
          {market.league} {market.start === null ? '' : day(market.start)} {market.live ? 'in play' : ''}
        </small>
      </span>
      <span class="market">
        {market.type} {line(market.line, market.type)}{' '}
        {market.period !== 'full' && <small>{periodText(market.period)}</small>}
        {market.select !== null && (
          <small title="rank by value per place permit">
            {market.select.rank === null ? market.select.gate : `#${market.select.rank}`}{' '}
            {money(market.select.perPermit)} a permit
          </small>
        )}
      </span>
      <span class="fair number">{percent(market.fair)}</span>
      <span class="best number">
        {odds(market.first?.odds ?? null)}
        <br />
        {odds(market.second?.odds ?? null)}
      </span>
      <span class="own number">
        <OwnQuotes market={market} side={market.sides[0]} />
        <OwnQuotes market={market} side={market.sides[1]} />
      </span>
      <span class="position number">
        <i class={toneOf(first)}>{signed(first)}</i>
        <br />
        <i class={toneOf(second)}>{signed(second)}</i>
      </span>
      <span class="worst number">
        {money(market.worstOfGame)}
        {market.worstWithParts !== market.worstOfGame && (
          <small title="the game and all its parts together">all {money(market.worstWithParts)}</small>
        )}
      </span>
      <span class={`markout number ${toneOf(market.markout)}`}>{signed(market.markout)}</span>
      <span class={`why ${level}`}>{text}</span>
    </a>
  );
}

function OwnQuotes({ market, side }: { readonly market: Market; readonly side: string }) {
  const own = market.own.filter((order) => order.side === side);
  const wanted = market.slots.some((slot) => slot.side === side);
  return (
    <span class="quote">
      {side} {own.length === 0 ? (wanted ? '…' : '–') : own.map((order) => quoteOf(order)).join(' ')}
    </span>
  );
}

const quoteOf = ({ odds: american, rank, status, sentAt }: Own): string =>
  status === 'open' ? `${odds(american)} #${rank} ${age(runTime.value - sentAt)}` : `${odds(american)} ${status}`;
