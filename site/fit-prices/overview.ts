// The page of all sports: what does not fit, moneylines, constants.
import { list, percent, prose, table, whole } from './markdown.ts';
import { reliabilityPlot, svgOf } from './picture.ts';
import type { Picture, SportPage } from './sport-page.ts';
import { differenceOf, holds } from './statistics.ts';

/** What has no data, and what stands in its place. */
const NO_DATA = [
  'College football: the constants of the NFL, where no game ends level.',
  'Basketball: quarters, halves, overtime, lines of totals. Quarters are equal.',
  'Basketball in play: games with score, clock and result. The constants follow two published sources, and the split between margin and variance is an assumption.',
  'Hockey: periods, level scores after regulation, in play. Periods are equal.',
  'Baseball: innings, first halves, in play. Innings are equal.',
  'Tennis: matches. Its formulas have no constants.',
];

export function overview(sports: readonly SportPage[]): { readonly markdown: string; readonly picture: Picture } {
  const markdown = [
    '# How well the prices fit',
    prose(`This page scores the [models](../pricing.md) on ${sports.length} sports with results. \`npm run fit:prices\` writes it from
      files of closing odds and scores, which are not part of the repository. Each sport has a page with its
      reliability in play, far from the main line and by season: ${sports.map(({ sport, file }) => `[${sport}](${file})`).join(', ')}.`),
    '## What does not fit',
    prose('The largest difference between what is said and what occurred comes first.'),
    list(
      sports
        .flatMap(({ misfits }) => misfits)
        .sort((a, b) => b.by - a.by)
        .map(({ text }) => text),
    ),
    '## What has no data',
    list(NO_DATA),
    '## Moneylines',
    '![Reliability of moneylines](moneylines.svg)',
    prose(`The picture has fair moneylines without the bookmaker's margin, by the method of Shin, against how often home won (in soccer: home,
      draw and away). Bars are 95 % intervals. The dashed line is where prices are right.`),
    table(
      ['sport', 'data', 'bins outside their interval', 'largest difference'],
      sports.map(({ sport, data, moneyline }) => {
        const [worst] = [...moneyline].sort((a, b) => differenceOf(b) - differenceOf(a));
        const text = worst && `said ${percent(worst.said)}, occurred ${percent(worst.share)} (${whole(worst.count)})`;
        return [sport, data, `${moneyline.filter((bin) => !holds(bin)).length} of ${moneyline.length}`, text ?? ''];
      }),
    ),
    '## Constants',
    prose(`*Fitted* is on all games, *by season* is the range of fits to one season each. *Gain* is the log loss a game that the
      constant saves when it is fitted on all other seasons and scored on the season left out, in thousandths, with
      its standard error. Other constants of the same model stay the shipped ones, and some of these were fitted on
      the same games: the weights of football margins on 2011–25, the endings of baseball on 2014–19. Rows that say *shipped* are not held out.`),
    table(
      ['sport', 'constant', 'shipped', 'fitted', 'by season', 'gain'],
      sports.flatMap(({ sport, constants }) =>
        constants.map(({ name, shipped, fitted, seasons, gain }) => [sport, name, shipped, fitted, seasons, gain]),
      ),
    ),
    prose(`A gain below two standard errors may be chance. The data are closing odds and scores from public repositories:
      flancast90/sportsbookreview-scraper (NFL 2011–21), kevbowl/odds-fetcher (NFL 2025 by book), pwu97/bettingtools
      (MLB, NBA), nielsenz/odds-api-current-save (NHL odds), ryurko/sports-betting-data (NHL results), nm2890/football-data
      (soccer), and fivethirtyeight/data (\`nba-winprobs\`, CC BY 4.0).`),
  ].join('\n\n');
  const plots = sports.map(({ sport, moneyline }) =>
    reliabilityPlot(`${sport.slice(0, 1).toUpperCase()}${sport.slice(1)}`, [{ name: sport, bins: moneyline }]),
  );
  return { markdown, picture: { name: 'moneylines.svg', svg: svgOf('reliability of moneylines by sport', plots) } };
}
