import { describe, expect, it } from 'vitest';
import type { MarketType } from '../../src/domain/index.ts';
import { SyntheticGame } from '../../src/traders/index.ts';

const made = (index: number, seed = 1): SyntheticGame =>
  new SyntheticGame({ seed, league: 'NBA', speed: 1, earlierRuns: 0 }, { index, startMs: 0 });

/** Plays a game to its end in steps of a second. */
function play(game: SyntheticGame, each: () => void, seconds = 1): void {
  for (let s = seconds; !game.play.over; s += seconds) {
    game.advance(s * 1000, seconds);
    each();
  }
}

const fair = (game: SyntheticGame, type: MarketType, line?: number): number => game.fair({ type, line });

describe('fair prices of a generated game', () => {
  it('are consistent: a point more never costs less, and a spread within a point equals the moneyline', () => {
    for (let index = 0; index < 8; index++) {
      const game = made(index);
      let checks = 0;
      let wrong = 0;
      const check = (): void => {
        if (checks++ % 97 !== 0) return;
        const moneyline = fair(game, 'moneyline');
        expect(fair(game, 'spread', 0.5)).toBeCloseTo(moneyline, 12);
        expect(fair(game, 'spread', -0.5)).toBeCloseTo(moneyline, 12);
        for (let line = -30.5; line < 30; line++)
          if (fair(game, 'spread', line + 1) < fair(game, 'spread', line)) wrong++;
        for (let line = 150.5; line < 280; line++)
          if (fair(game, 'total', line + 1) > fair(game, 'total', line)) wrong++;
        for (const market of game.markets) if (!(game.fair(market) >= 0 && game.fair(market) <= 1)) wrong++;
      };
      play(game, check);
      expect(checks).toBeGreaterThan(8_000);
      expect(wrong).toBe(0);
    }
  });

  it('follow the score: a basket makes the win of its team likelier, and a point makes over likelier', () => {
    let baskets = 0;
    let followed = 0;
    for (let index = 0; index < 10; index++) {
      const game = made(index);
      let [score, home, over] = [game.play.score, fair(game, 'moneyline'), fair(game, 'total', 220.5)];
      play(game, () => {
        const now = game.play.score;
        const scored = now.home - score.home - (now.away - score.away);
        const [homeNow, overNow] = [fair(game, 'moneyline'), fair(game, 'total', 220.5)];
        const open = home > 0.05 && home < 0.95 && over > 0.05 && over < 0.95;
        if (Math.abs(scored) >= 2 && open) {
          baskets++;
          if (homeNow > home === scored > 0 && overNow > over) followed++;
        }
        [score, home, over] = [now, homeNow, overNow];
      });
    }
    expect(baskets).toBeGreaterThan(300);
    // the hidden form moves too, sometimes against the score
    expect(followed / baskets).toBeGreaterThan(0.97);
  });

  it('end at 0 or 1, as the final score decides', () => {
    for (let index = 0; index < 20; index++) {
      const game = made(index, 3);
      play(game, () => {}, 5);
      const { home, away } = game.play.score;
      expect(home).not.toBe(away);
      expect(fair(game, 'moneyline')).toBe(home > away ? 1 : 0);
      for (const line of [-12.5, -3.5, 2.5, 9.5])
        expect(fair(game, 'spread', line)).toBe(home - away + line > 0 ? 1 : 0);
      for (const line of [190.5, 215.5, 240.5]) expect(fair(game, 'total', line)).toBe(home + away > line ? 1 : 0);
    }
  });

  it('are calibrated: what is priced at 30 % happens in about 30 % of the games', () => {
    const bins = Array.from({ length: 5 }, () => ({ priced: 0, came: 0, count: 0 }));
    for (let index = 0; index < 500; index++) {
      const game = made(index, 8);
      const quoted: { readonly p: number; readonly line: number | undefined }[] = [];
      const marks = [1, 60, 120, 170, 190];
      play(
        game,
        () => {
          if (game.play.state.possessions < (marks[0] ?? 999)) return;
          marks.shift();
          quoted.push({ p: fair(game, 'moneyline'), line: undefined });
          const line = game.face.mainTotal ?? 0;
          quoted.push({ p: fair(game, 'total', line), line });
        },
        10,
      );
      const { home, away } = game.play.score;
      for (const { p, line } of quoted) {
        const bin = bins[Math.min(4, Math.floor(p * 5))];
        if (bin === undefined) continue;
        bin.priced += p;
        bin.came += (line === undefined ? home > away : home + away > line) ? 1 : 0;
        bin.count++;
      }
    }
    for (const { priced, came, count } of bins) {
      expect(count).toBeGreaterThan(200);
      expect(Math.abs(priced - came) / count).toBeLessThan(0.06);
    }
  });
});
