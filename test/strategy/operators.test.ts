// Operators that strategies use.
import { map, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import type { GameId, QuoteIntent } from '../../src/domain/index.ts';
import { cents, market } from '../../src/domain/index.ts';
import type { AmericanOdds } from '../../src/domain/index.ts';
import { RecordedHistory } from '../../src/strategy/host/index.ts';
import type { MarketView } from '../../src/strategy/index.ts';
import { withoutRepeats } from '../../src/strategy/index.ts';

it('withoutRepeats leaves out what a market was sent before, and begins anew when the market opens again', () => {
  const [moneyline, total] = [market('g1' as GameId, 'moneyline'), market('g1' as GameId, 'total', 220.5)];
  const views$ = new Subject<Pick<MarketView, 'market' | 'history'>>();
  const sent: string[] = [];
  const quote = { side: 'home' as const, risk: cents(100), odds: 110 as AmericanOdds };
  views$
    .pipe(
      map((view): QuoteIntent => ({ market: view.market.id, quotes: [quote], reason: `price ${String(sent.length)}` })),
      withoutRepeats(views$),
    )
    .subscribe((intent) => sent.push(intent.market));
  const first = new RecordedHistory(moneyline);
  for (let times = 0; times < 3; times++) views$.next({ market: moneyline, history: first });
  views$.next({ market: total, history: new RecordedHistory(total) });
  expect(sent).toEqual([moneyline.id, total.id]);
  views$.next({ market: moneyline, history: new RecordedHistory(moneyline) });
  expect(sent).toEqual([moneyline.id, total.id, moneyline.id]);
});
