// A list with a search: what is chosen in it is drawn by the page. Without a script the first choice is shown.
import { isoTime } from '../../domain/index.ts';
import { drawChart, planOf } from './charts.ts';
import type { Choice, NamedChart } from './chosen-charts.ts';
import { packedChoices } from './chosen-charts.ts';
import { csvLink, escaped, remark } from './markup.ts';

/** A chart with its title, note and data. The page builds the same (script.ts). */
const shown = ({ chart, times, csv, columns, fills, title, note }: NamedChart): string =>
  [
    title === undefined ? '' : `<h3>${escaped(title)}</h3>`,
    drawChart(planOf(chart)),
    note === undefined ? '' : remark(note),
    csvLink(
      csv,
      ['time', ...columns],
      times.map((t, index) => [isoTime(t), ...chart.lines.map(({ points }) => points[index]?.[1] ?? null)]),
    ),
    fills === undefined
      ? ''
      : csvLink(
          'quoted-fills',
          ['time', 'price', 'first', 'risk'],
          fills.points.map(({ t, price, isFirst, risk }) => [isoTime(t), price, String(isFirst), risk]),
        ),
  ].join('\n');

/** What is shown without a script: a choice, with all its charts. */
export const shownChoice = ({ charts }: Pick<Choice, 'charts'>): string => charts.map(shown).join('\n');

/**
 * The list and what is chosen in it.
 * @param label what is listed, such as `quoted markets`
 * @param first HTML of the first choice
 */
export const chooser = (label: string, hint: string, choices: readonly Choice[], first: string): string =>
  choices.length < 2
    ? `<div class="chosen">${first}</div>`
    : [
        `<div class="choose" hidden><label>find <input type="search" autocomplete="off" placeholder="${escaped(hint)}"></label>`,
        `<select size="5" aria-label="${escaped(label)}"></select><p class="said" role="status"></p></div>`,
        `<div class="chosen">${first}</div>`,
        `<script type="text/plain" class="packed">${packedChoices(choices)}</script>`,
      ].join('\n');
